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
  return el("dl", { class: "facts" }, facts.map(([value, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

// One sentence: the main comparison, in words.
function answer() {
  const k = study.ks[0];
  const [arm, comparator] = study.comparisons[0] ?? [];
  const row = catalogue.statistics.find(
    (one) => one.arm === arm && one.comparator === comparator && one.metric === "file_recall" && one.k === k,
  );
  if (!row) return null;
  const verb = row.lower > 0 ? "finds more gold files than" : row.upper < 0 ? "finds fewer gold files than" : "is not told apart from";
  return el(
    "p",
    { class: "answer" },
    `Within ${k} candidates, `, el("strong", {}, arm), ` ${verb} `, el("strong", {}, comparator),
    `: file recall differs by ${signed(row.delta)}, 95 % interval ${signed(row.lower)} to ${signed(row.upper)}, over `,
    `${counted(row.n_cases, "case")} of ${counted(row.n_clusters, "repository", "repositories")}. It is ahead in `,
    el("a", { href: pairAddress(arm, comparator, "won") }, `${row.wins}`), " cases, level in ",
    el("a", { href: pairAddress(arm, comparator, "tied") }, `${row.ties}`), " and behind in ",
    el("a", { href: pairAddress(arm, comparator, "lost") }, `${row.losses}`), ".",
  );
}

function pairAddress(arm, comparator, outcome = "") {
  return address("cases", { a: arm, b: comparator, outcome });
}

function standInNote() {
  const own = arms.filter((arm) => arm.stand_in === "own").map((arm) => arm.name);
  const made = arms.filter((arm) => arm.stand_in === "source").map((arm) => arm.name);
  if (!own.length) return null;
  const fused = made.length ? ` ${listed(made)} ${made.length === 1 ? "builds" : "build"} on ${own.length === 1 ? "it" : "them"}.` : "";
  return el(
    "p",
    { class: "note" },
    `${listed(own)} asked the free stand-in for a model, static word vectors, and not a language model. `,
    `Their numbers show that the pipeline runs; they say nothing about these methods with a real model.${fused}`,
  );
}

function mainSection() {
  const k = study.ks[0];
  const place = el("div");
  const draw = (chosen) => place.replaceChildren(mainTable(Number(chosen)));
  draw(k);
  const control = chooser(study.ks.map((one) => [one, `k = ${one}`]), k, draw);
  return section(
    "What each arm finds",
    el("p", { class: "quiet small" },
      `Means over the cases, each with equal weight; a failed case counts as an empty ranking. The difference is to ${study.comparator}, with its 95 % interval over repositories, where the study compares the two.`),
    standInNote(),
    study.ks.length > 1 ? el("div", { class: "controls" }, labelled("Candidates", control)) : null,
    place,
  );
}

function mainTable(k) {
  const rows = catalogue.summary.filter((row) => row.k === k);
  const best = (name) => Math.max(...rows.map((row) => row[name] ?? 0));
  const number = (name, heading, show) => ({ heading, number: true, value: (row) => row[name], cell: (row) => show(row[name]) });
  const share = (name, heading) => ({ ...number(name, heading), cell: (row) => measure(row[name], row[name] === best(name)) });
  const columns = [
    { heading: "Arm", head: true, value: (row) => row.arm, cell: (row) => armLink(row.arm) },
    share("file_recall", "File recall"),
    number("complete_files", "Complete", whole),
    number("micro_recall", "Micro recall", fixed),
    share("line_recall", "Line recall"),
    number("complete_lines", "Complete lines", whole),
    number("context_tokens", "Context tokens", whole),
    number("failures", "Failed", whole),
    { heading: `File recall minus ${study.comparator}`, number: true, value: (row) => toComparator(row.arm, k)?.delta, cell: (row) => differenceText(toComparator(row.arm, k)) },
  ].filter((column) => rows.some((row) => !isMissing(column.value(row))));
  return sortableTable({ label: "What each arm finds", columns, rows }).frame;
}

function armLink(name) {
  return el("a", { href: `#/arms/${encodeURIComponent(name)}` }, name);
}

function toComparator(arm, k) {
  return catalogue.statistics.find(
    (row) => row.arm === arm && row.comparator === study.comparator && row.metric === "file_recall" && row.k === k,
  );
}

function differenceText(row) {
  return row ? `${signed(row.delta)} ${interval(row.lower, row.upper)}` : NOTHING;
}

function differencesSection() {
  if (!catalogue.statistics.length) return null;
  const keys = [...new Set(catalogue.statistics.map((row) => `${row.metric}@${row.k}`))];
  const place = el("div");
  const draw = (key) => place.replaceChildren(differencesTable(catalogue.statistics.filter((row) => `${row.metric}@${row.k}` === key)));
  const first = keys.find((key) => key === `file_recall@${study.ks[0]}`) ?? keys[0];
  draw(first);
  const options = keys.map((key) => [key, metricName(key)]);
  return section(
    "Paired differences",
    el("p", { class: "quiet small" },
      "Arm minus comparator over the same cases. Intervals resample repositories, because issues of one repository are not independent; a diamond is the mean, blue where the whole interval lies above zero, orange where below."),
    el("div", { class: "controls" }, labelled("Score", chooser(options, first, draw))),
    place,
  );
}

function metricName(key) {
  const [name, k] = key.split("@");
  const text = name.replaceAll("_", " ");
  return `${text[0].toUpperCase()}${text.slice(1)}@${k}`;
}

function differencesTable(rows) {
  const reach = Math.max(0.01, ...rows.flatMap((row) => [Math.abs(row.lower), Math.abs(row.upper)]));
  const number = (heading, value, cell) => ({ heading, number: true, value, cell });
  const columns = [
    { heading: "Arm", head: true, value: (row) => row.arm },
    { heading: "Comparator", value: (row) => row.comparator },
    number("Difference", (row) => row.delta, (row) => signed(row.delta)),
    { heading: "", value: null, cell: (row) => forest(row, reach) },
    number("95 % interval", (row) => row.lower, (row) => interval(row.lower, row.upper)),
    number("Won", (row) => row.wins, (row) => el("a", { href: pairAddress(row.arm, row.comparator, "won") }, whole(row.wins))),
    number("Tied", (row) => row.ties, (row) => el("a", { href: pairAddress(row.arm, row.comparator, "tied") }, whole(row.ties))),
    number("Lost", (row) => row.losses, (row) => el("a", { href: pairAddress(row.arm, row.comparator, "lost") }, whole(row.losses))),
    number("p", (row) => row.p, (row) => fixed(row.p, 4)),
  ];
  return sortableTable({ label: "Paired differences", columns, rows }).frame;
}

function figureGrid() {
  return el("div", { class: "drawings" }, drawings.map((name) => {
    const picture = drawing(name);
    return el("figure", {}, el("figcaption", {}, picture.getAttribute("aria-label")), picture);
  }));
}

function verdictSection(verdicts) {
  const [equal, different, missing] = verdicts.counts;
  const columns = [
    { heading: "Published in", head: true, value: (row) => row[0] },
    ...verdicts.statuses.map((status, place) => ({
      heading: status[0].toUpperCase() + status.slice(1),
      number: true,
      value: (row) => row[place + 1],
      cell: (row) => whole(row[place + 1]),
    })),
  ];
  return section(
    "Published numbers",
    el("p", {}, el("strong", {}, `${whole(equal)} equal, ${whole(different)} different`),
      `, ${whole(missing)} not comparable with what this study holds.`),
    verdicts.differences.length ? differingNumbers(verdicts.differences) : null,
    disclosed("By table", sortableTable({ label: "Published numbers by table", columns, rows: verdicts.tables }).frame),
    verdicts.reasons.length ? disclosed("Why numbers are not comparable", reasonTable(verdicts.reasons)) : null,
  );
}

function differingNumbers(rows) {
  const headings = ["Table", "Row", "Column", "Published", "Ours", "Unrounded", "Note", "Source"];
  const columns = headings.map((heading, place) => ({ heading, value: (row) => row[place] }));
  return sortableTable({ label: "Numbers that differ", columns, rows }).frame;
}

function reasonTable(rows) {
  const columns = [
    { heading: "Reason", class: "long", value: (row) => row[0] },
    { heading: "Numbers", number: true, value: (row) => row[1], cell: (row) => whole(row[1]) },
  ];
  return sortableTable({ label: "Why numbers are not comparable", columns, rows }).frame;
}

function disclosed(title, ...content) {
  return el("details", {}, el("summary", {}, title), ...content);
}

function exclusionSection() {
  const rows = catalogue.exclusions;
  const stages = new Map();
  for (const row of rows) stages.set(row.stage, (stages.get(row.stage) ?? 0) + 1);
  if (!rows.length) return section("Left out", el("p", {}, "No case was left out."));
  const said = [...stages].map(([stage, count]) => `${count} (${stage})`);
  const columns = [
    { heading: "Case", class: "mono wrap", value: (row) => row.case_id },
    { heading: "Repository", value: (row) => row.repo },
    { heading: "Stage", value: (row) => row.stage },
    { heading: "Reason", class: "long", value: (row) => row.reason },
  ];
  return section(
    "Left out",
    el("p", {}, `${counted(rows.length, "case")}, by stage: ${listed(said)}. They are in no mean and are never replaced.`),
    disclosed("Every case with its reason", sortableTable({ label: "Cases left out", columns, rows }).frame),
  );
}
