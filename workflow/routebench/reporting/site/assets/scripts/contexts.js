// What an agent would have been shown: delivered windows against gold lines, file by file.

function contextsSection(row, detail) {
  const keys = Object.keys(detail.packs);
  if (!keys.length) return null;
  const main = keys.find((key) => key === `${study.ks[0]}/${study.budget}`) ?? keys[0];
  const place = el("div");
  const draw = (key) => place.replaceChildren(...contextsOf(row, detail, key));
  draw(main);
  const options = keys.map((key) => [
    key,
    key.replace(/(\d+)\/(\d+)/, (_, k, budget) => `${k} files, ${whole(Number(budget))} tokens`),
  ]);
  return section(
    "What the agent would see",
    el("p", { class: "quiet small" }, "Each strip is a gold file from its first line to its last."),
    legend(),
    el("div", { class: "controls" }, labelled("Packed from", chooser(options, main, draw))),
    place,
  );
}

function legend() {
  const sample = (...marks) =>
    shape(
      "svg",
      { viewBox: "0 0 32 14", "aria-hidden": "true" },
      shape("rect", { width: 32, height: 14, fill: "var(--raised)" }),
      marks,
    );
  const items = [
    [sample(shape("rect", { class: "window", x: 4, width: 24, height: 14 })), "delivered window"],
    [
      sample(
        shape("rect", { class: "window", x: 4, width: 24, height: 14 }),
        shape("rect", { class: "hit", x: 12, width: 8, height: 14 }),
      ),
      "gold lines delivered",
    ],
    [
      sample(shape("rect", { class: "miss", x: 12, y: 5, width: 8, height: 4 })),
      "gold lines missed",
    ],
  ];
  return el(
    "ul",
    { class: "legend" },
    items.map(([mark, text]) => el("li", {}, mark, text)),
  );
}

function contextsOf(row, detail, key) {
  const windows = arms.map((_, arm) => deliveredBy(detail, key, arm));
  const k = Number(key.split("/")[0]);
  const isRead = (path) => arms.some((_, arm) => isWithin(rankOf(detail, arm, path), k));
  const strips = (paths) => paths.map((path) => stripsOf(row, detail, path, windows, k));
  const unread = detail.goldPaths.filter((path) => !isRead(path));
  return [
    ...strips(detail.goldPaths.filter(isRead)),
    unread.length
      ? disclosed(`${counted(unread.length, "gold file")} that no arm reads`, strips(unread))
      : "",
    el("h3", {}, "All that was packed"),
    ...arms.map((arm, place) => packedBy(row, detail, key, place)),
  ];
}

function isWithin(rank, k) {
  return rank !== null && rank <= k;
}

// Delivered line ranges of an arm, by path.
function deliveredBy(detail, key, arm) {
  const ranges = new Map();
  for (const number of detail.packs[key][arm]) {
    if (number < 0) continue;
    const [path, start, end] = detail.blocks[number];
    ranges.set(path, [...(ranges.get(path) ?? []), [start, end]]);
  }
  return ranges;
}

function merged(ranges) {
  const joined = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && start <= last[1] + 1) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

function shared(one, other) {
  return one.flatMap(([start, end]) =>
    other
      .map(([from, to]) => [Math.max(start, from), Math.min(end, to)])
      .filter(([from, to]) => from <= to),
  );
}

function lineCount(ranges) {
  return ranges.reduce((sum, [start, end]) => sum + end - start + 1, 0);
}

function fileLength(detail, path) {
  const ends = [
    ...detail.gold.filter(([file]) => file === path).map(([, , end]) => end),
    ...detail.blocks.filter(([file]) => file === path).map(([, , end]) => end),
  ];
  return Math.max(detail.lengths.get(path) ?? 0, ...ends, 1);
}

