// Small drawings inside tables. Widths are set by script: the page's policy allows no style
// attributes.

function track(share) {
  const fill = el("i");
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: "track", "aria-hidden": "true" }, fill);
}

function measure(value, isBest = false) {
  if (isMissing(value)) return NOTHING;
  return el(
    "span",
    { class: "measure" },
    track(value),
    el("span", { class: isBest ? "best" : null }, fixed(value)),
  );
}

// A difference with its interval on an axis from -reach to +reach.
function forest(row, reach) {
  const x = (value) => 100 + (value / reach) * 92;
  const sure =
    row.lower === null ? "neutral" : row.lower > 0 ? "hit" : row.upper < 0 ? "miss" : "neutral";
  const colour = { hit: "var(--blue)", miss: "var(--vermilion)", neutral: "var(--quiet)" }[sure];
  return shape(
    "svg",
    { class: "forest", viewBox: "0 0 200 20", "aria-hidden": "true" },
    shape("line", { x1: 100, x2: 100, y1: 0, y2: 20, stroke: "var(--line)" }),
    shape("line", {
      x1: x(row.lower ?? row.delta),
      x2: x(row.upper ?? row.delta),
      y1: 10,
      y2: 10,
      stroke: colour,
      "stroke-width": 2,
    }),
    shape("rect", {
      x: x(row.delta) - 3.5,
      y: 6.5,
      width: 7,
      height: 7,
      fill: colour,
      transform: `rotate(45 ${x(row.delta)} 10)`,
    }),
  );
}

// One column per arm, its height the score; the two compared ones stand out.
function armColumns(row, metric, chosen) {
  const width = 5;
  const values = arms.map((_, arm) => metric.value(row, arm));
  const bars = values.map((value, arm) => {
    const height = Math.max(1, value * 16);
    const fill =
      arm === chosen[0] ? "var(--blue)" : arm === chosen[1] ? "var(--vermilion)" : "var(--quiet)";
    return shape("rect", { x: arm * (width + 2), y: 17 - height, width, height, fill });
  });
  const said = values.map((value, arm) => `${armNames[arm]} ${fixed(value, 2)}`).join(", ");
  const size = arms.length * (width + 2);
  return shape(
    "svg",
    {
      class: "columns",
      viewBox: `0 0 ${size} 17`,
      width: size,
      height: 17,
      role: "img",
      "aria-label": said,
    },
    shape("title", {}, said),
    bars,
  );
}

function drawing(name) {
  const template = [...document.querySelectorAll("template.drawing")].find(
    (one) => one.dataset.name === name,
  );
  return template.content.firstElementChild.cloneNode(true);
}

const drawings = [...document.querySelectorAll("template.drawing")].map((one) => one.dataset.name);

function goldMark(label = "gold file") {
  return el("span", { class: "gold-mark", role: "img", "aria-label": label }, "●");
}
