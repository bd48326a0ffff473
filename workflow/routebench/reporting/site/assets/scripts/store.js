// The study's data: what every page shares, and the details of cases as they are asked for.

const catalogue = JSON.parse(document.getElementById("catalogue").textContent);
const { study, arms } = catalogue;
const armNames = arms.map((arm) => arm.name);
const repositories = new Map(catalogue.repositories.map((repo) => [repo.name, repo]));
const sheets = new Map(catalogue.sheets.map((sheet) => [sheet.name, sheet]));
const cases = catalogue.cases.case_id.map((id, number) => {
  const row = { number };
  for (const [name, values] of Object.entries(catalogue.cases)) row[name] = values[number];
  return row;
});
const casePlaces = new Map(cases.map((row) => [row.case_id, row.number]));

const details = new Map();
const expected = new Map();

// Side files call this with their case.
globalThis.routebench = {
  receive(number, detail) {
    details.set(number, readable(detail));
    expected.get(number)?.(details.get(number));
  },
};

// Blocks, walks and lists name paths by number; the path is put back where it is used.
function readable(detail) {
  return {
    ...detail,
    goldPaths: [...new Set(detail.gold.map(([path]) => path))],
    lengths: new Map(detail.lengths),
  };
}

function embeddedCase(number) {
  const tag = document.getElementById(`case-${number}`);
  if (tag) routebench.receive(number, JSON.parse(tag.textContent));
  return details.get(number);
}

function loadCase(number) {
  const known = details.get(number) ?? embeddedCase(number);
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    expected.set(number, resolve);
    const script = el("script", { src: `${catalogue.folder}/${number}.js` });
    script.addEventListener("error", () => reject(new Error(script.getAttribute("src"))));
    document.head.append(script);
  });
}

// Links lead to GitHub only, and only for repositories that came from there.
function githubUrl(row, path = "", lines = "") {
  const name = repositories.get(row.repo)?.github;
  if (!name) return null;
  const tail = path.split("/").map(encodeURIComponent).join("/");
  return `https://github.com/${name}/${path ? "blob" : "tree"}/${row.base_commit}/${tail}${lines}`;
}

function externalLink(url, attributes, ...children) {
  if (!url) return el("span", attributes, ...children);
  return el("a", { href: url, rel: "noreferrer", target: "_blank", ...attributes }, ...children);
}

function pathLabel(row, path, lines = "") {
  const { folders, name } = pathParts(path);
  return externalLink(githubUrl(row, path, lines), { class: "path" }, folders, el("b", {}, name));
}

// A path may break after its slashes.
function pathParts(path) {
  const parts = path.split("/");
  const name = parts.pop();
  const broken = parts.map((part) => [`${part}/`, el("wbr")]);
  return { folders: parts.length ? el("span", {}, broken) : null, name };
}

// The file name first, its directory below: names are what is read, and columns are narrow.
function stackedPath(row, path) {
  const { folders, name } = pathParts(path);
  return externalLink(
    githubUrl(row, path),
    { class: "path stacked", title: path },
    el("b", {}, name),
    folders,
  );
}

function caseLink(row) {
  return el(
    "a",
    { href: `#/case/${encodeURIComponent(row.case_id)}`, class: "mono wrap" },
    breakable(row.case_id),
  );
}

// Ids such as "a__b__c" may break after their underscores.
function breakable(id) {
  return id.split("__").flatMap((part, place) => (place ? ["__", el("wbr"), part] : [part]));
}

// The first line that says something; some datasets write line ends as a backslash and an n.
function firstLine(row) {
  const lines = row.query.split(/\n|\\n/).map((line) => line.replace(/^[#*"\s]+/, "").trim());
  return lines.find((line) => line.length > 8) ?? lines[0];
}

// Addresses inside the report: "#/cases?repo=a%2Fb".
function address(page, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null);
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}
