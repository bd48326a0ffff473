// What each arm nominated for a case, side by side, and where the gold files stand.

function goldSection(row, detail) {
  const columns = [
    {
      heading: "Gold file",
      value: (path) => detail.paths[path],
      cell: (path) => goldFile(row, detail, path),
      class: "long",
    },
    ...arms.map((arm, place) => ({
      heading: arm.name,
      number: true,
      value: (path) => rankOf(detail, place, path),
      cell: (path) => rankText(rankOf(detail, place, path)),
    })),
  ];
  return section(
    "Gold files",
    el(
      "p",
      { class: "quiet small" },
      `Rank at which each arm nominates the file; bold within the first ${study.ks[0]}.`,
    ),
    sortableTable({ label: "Gold files", columns, rows: detail.goldPaths }).frame,
  );
}

function rankOf(detail, arm, path) {
  const place = detail.lists[arm].findIndex(([listedPath]) => listedPath === path);
  return place < 0 ? null : place + 1;
}

function rankText(rank) {
  if (rank === null) return el("span", { class: "quiet" }, NOTHING);
  return rank <= study.ks[0] ? el("b", {}, rank) : `${rank}`;
}

const SHOWN_SPANS = 12;
const SHOWN_RANKS = 20;

function goldFile(row, detail, path) {
  const spans = detail.gold.filter(([file]) => file === path);
  const links = spans
    .slice(0, SHOWN_SPANS)
    .map(([, start, end, aligned], place) => [
      place ? ", " : "lines ",
      externalLink(
        githubUrl(row, detail.paths[path], `#L${start}-L${end}`),
        {},
        start === end ? `${start}` : `${start}–${end}`,
      ),
      aligned === false
        ? el(
            "span",
            { title: "The source at this commit does not hold the annotated text here" },
            "*",
          )
        : null,
    ]);
  const more = spans.length > SHOWN_SPANS ? ` and ${spans.length - SHOWN_SPANS} more` : null;
  return [pathLabel(row, detail.paths[path]), el("div", { class: "small quiet" }, links, more)];
}

function listsSection(row, detail) {
  const columns = el(
    "div",
    { class: "lists", role: "region", "aria-label": "Nominated files", tabindex: "0" },
    arms.map((_, arm) => listOf(row, detail, arm)),
  );
  columns.addEventListener("pointerover", (event) =>
    markSame(columns, event.target.closest("li")?.dataset.path),
  );
  columns.addEventListener("pointerleave", () => markSame(columns, undefined));
  return section(
    "What each arm nominated",
    el(
      "p",
      { class: "quiet small" },
      goldMark(),
      ` marks gold files. The line after rank ${study.ks[0]} ends what the main scores count.`,
    ),
    columns,
  );
}

function markSame(columns, path) {
  for (const item of columns.querySelectorAll("li"))
    item.classList.toggle("same", path !== undefined && item.dataset.path === path);
}

function listOf(row, detail, arm) {
  const gold = new Set(detail.goldPaths);
  const items = detail.lists[arm];
  const found = items.slice(0, study.ks[0]).filter(([path]) => gold.has(path)).length;
  const shown = items.map(([path, score], place) =>
    listItem(row, detail, { path, score, place, isGold: gold.has(path) }),
  );
  return el(
    "section",
    {},
    el("h3", {}, armNames[arm]),
    el("p", { class: "small quiet" }, `${found} of ${gold.size} gold in the first ${study.ks[0]}`),
    errorText(detail, arm),
    el("ol", {}, shown.slice(0, SHOWN_RANKS)),
    items.length > SHOWN_RANKS
      ? disclosed(
          `Ranks ${SHOWN_RANKS + 1} to ${items.length}`,
          el("ol", {}, shown.slice(SHOWN_RANKS)),
        )
      : null,
    items.length ? null : el("p", { class: "small quiet" }, "Nothing nominated."),
  );
}

function errorText(detail, arm) {
  const error = operationOf(detail, arm, "error");
  return error ? el("p", { class: "failed" }, `Failed: ${error}`) : null;
}

function listItem(row, detail, { path, score, place, isGold }) {
  const rank = place + 1;
  const classes = [
    isGold ? "gold" : "",
    rank > study.ks[0] ? "beyond" : "",
    rank === study.ks[0] ? "last" : "",
  ];
  return el(
    "li",
    { class: classes.join(" ").trim() || null, "data-path": path, title: `score ${score}` },
    el("span", { class: "rank" }, rank),
    stackedPath(row, detail.paths[path]),
    isGold ? goldMark() : null,
  );
}

function operationOf(detail, arm, name) {
  return detail.operations[arm][catalogue.operations.indexOf(name)] ?? null;
}
