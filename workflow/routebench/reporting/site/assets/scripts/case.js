// The page of one case: the issue, and what every arm made of it.

function casePage(id) {
  const row = cases[casePlaces.get(id)];
  if (!row)
    return [
      el("h1", {}, "No such case"),
      el("p", {}, el("a", { href: address("cases") }, "All cases")),
    ];
  const place = el("div", {}, el("p", { class: "quiet" }, "Loading the case …"));
  loadCase(row.number).then(
    (detail) => place.replaceChildren(...caseSections(row, detail).filter(Boolean)),
    (error) =>
      place.replaceChildren(
        el(
          "p",
          { class: "failed" },
          `Not found beside this page: ${error.message}. `,
          `Keep the folder ${catalogue.folder} with it.`,
        ),
      ),
  );
  return [
    turning(row),
    el("h1", { class: "title" }, breakable(row.case_id)),
    caseFacts(row),
    issueSection(row),
    place,
  ];
}

function caseSections(row, detail) {
  return [
    goldSection(row, detail),
    listsSection(row, detail),
    contextsSection(row, detail),
    walksSection(row, detail),
    costSection(detail),
  ];
}

// Steps through the cases as the list last showed them.
function turning(row) {
  const order = stepping.includes(row) ? stepping : cases;
  const place = order.indexOf(row);
  const step = (other, text) =>
    other ? el("a", { href: `#/case/${encodeURIComponent(other.case_id)}` }, text) : null;
  return el(
    "div",
    { class: "turn" },
    el("a", { href: address("cases", listChoice) }, "← Cases"),
    el(
      "span",
      {},
      step(order[place - 1], "Previous"),
      `${place + 1} of ${order.length}`,
      step(order[place + 1], "Next"),
    ),
  );
}

function caseFacts(row) {
  const said = {
    yes: "annotation aligned",
    no: "annotation not aligned",
    unknown: "alignment not known",
  };
  const items = [
    [el("a", { href: address("cases", { repo: row.repo }) }, row.repo)],
    [row.language],
    [row.source],
    ["base commit ", externalLink(githubUrl(row), { class: "mono" }, row.base_commit.slice(0, 10))],
    [el("b", {}, counted(row.gold_files, "gold file")), `, ${counted(row.gold_spans, "span")}`],
    [row.several_directories ? "in several directories" : "in one directory"],
    [said[answerOf(row.aligned)]],
    row.difficulty ? [row.difficulty] : null,
    row.names_gold_path
      ? ["the issue names a gold path"]
      : row.names_gold_file
        ? ["the issue names a gold file"]
        : null,
  ];
  return el(
    "ul",
    { class: "chips" },
    items.filter(Boolean).map((item) => el("li", {}, item)),
  );
}

function issueSection(row) {
  if (!row.query)
    return section(
      "Issue",
      el("p", { class: "quiet" }, "The archive of this study does not hold the issue's text."),
    );
  return section(
    "Issue",
    el(
      "div",
      { class: "issue", tabindex: "0", role: "region", "aria-label": "Issue text" },
      issueParts(row.query),
    ),
  );
}

// Marks where arms that read only the first so many characters stop.
function issueParts(text) {
  const characters = [...text];
  const limits = readingLimits().filter(([limit]) => limit < characters.length);
  const parts = [];
  let from = 0;
  for (const [limit, names] of limits) {
    parts.push(
      characters.slice(from, limit).join(""),
      el("span", { class: "limit" }, `character ${whole(limit)}: ${listed(names)} read no further`),
    );
    from = limit;
  }
  return [...parts, characters.slice(from).join("")];
}

function readingLimits() {
  const limits = new Map();
  for (const arm of arms) {
    const limit = new Map(arm.parameters).get("query_characters");
    if (typeof limit === "number") limits.set(limit, [...(limits.get(limit) ?? []), arm.name]);
  }
  return [...limits].sort(([a], [b]) => a - b);
}

const COSTS = [
  ["wall_ms", "Time", duration],
  ["build_ms", "Build", duration],
  ["query_ms", "Query", duration],
  ["calls", "Calls", whole],
  ["input_tokens", "Tokens in", whole],
  ["output_tokens", "Tokens out", whole],
  ["cost_usd", "Cost", dollars],
  ["retries", "Retries", whole],
  ["dropped_paths", "Dropped paths", whole],
  ["tool_errors", "Tool errors", whole],
  ["fallbacks", "Fallbacks", whole],
];

function costSection(detail) {
  const rows = arms.map((_, arm) => arm);
  const used = COSTS.filter(([name]) => rows.some((arm) => operationOf(detail, arm, name)));
  const columns = [
    {
      heading: "Arm",
      head: true,
      value: (arm) => armNames[arm],
      cell: (arm) => armLink(armNames[arm]),
    },
    ...used.map(([name, heading, show]) => ({
      heading,
      number: true,
      value: (arm) => operationOf(detail, arm, name),
      cell: (arm) => show(operationOf(detail, arm, name)),
    })),
    { heading: "Remarks", value: (arm) => remark(detail, arm) },
  ].slice(0, rows.some((arm) => remark(detail, arm)) ? undefined : -1);
  return section("What it cost", sortableTable({ label: "What it cost", columns, rows }).frame);
}

function remark(detail, arm) {
  const error = operationOf(detail, arm, "error");
  if (error) return `failed: ${error}`;
  return operationOf(detail, arm, "truncated") ? "a cap ended the search early" : "";
}
