// Pages by their address after the "#", the bar above them, light and dark.

const PAGES = [
  ["", "Overview", () => startPage()],
  ["arms", "Arms", () => armsPage(), (name) => `arm-${name}`],
  ["repositories", "Repositories", (_, parameters) => repositoriesPage(parameters)],
  ["cases", "Cases", (_, parameters) => casesPage(parameters)],
  ["tables", "Tables", () => sheetsPage(), (name) => `sheet-${name}`],
  ["case", null, (id) => casePage(id)],
];
const main = document.getElementById("main");

function readAddress() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  return { name, item: decoded(rest.join("/")), parameters: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function showPage() {
  const { name, item, parameters } = readAddress();
  const page = PAGES.find(([known]) => known === name) ?? PAGES[0];
  const [, title, draw, anchor] = page;
  main.replaceChildren(...draw(item, parameters).flat(Infinity).filter(Boolean));
  showBar(name === "case" ? "cases" : page[0]);
  document.title = `${item || title} · ${study.name} · routebench`;
  const target = anchor && item ? document.getElementById(anchor(item)) : null;
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
}

function showBar(current) {
  const links = PAGES.filter(([, title]) => title).map(([name, title]) =>
    el(
      "a",
      {
        href: name === "cases" ? address(name, listChoice) : address(name),
        "aria-current": name === current ? "page" : null,
      },
      title,
    ),
  );
  document.getElementById("pages").replaceChildren(...links);
}

// What the reader chose is kept where the browser lets a page from disk keep anything.
const THEMES = ["auto", "light", "dark"];

function storedTheme() {
  try {
    return localStorage.getItem("routebench-theme") ?? THEMES[0];
  } catch {
    return THEMES[0];
  }
}

function applyTheme(theme) {
  if (theme === THEMES[0]) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const toggle = document.getElementById("theme");
  toggle.replaceChildren("◐ ", el("span", {}, theme));
  toggle.setAttribute("aria-label", `Theme: ${theme}`);
  toggle.dataset.theme = theme;
}

function nextTheme() {
  const theme =
    THEMES[(THEMES.indexOf(document.getElementById("theme").dataset.theme) + 1) % THEMES.length];
  applyTheme(theme);
  try {
    localStorage.setItem("routebench-theme", theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}

applyTheme(storedTheme());
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("footer").append(study.provenance);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  showPage();
  main.focus({ preventScroll: true });
});
showPage();
