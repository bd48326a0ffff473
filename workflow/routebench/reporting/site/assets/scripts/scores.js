// Scores of cases: what can be compared, and who is ahead.

function fileMetric(k) {
  const found = catalogue.scores.found[k];
  return {
    key: `files/${k}`,
    label: `File recall@${k}`,
    value: (row, arm) => found[row.number][arm] / row.gold_files,
  };
}

function lineMetric(key) {
  const [k, budget] = key.split("/");
  const recalls = catalogue.scores.lines[key];
  return {
    key: `lines/${key}`,
    label: `Line recall@${k}, ${whole(Number(budget))} tokens`,
    value: (row, arm) => recalls[row.number][arm],
  };
}

function lineKeys() {
  return study.ks.flatMap((k) =>
    Object.keys(catalogue.scores.lines).filter((key) => key.startsWith(`${k}/`)),
  );
}

const metrics = [...study.ks.map(fileMetric), ...lineKeys().map(lineMetric)];

function metricOf(key) {
  return metrics.find((metric) => metric.key === key) ?? metrics[0];
}

function metricChooser(chosen, onchange) {
  return chooser(
    metrics.map((metric) => [metric.key, metric.label]),
    chosen,
    onchange,
  );
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

const OUTCOMES = { won: "▲ won", lost: "▼ lost", tied: "= tied" };
const OUTCOME_CLASSES = { won: "ahead", lost: "behind", tied: "level" };

function outcomeOf(difference) {
  return difference > 0 ? "won" : difference < 0 ? "lost" : "tied";
}

// The pair of arms that lists of cases begin with: the study's main comparison.
function mainPair() {
  const [arm, comparator] = study.comparisons[0] ?? [];
  const first = arms.findIndex((one) => one.family === arm);
  const second = arms.findIndex((one) => one.family === comparator);
  return first < 0 || second < 0 ? [0, Math.min(1, arms.length - 1)] : [first, second];
}
