// Tables that scroll inside their own frame and sort by buttons in their headings.

// A column: heading, number (right-aligned), value(row) to sort by, cell(row) to show.
function sortableTable({ label, columns, rows, sorted = null, initial = 0 }) {
  const body = el("tbody");
  const heads = columns.map((column, place) => headOf(column, () => sortBy(place)));
  let place = null;
  let down = false;
  let current = rows;

  function sortBy(chosen) {
    down = chosen === place ? !down : Boolean(columns[chosen].number);
    place = chosen;
    draw();
  }

  function draw() {
    const ordered = place === null ? current : inOrder(current, columns[place], down);
    body.replaceChildren(...ordered.map((row) => rowOf(columns, row)));
    if (!ordered.length) body.append(emptyRow(columns.length));
    heads.forEach((head, index) => {
      if (index === place) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    sorted?.(ordered);
  }

  draw();
  const table = el("table", {}, el("thead", {}, el("tr", {}, heads)), body);
  return {
    frame: scrolled(label, table),
    show(shown) {
      current = shown;
      draw();
    },
  };
}

function scrolled(label, content) {
  return el(
    "div",
    { class: "scroll", role: "region", "aria-label": label, tabindex: "0" },
    content,
  );
}

function headOf(column, sort) {
  const name = column.value
    ? el("button", { type: "button", onclick: sort }, column.heading)
    : column.heading;
  const classes = [column.number ? "number" : "", column.head ? "pin" : ""].join(" ").trim();
  return el("th", { scope: "col", class: classes || null }, name);
}

function rowOf(columns, row) {
  return el(
    "tr",
    {},
    columns.map((column, place) => cellOf(column, row, place === 0)),
  );
}

function cellOf(column, row, isFirst) {
  const content = column.cell ? column.cell(row) : column.value(row);
  const classes = [column.number ? "number" : "", column.class ?? ""].join(" ").trim();
  const cell = el(
    isFirst && column.head ? "th" : "td",
    { class: classes || null },
    content ?? NOTHING,
  );
  if (isFirst && column.head) cell.setAttribute("scope", "row");
  column.dress?.(cell, row);
  return cell;
}

function emptyRow(width) {
  return el("tr", {}, el("td", { colspan: width, class: "empty" }, "Nothing here."));
}

// Missing values stand last whichever way; equal ones keep their order.
function inOrder(rows, column, down) {
  const keyed = rows.map((row) => [column.value(row), row]);
  keyed.sort(([a], [b]) => {
    if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
    const order = typeof a === "number" && typeof b === "number" ? a - b : compareText(a, b);
    return down ? -order : order;
  });
  return keyed.map(([, row]) => row);
}

function isMissing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

const collator = new Intl.Collator("en", { numeric: true });

function compareText(a, b) {
  return collator.compare(String(a), String(b));
}

// A table of the study, as it was set for print.
const LONG_TEXT = 40;

function sheetTable(sheet) {
  const columns = sheet.headings.map((heading, place) => ({
    heading,
    number: sheet.numbers[place],
    head: place === 0,
    class: sheet.rows.some((row) => row[place].length > LONG_TEXT) ? "long" : "",
    value: (row) => (sheet.numbers[place] ? numberIn(row[place]) : row[place]),
    cell: (row) => (sheet.numbers[place] ? row[place].replaceAll("-", MINUS) : row[place]),
  }));
  return sortableTable({ label: sheet.title, columns, rows: sheet.rows }).frame;
}

// The first number of a text: of an interval its lower bound.
function numberIn(text) {
  const found = /[-+]?[\d.]+(?:e-?\d+)?/i.exec(text.replaceAll(",", ""));
  return found ? Number(found[0]) : null;
}
