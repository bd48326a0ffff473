// What the numbers rest on: published values beside ours, and the cases left out.

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
    el(
      "p",
      {},
      el("strong", {}, `${whole(equal)} equal, ${whole(different)} different`),
      `, ${whole(missing)} not comparable with what this study holds.`,
    ),
    verdicts.differences.length ? differingNumbers(verdicts.differences) : null,
    disclosed(
      "By table",
      sortableTable({ label: "Published numbers by table", columns, rows: verdicts.tables }).frame,
    ),
    verdicts.reasons.length
      ? disclosed("Why numbers are not comparable", reasonTable(verdicts.reasons))
      : null,
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
    el(
      "p",
      {},
      `${counted(rows.length, "case")}, by stage: ${listed(said)}. `,
      "They are in no mean and are never replaced.",
    ),
    disclosed(
      "Every case with its reason",
      sortableTable({ label: "Cases left out", columns, rows }).frame,
    ),
  );
}