function stripsOf(row, detail, path, windows, k) {
  const length = fileLength(detail, path);
  const gold = merged(
    detail.gold.filter(([file]) => file === path).map(([, start, end]) => [start, end]),
  );
  const total = lineCount(gold);
  const ranks = arms.map((_, place) => rankOf(detail, place, path));
  const read = arms.map((_, place) => place).filter((place) => isWithin(ranks[place], k));
  return el(
    "div",
    { class: "strips" },
    el(
      "header",
      {},
      pathLabel(row, detail.paths[path]),
      el(
        "span",
        { class: "small quiet" },
        `${counted(length, "line")}, ${whole(total)} of them gold`,
      ),
    ),
    read.length ? null : stripRow("", strip(length, [], gold), ""),
    read.map((place) => {
      const delivered = merged(windows[place].get(path) ?? []);
      const found = lineCount(shared(gold, delivered));
      const said = delivered.length
        ? `${whole(found)} of ${whole(total)} gold lines`
        : "did not fit";
      return stripRow(
        armNames[place],
        strip(length, delivered, gold),
        `rank ${ranks[place]}, ${said}`,
      );
    }),
    unreadWords(ranks, k),
  );
}

function stripRow(name, picture, said) {
  return el(
    "div",
    { class: "strip" },
    el("span", { class: "name", title: name }, name),
    picture,
    el("span", { class: "said" }, said),
  );
}

// Arms that did not read the file, in one line.
function unreadWords(ranks, k) {
  const late = armNames
    .filter((_, place) => ranks[place] > k)
    .map((name) => `${name} (${ranks[armNames.indexOf(name)]})`);
  const never = armNames.filter((_, place) => ranks[place] === null);
  const parts = [
    late.length ? `Ranked too late by ${listed(late)}.` : "",
    never.length
      ? `Not nominated by ${never.length === arms.length ? "any arm" : listed(never)}.`
      : "",
  ];
  return el("p", { class: "small quiet" }, parts.join(" ").trim());
}

const STRIP = 1000;

function strip(length, delivered, gold) {
  const bar = (ranges, name, y = 0, height = 14) =>
    ranges.map(([start, end]) =>
      shape("rect", {
        class: name,
        x: ((start - 1) / length) * STRIP,
        y,
        width: Math.max(((end - start + 1) / length) * STRIP, 3),
        height,
      }),
    );
  return shape(
    "svg",
    { viewBox: `0 0 ${STRIP} 14`, preserveAspectRatio: "none", "aria-hidden": "true" },
    bar(delivered, "window"),
    bar(outside(gold, delivered), "miss", 5, 4),
    bar(shared(gold, delivered), "hit"),
  );
}

// The parts of ranges that other ranges, disjoint and in order, leave uncovered.
function outside(ranges, others) {
  return ranges.flatMap(([start, end]) => {
    const left = [];
    let from = start;
    for (const [first, last] of others) {
      if (last < from || first > end) continue;
      if (first > from) left.push([from, first - 1]);
      from = Math.max(from, last + 1);
    }
    return from <= end ? [...left, [from, end]] : left;
  });
}

function packedBy(row, detail, key, arm) {
  const numbers = detail.packs[key][arm];
  const rows = numbers.map((number) => [
    number >= 0,
    ...detail.blocks[number >= 0 ? number : -1 - number],
  ]);
  const packed = rows.filter(([included]) => included);
  const gold = new Set(detail.goldPaths);
  const columns = [
    {
      heading: "File",
      class: "long",
      value: ([, path]) => detail.paths[path],
      cell: ([, path, start, end]) => [
        gold.has(path) ? [goldMark(), " "] : null,
        pathLabel(row, detail.paths[path], `#L${start}-L${end}`),
      ],
    },
    {
      heading: "Lines",
      number: true,
      value: ([, , start]) => start,
      cell: ([, , start, end]) => `${start}–${end}`,
    },
    {
      heading: "Tokens",
      number: true,
      value: ([, , , , tokens]) => tokens,
      cell: ([, , , , tokens]) => (tokens === null ? "over every budget" : whole(tokens)),
    },
    { heading: "Packed", value: ([included]) => (included ? "yes" : "did not fit") },
  ];
  const tokens = packed.reduce((sum, [, , , , size]) => sum + size, 0);
  return disclosed(
    `${armNames[arm]}: ${counted(packed.length, "block")}, ${whole(tokens)} tokens, ` +
      `${rows.length - packed.length} did not fit`,
    sortableTable({ label: `Packed for ${armNames[arm]}`, columns, rows }).frame,
  );
}
