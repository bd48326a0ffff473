// Every table of the study.

function sheetSection(sheet) {
  return el(
    "section",
    { id: `sheet-${sheet.name}` },
    el("h2", {}, sheet.title),
    el("p", { class: "quiet small" }, sheet.caption),
    sheetTable(sheet),
  );
}

function sheetsPage() {
  return [
    el("h1", {}, "Tables"),
    el(
      "p",
      {},
      "The same tables stand beside this report as CSV at full precision, Markdown and LaTeX.",
    ),
    el(
      "ul",
      { class: "contents" },
      catalogue.sheets.map((sheet) =>
        el("li", {}, el("a", { href: `#/tables/${sheet.name}` }, sheet.title)),
      ),
    ),
    catalogue.sheets.map(sheetSection),
  ];
}
