// How an arm that asks a model came to its list: menus, probabilities, what it left.

function walksSection(row, detail) {
  const walked = arms.map((arm, place) => [arm, detail.walks[place]]).filter(([, steps]) => steps.length);
  if (!walked.length) return null;
  return section(
    "How the model chose",
    el("p", { class: "quiet small" }, "Steps in the order they were taken, with the model's probabilities. Orange tells where the way to a gold file was left."),
    walked.map(([arm, steps], place) =>
      el("details", { open: place === 0 },
        el("summary", {}, el("h3", {}, arm.name), el("span", { class: "quiet" }, ` ${walkWords(steps)}`)),
        arm.stand_in === "own" ? el("p", { class: "note" }, STAND_IN_WORDS.own) : null,
        el("ol", { class: "walk" }, steps.map((step) => stepItem(row, detail, step))))),
  );
}

function walkWords(steps) {
  const menus = steps.filter(([kind]) => kind === "menu");
  const files = steps.filter(([kind]) => kind === "file").length;
  const stop = steps.find(([kind]) => kind === "stop");
  const offered = menus.reduce((sum, [, , options]) => sum + options, 0);
  return `${counted(menus.length, "menu")}, ${counted(offered, "option")}, ${counted(files, "file")}${stop ? `; ended by: ${stop[1]}` : ""}`;
}

const STEP_ITEMS = { enter: enterStep, menu: menuStep, file: fileStep, skip: skipStep, stop: stopStep };

function stepItem(row, detail, step) {
  const [kind, ...values] = step;
  const item = el("li", {}, STEP_ITEMS[kind](row, detail, ...values));
  item.style.marginInlineStart = `${depthOf(detail, step) * 1.1}rem`;
  return item;
}

// Files and skipped entries stand below their directory; a tournament has no depth.
function depthOf(detail, [kind, value, depth]) {
  if (kind === "enter") return Math.max(0, depth);
  if (kind === "file" || kind === "skip") return hasDepth(detail) ? detail.paths[value].split("/").length : 0;
  return kind === "menu" && hasDepth(detail) && !/^\d+(\/\d+)?$/.test(value) && value !== "." ? value.split("/").length : 0;
}

function hasDepth(detail) {
  return detail.walks.some((steps) => steps.some(([kind]) => kind === "enter"));
}

function enterStep(row, detail, path, depth, probability) {
  const name = detail.paths[path];
  return [el("span", { class: "path" }, el("b", {}, name === "." ? "/" : `${name.split("/").at(-1)}/`)), likely(probability)];
}

function fileStep(row, detail, path, rank, probability) {
  const isGold = detail.goldPaths.includes(path);
  return [el("b", { class: "place" }, rank), walkedPath(row, detail, path), isGold ? el("span", { class: "gold-mark", role: "img", "aria-label": "gold file" }, " ●") : null, likely(probability)];
}

function skipStep(row, detail, path, reason) {
  return [walkedPath(row, detail, path), el("span", { class: "quiet" }, ` left out: ${reason}`)];
}

// Inside a walk the directories stand above; elsewhere the whole path is needed.
function walkedPath(row, detail, path) {
  const name = detail.paths[path];
  if (!hasDepth(detail)) return pathLabel(row, name);
  return externalLink(githubUrl(row, name), { class: "path", title: name }, el("b", {}, name.split("/").at(-1)));
}

function stopStep(row, detail, reason) {
  return el("span", { class: "quiet" }, `End: ${reason}`);
}

function menuStep(row, detail, label, offered, kept, none, options) {
  const lost = options.filter(([, , isKept, leads]) => leads && !isKept);
  return el("details", {},
    el("summary", {}, `${label === "." ? "Root" : /^\d+(\/\d+)?$/.test(label) ? `Menu ${label}` : "Menu"}: ${kept} of ${counted(offered, "option")} kept`,
      none === null ? null : el("span", { class: "quiet" }, `, none of these ${chance(none)}`),
      lost.length ? el("span", { class: "lost" }, `; left on the way to gold: ${lost.map(([path, probability]) => `${detail.paths[path].split("/").at(-1)} ${chance(probability)}`).join(", ")}`) : null),
    optionTable(row, detail, options),
    offered > options.length ? el("p", { class: "small quiet" }, `${whole(offered - options.length)} less likely ones are not shown.`) : null);
}

function optionTable(row, detail, options) {
  const best = Math.max(...options.map(([, probability]) => probability ?? 0), 1e-9);
  return el("table", { class: "options" }, el("tbody", {}, options.map(([path, probability, kept, leads]) =>
    el("tr", {},
      el("td", {}, leads ? el("span", { class: "gold-mark", role: "img", "aria-label": "leads to gold" }, "● ") : null, el("span", { class: "path" }, el(kept ? "b" : "span", {}, detail.paths[path]))),
      el("td", {}, likely(probability, best)),
      el("td", { class: leads && !kept ? "lost" : "quiet" }, kept ? "kept" : "left")))));
}

function likely(probability, best = 1) {
  if (isMissing(probability)) return null;
  return el("span", { class: "chance" }, track(probability / best), chance(probability));
}
