// The list of cases: filtered, sorted, two arms compared in each.

const FILTERS = ["text", "language", "repo", "aligned", "spread", "outcome"];
const YES_NO = [
  ["", "Any"],
  ["yes", "Yes"],
  ["no", "No"],
  ["unknown", "Not known"],
];

// Cases in the order in which the list last showed them, for stepping through.
let stepping = cases;
// What the list was last asked to show, so that links lead back to it.
let listChoice = {};

function casesPage(parameters) {
  const choice = Object.fromEntries(
    [...FILTERS, "a", "b", "score"].map((name) => [name, parameters.get(name) ?? ""]),
  );
  const tally = el("p", { class: "tally", role: "status" });
  const place = el("div");
  let table = null;

  function redraw() {
    table = caseTable(comparison(choice));
    place.replaceChildren(table.frame);
    refilter();
  }

  function refilter() {
    const compared = comparison(choice);
    const shown = cases.filter((row) => passes(row, choice, compared));
    table.show(shown);
    tally.replaceChildren(...tallyOf(shown, compared), clearLink(choice));
    listChoice = { ...choice };
    history.replaceState(null, "", address("cases", choice));
  }

  const set = (name, then) => (value) => {
    choice[name] = value;
    then();
  };
  const page = [
    el("h1", {}, "Cases"),
    comparisonControls(choice, set, redraw),
    filterControls(choice, set, refilter),
    tally,
    place,
  ];
  redraw();
  return page;
}

function comparison(choice) {
  const [first, second] = mainPair();
  return {
    a: armPlace(choice.a, first),
    b: armPlace(choice.b, second),
    metric: metricOf(choice.score),
  };
}

// An arm by its name; of repeats, which share a name in comparisons, the first.
function armPlace(name, otherwise) {
  const exact = armNames.indexOf(name);
  const place = exact < 0 ? arms.findIndex((arm) => arm.family === name) : exact;
  return place < 0 ? otherwise : place;
}

function differenceIn(row, { a, b, metric }) {
  return metric.value(row, a) - metric.value(row, b);
}

function comparisonControls(choice, set, redraw) {
  const compared = comparison(choice);
  const options = armNames.map((name) => [name, name]);
  return el(
    "div",
    { class: "controls" },
    labelled("Arm", chooser(options, armNames[compared.a], set("a", redraw))),
    labelled("against", chooser(options, armNames[compared.b], set("b", redraw))),
    labelled("by", metricChooser(compared.metric.key, set("score", redraw))),
    labelled(
      "Outcome",
      chooser(
        [
          ["", "Any"],
          ["won", "Won"],
          ["lost", "Lost"],
          ["tied", "Tied"],
        ],
        choice.outcome,
        set("outcome", redraw),
      ),
    ),
  );
}

function filterControls(choice, set, refilter) {
  const search = el("input", {
    type: "search",
    value: choice.text,
    placeholder: "Id, repository or issue text",
    oninput: () => set("text", refilter)(search.value),
  });
  const distinct = (name) => [
    ["", "Any"],
    ...[...new Set(cases.map((row) => row[name]))].sort(compareText).map((value) => [value, value]),
  ];
  return el(
    "div",
    { class: "controls" },
    labelled("Search", search),
    labelled("Language", chooser(distinct("language"), choice.language, set("language", refilter))),
    labelled("Repository", chooser(distinct("repo"), choice.repo, set("repo", refilter))),
    labelled("Annotation aligned", chooser(YES_NO, choice.aligned, set("aligned", refilter))),
    labelled(
      "Gold in several directories",
      chooser(YES_NO.slice(0, 3), choice.spread, set("spread", refilter)),
    ),
  );
}

function answerOf(value) {
  return value === null ? "unknown" : value ? "yes" : "no";
}

function passes(row, choice, compared) {
  return (
    (!choice.language || row.language === choice.language) &&
    (!choice.repo || row.repo === choice.repo) &&
    (!choice.aligned || answerOf(row.aligned) === choice.aligned) &&
    (!choice.spread || answerOf(row.several_directories) === choice.spread) &&
    (!choice.outcome || outcomeOf(differenceIn(row, compared)) === choice.outcome) &&
    holdsText(row, choice.text)
  );
}

const haystacks = new Map();

function holdsText(row, text) {
  if (!text) return true;
  if (!haystacks.has(row))
    haystacks.set(row, `${row.case_id}\n${row.repo}\n${row.query}`.toLowerCase());
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystacks.get(row).includes(word));
}

function tallyOf(shown, compared) {
  const counts = { won: 0, tied: 0, lost: 0 };
  for (const row of shown) counts[outcomeOf(differenceIn(row, compared))] += 1;
  const difference = mean(shown.map((row) => differenceIn(row, compared)));
  const extent =
    shown.length === cases.length
      ? `All ${counted(shown.length, "case")}`
      : `${whole(shown.length)} of ${counted(cases.length, "case")}`;
  return [
    el("strong", {}, extent),
    `: ${armNames[compared.a]} ahead of ${armNames[compared.b]} in ${counts.won}, `,
    `level in ${counts.tied}, behind in ${counts.lost}`,
    difference === null ? "." : `; mean difference ${signed(difference)}.`,
  ];
}

// Takes back the filters and keeps the comparison.
function clearLink({ a, b, score, ...filters }) {
  const isFiltered = Object.values(filters).some(Boolean);
  return isFiltered ? el("a", { href: address("cases", { a, b, score }) }, "Clear filters") : "";
}

const FACT_COLUMNS = [
  { heading: "Repository", value: (row) => row.repo },
  { heading: "Language", value: (row) => row.language },
  { heading: "Gold files", number: true, value: (row) => row.gold_files },
  { heading: "Several directories", value: (row) => (row.several_directories ? "yes" : "no") },
  {
    heading: "Aligned",
    value: (row) => ({ yes: "yes", no: "no", unknown: NOTHING })[answerOf(row.aligned)],
  },
];

function caseTable(compared) {
  const { a, b, metric } = compared;
  const columns = [
    {
      heading: "Case",
      value: (row) => row.case_id,
      class: "case",
      cell: (row) => [caseLink(row), el("div", { class: "line" }, firstLine(row))],
    },
    scoreColumn(metric, a, "ahead"),
    scoreColumn(metric, b, "behind"),
    {
      heading: "Difference",
      number: true,
      value: (row) => differenceIn(row, compared),
      cell: (row) => outcomeCell(differenceIn(row, compared)),
    },
    {
      heading: "All arms",
      value: (row) => mean(arms.map((_, arm) => metric.value(row, arm))),
      number: true,
      cell: (row) => armColumns(row, metric, [a, b]),
    },
    ...FACT_COLUMNS,
  ];
  const sorted = (rows) => {
    stepping = rows;
  };
  return sortableTable({ label: "Cases", columns, rows: cases, sorted });
}

function scoreColumn(metric, arm, colour) {
  return {
    heading: [el("span", { class: `key ${colour}`, "aria-hidden": "true" }, "■"), armNames[arm]],
    number: true,
    value: (row) => metric.value(row, arm),
    cell: (row) => fixed(metric.value(row, arm), 2),
  };
}

function outcomeCell(difference) {
  const outcome = outcomeOf(difference);
  return el(
    "span",
    { class: `outcome ${OUTCOME_CLASSES[outcome]}` },
    outcome === "tied" ? "=" : `${OUTCOMES[outcome][0]} ${signed(difference, 2)}`,
  );
}
