// Elements from data. Text is set as text, never parsed as markup.

const NOTHING = "–";
const MINUS = "−";

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  element.append(...shown);
  return element;
}

function el(name, attributes = {}, ...children) {
  return put(document.createElement(name), attributes, children);
}

function shape(name, attributes = {}, ...children) {
  return put(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", class: "plain", onclick, ...attributes }, text);
}

function labelled(text, control) {
  return el("label", {}, text, control);
}

// Options are [value, text]; `chosen` is one of the values.
function chooser(options, chosen, onchange) {
  const select = el("select", { onchange: () => onchange(select.value) });
  for (const [value, text] of options) select.append(el("option", { value }, text));
  select.value = chosen;
  return select;
}

function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function counted(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

// Halves go to the even digit, as in the tables that Python writes from the same numbers.
const formats = new Map();

function formatted(number, digits, signDisplay = "negative") {
  if (number === null || number === undefined) return NOTHING;
  const key = `${digits}${signDisplay}`;
  if (!formats.has(key)) {
    formats.set(
      key,
      new Intl.NumberFormat("en", {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        roundingMode: "halfEven",
        signDisplay,
      }),
    );
  }
  return formats.get(key).format(number).replace("-", MINUS);
}

function whole(number) {
  return formatted(number, 0);
}

function fixed(number, digits = 3) {
  return formatted(number, digits);
}

function signed(number, digits = 3) {
  return formatted(number, digits, "exceptZero");
}

function interval(lower, upper) {
  if (lower === null || lower === undefined) return NOTHING;
  return `[${signed(lower)}, ${signed(upper)}]`;
}

function duration(ms) {
  if (ms === null || ms === undefined) return NOTHING;
  return ms < 1000 ? `${fixed(ms, ms < 10 ? 1 : 0)} ms` : `${fixed(ms / 1000, 1)} s`;
}

function dollars(usd) {
  return usd ? `$${usd.toPrecision(3)}` : "0";
}

function chance(probability) {
  if (probability === null || probability === undefined) return NOTHING;
  return probability < 0.001 && probability > 0 ? "< 0.001" : fixed(probability);
}
