// Paired differences between arms, with their intervals.

function differencesSection() {
  if (!catalogue.statistics.length) return null;
  const keys = [...new Set(catalogue.statistics.map((row) => `${row.metric}@${row.k}`))];
  const place = el("div");
  const draw = (key) =>
    place.replaceChildren(
      differencesTable(catalogue.statistics.filter((row) => `${row.metric}@${row.k}` === key)),
    );
  const first = keys.find((key) => key === `file_recall@${study.ks[0]}`) ?? keys[0];
  draw(first);
  const options = keys.map((key) => [key, metricName(key)]);
  return section(
    "Paired differences",
    el(
      "p",
      { class: "quiet small" },
      "Arm minus comparator over the same cases. Intervals resample repositories, because ",
      "issues of one repository are not independent; a diamond is the mean, blue where the ",
      "whole interval lies above zero, orange where below.",
    ),
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
  const bounds = rows.flatMap((row) => [Math.abs(row.lower), Math.abs(row.upper)]);
  const reach = Math.max(0.01, ...bounds);
  const columns = [
    { heading: "Arm", head: true, value: (row) => row.arm },
    { heading: "Comparator", value: (row) => row.comparator },
    differenceColumn("Difference", "delta", (row) => signed(row.delta)),
    { heading: "", value: null, cell: (row) => forest(row, reach) },
    differenceColumn("95 % interval", "lower", (row) => interval(row.lower, row.upper)),
    differenceColumn("Won", "wins", (row) => pairLink(row, "won", row.wins)),
    differenceColumn("Tied", "ties", (row) => pairLink(row, "tied", row.ties)),
    differenceColumn("Lost", "losses", (row) => pairLink(row, "lost", row.losses)),
    differenceColumn("p", "p", (row) => fixed(row.p, 4)),
  ];
  return sortableTable({ label: "Paired differences", columns, rows }).frame;
}

function differenceColumn(heading, name, cell) {
  return { heading, number: true, value: (row) => row[name], cell };
}

// The cases behind a count, compared by the same score.
function pairLink({ arm, comparator, metric, k }, outcome, count) {
  const keys = { file_recall: `files/${k}`, line_recall: `lines/${k}/${study.budget}` };
  const score = keys[metric] ?? "";
  return el(
    "a",
    { href: address("cases", { a: arm, b: comparator, score, outcome }) },
    whole(count),
  );
}
