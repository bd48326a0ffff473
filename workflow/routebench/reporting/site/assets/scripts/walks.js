// How an arm that asks a model came to its list: menus, probabilities, what it left.

function walksSection(row, detail) {
  const walked = arms
    .map((arm, place) => [arm, detail.walks[place]])
    .filter(([, steps]) => steps.length);
  if (!walked.length) return null;
  return section(
    "How the model chose",
    el(
      "p",
      { class: "quiet small" },
      "Steps in the order they were taken, with the model's probabilities. ",
      "Orange tells where the way to a gold file was left.",
    ),
    walked.map(([arm, steps], place) =>
      el(
        "details",
        { open: place === 0 },
        el(
          "summary",
          {},
          el("h3", {}, arm.name),
          el("span", { class: "quiet" }, ` ${walkWords(steps)}`),
        ),
        arm.stand_in === "own" ? el("p", { class: "note" }, STAND_IN_WORDS.own) : null,
        el("ol", { class: "walk" }, stepItems(row, detail, steps)),
      ),
    ),
  );
}

function walkWords(steps) {
  const menus = steps.filter(([kind]) => kind === "menu");
  const files = steps.filter(([kind]) => kind === "file").length;
  const stop = steps.find(([kind]) => kind === "stop");
  const offered = menus.reduce((sum, [, , options]) => sum + options, 0);
  const counts = [
    counted(menus.length, "menu"),
    counted(offered, "option"),
    counted(files, "file"),
  ].join(", ");
  return stop ? `${counts}; ended by: ${stop[1]}` : counts;
}

const STEP_ITEMS = {
  enter: enterStep,
  menu: menuStep,
  file: fileStep,
  skip: skipStep,
  stop: stopStep,
};

// A walk of a tree is nested, its names short; a tournament has neither directories nor depth.
function stepItems(row, detail, steps) {
  const walk = { row, detail, nested: steps.some(([kind]) => kind === "enter") };
  return steps.map(([kind, ...values]) => {
    const item = el("li", {}, STEP_ITEMS[kind](walk, ...values));
    if (walk.nested) item.style.marginInlineStart = `${depthOf(detail, kind, values) * 1.1}rem`;
    return item;
  });
}

function depthOf(detail, kind, [value]) {
  if (kind === "stop") return 0;
  const path = kind === "menu" ? value : detail.paths[value];
  return path === "." ? 0 : path.split("/").length;
}

function enterStep({ detail }, path, depth, probability) {
  const name = detail.paths[path];
  return [
    el("span", { class: "path" }, el("b", {}, name === "." ? "/" : `${name.split("/").at(-1)}/`)),
    likely(probability),
  ];
}

function fileStep(walk, path, rank, probability) {
  const isGold = walk.detail.goldPaths.includes(path);
  return [
    el("b", { class: "place" }, rank),
    walkedPath(walk, path),
    isGold ? [" ", goldMark()] : null,
    likely(probability),
  ];
}

function skipStep(walk, path, reason) {
  return [walkedPath(walk, path), el("span", { class: "quiet" }, ` left out: ${reason}`)];
}

function stopStep(walk, reason) {
  return el("span", { class: "quiet" }, `End: ${reason}`);
}

// Inside a nested walk the directories stand above; elsewhere the whole path is needed.
function walkedPath({ row, detail, nested }, path) {
  const name = detail.paths[path];
  if (!nested) return pathLabel(row, name);
  return externalLink(
    githubUrl(row, name),
    { class: "path", title: name },
    el("b", {}, name.split("/").at(-1)),
  );
}

function menuStep(walk, label, offered, kept, none, options) {
  return el(
    "details",
    {},
    el(
      "summary",
      {},
      `${walk.nested ? "Menu" : `Menu ${label}`}: ${kept} of ${counted(offered, "option")} kept`,
      none === null ? null : el("span", { class: "quiet" }, `, none of these ${chance(none)}`),
      lostWords(walk, options),
    ),
    optionTable(walk, options),
    offered > options.length
      ? el(
          "p",
          { class: "small quiet" },
          `${whole(offered - options.length)} less likely ones are not shown.`,
        )
      : null,
  );
}

function lostWords({ detail }, options) {
  const lost = options.filter(([, , isKept, leads]) => leads && !isKept);
  if (!lost.length) return null;
  const named = lost.map(
    ([path, probability]) => `${detail.paths[path].split("/").at(-1)} ${chance(probability)}`,
  );
  return el("span", { class: "lost" }, `; left on the way to gold: ${named.join(", ")}`);
}

function optionTable({ detail, nested }, options) {
  const best = Math.max(...options.map(([, probability]) => probability ?? 0), 1e-9);
  const rows = options.map(([path, probability, kept, leads]) => {
    const full = detail.paths[path];
    const name = el(kept ? "b" : "span", {}, nested ? full.split("/").at(-1) : full);
    return el(
      "tr",
      {},
      el(
        "td",
        {},
        leads ? [goldMark("leads to gold"), " "] : null,
        el("span", { class: "path", title: full }, name),
      ),
      el("td", {}, likely(probability, best)),
      el("td", { class: leads && !kept ? "lost" : "quiet" }, kept ? "kept" : "left"),
    );
  });
  return el("table", { class: "options" }, el("tbody", {}, rows));
}

function likely(probability, best = 1) {
  if (isMissing(probability)) return null;
  return el("span", { class: "chance" }, track(probability / best), chance(probability));
}
