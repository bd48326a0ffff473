// The start page: what was asked, what came out, what it rests on.

function startPage() {
  return [
    el("p", { class: "eyebrow" }, `Study ${study.name}`),
    el("h1", {}, study.title),
    studyFacts(),
    answer(),
    mainSection(),
    differencesSection(),
    drawings.length ? section("Figures", figureGrid()) : null,
    catalogue.verdicts ? verdictSection(catalogue.verdicts) : null,
    exclusionSection(),
  ];
}

function section(title, ...content) {
  return el("section", {}, el("h2", {}, title), ...content);
}

function studyFacts() {
  const languages = new Set(cases.map((row) => row.language));
  const facts = [
    [whole(cases.length), "cases"],
    [whole(repositories.size), "repositories"],
    [[...languages].sort().join(", "), languages.size === 1 ? "language" : "languages"],
    [whole(arms.length), "arms"],
    [study.ks.join(", "), study.ks.length === 1 ? "candidates (k)" : "candidates (k)"],
    [study.budget ? `${whole(study.budget)} tokens` : "none packed", "context budget"],
  ];
  return el(
    "dl",
    { class: "facts" },
    facts.map(([value, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

// One sentence: the main comparison, in words.
function certainty(row) {
  if (row.lower === null) return " (one repository gives no interval)";
  const p = row.p === null ? "" : `, p ${row.p.toFixed(3)}`;
  return `, 95 % interval ${signed(row.lower)} to ${signed(row.upper)}${p}`;
}

function answer() {
  const k = study.ks[0];
  const [arm, comparator] = study.comparisons[0] ?? [];
  const row = catalogue.statistics.find(
    (one) =>
      one.arm === arm &&
      one.comparator === comparator &&
      one.metric === "file_recall" &&
      one.k === k,
  );
  if (!row) return null;
  const verb =
    row.lower !== null && row.lower > 0
      ? "finds more gold files than"
      : row.upper !== null && row.upper < 0
        ? "finds fewer gold files than"
        : "is not told apart from";
  return el(
    "p",
    { class: "answer" },
    `Within ${k} candidates, `,
    el("strong", {}, arm),
    ` ${verb} `,
    el("strong", {}, comparator),
    `: file recall differs by ${signed(row.delta)}${certainty(row)}, over `,
    `${counted(row.n_cases, "case")} of `,
    `${counted(row.n_clusters, "repository", "repositories")}. It is ahead in `,
    pairLink(row, "won", row.wins),
    " cases, level in ",
    pairLink(row, "tied", row.ties),
    " and behind in ",
    pairLink(row, "lost", row.losses),
    ".",
  );
}

function standInNote() {
  const own = arms.filter((arm) => arm.stand_in === "own").map((arm) => arm.name);
  const made = arms.filter((arm) => arm.stand_in === "source").map((arm) => arm.name);
  if (!own.length) return null;
  const builds = made.length === 1 ? "builds" : "build";
  const them = own.length === 1 ? "it" : "them";
  return el(
    "p",
    { class: "note" },
    `${listed(own)} asked the free stand-in for a model, static word vectors, and not a `,
    "language model. Their numbers show that the pipeline runs; they say nothing about these ",
    "methods with a real model.",
    made.length ? ` ${listed(made)} ${builds} on ${them}.` : null,
  );
}

function mainSection() {
  const k = study.ks[0];
  const place = el("div");
  const draw = (chosen) => place.replaceChildren(mainTable(Number(chosen)));
  draw(k);
  const control = chooser(
    study.ks.map((one) => [one, `k = ${one}`]),
    k,
    draw,
  );
  return section(
    "What each arm finds",
    el(
      "p",
      { class: "quiet small" },
      "Means over the cases, each with equal weight; a failed case counts as an empty ranking. ",
      `The difference is to ${study.comparator}, with its 95 % interval over repositories, `,
      "where the study compares the two.",
    ),
    standInNote(),
    study.ks.length > 1 ? el("div", { class: "controls" }, labelled("Candidates", control)) : null,
    place,
  );
}

function mainTable(k) {
  const rows = catalogue.summary.filter((row) => row.k === k);
  const best = (name) => Math.max(...rows.map((row) => row[name] ?? 0));
  const number = (name, heading, show) => ({
    heading,
    number: true,
    value: (row) => row[name],
    cell: (row) => show(row[name]),
  });
  const share = (name, heading) => ({
    ...number(name, heading),
    cell: (row) => measure(row[name], row[name] === best(name)),
  });
  const columns = [
    { heading: "Arm", head: true, value: (row) => row.arm, cell: (row) => armLink(row.arm) },
    share("file_recall", "File recall"),
    number("complete_files", "Complete", whole),
    number("micro_recall", "Micro recall", fixed),
    share("line_recall", "Line recall"),
    number("complete_lines", "Complete lines", whole),
    number("context_tokens", "Context tokens", whole),
    number("failures", "Failed", whole),
    {
      heading: `File recall minus ${study.comparator}`,
      number: true,
      value: (row) => toComparator(row.arm, k)?.delta,
      cell: (row) => differenceText(toComparator(row.arm, k)),
    },
  ].filter((column) => rows.some((row) => !isMissing(column.value(row))));
  return sortableTable({ label: "What each arm finds", columns, rows }).frame;
}

function armLink(name) {
  return el("a", { href: `#/arms/${encodeURIComponent(name)}` }, name);
}

function toComparator(arm, k) {
  return catalogue.statistics.find(
    (row) =>
      row.arm === arm &&
      row.comparator === study.comparator &&
      row.metric === "file_recall" &&
      row.k === k,
  );
}

function differenceText(row) {
  return row ? `${signed(row.delta)} ${interval(row.lower, row.upper)}` : NOTHING;
}

function figureGrid() {
  return el(
    "div",
    { class: "drawings" },
    drawings.map((name) => {
      const picture = drawing(name);
      return el("figure", {}, el("figcaption", {}, picture.getAttribute("aria-label")), picture);
    }),
  );
}
