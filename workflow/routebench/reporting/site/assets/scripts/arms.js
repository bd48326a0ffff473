// The arms: what each one is, what it cost, where it failed.

const STAND_IN_WORDS = {
  own:
    "Asked the free stand-in for a model: static word vectors, not a language model. " +
    "It lets the whole study run offline and finds little; what this method is worth " +
    "with a real model it does not tell.",
  source: "Made from an arm that asked the free stand-in for a model, static word vectors.",
};
const COST_SHEETS = ["usage", "operations"];

function armsPage(name) {
  return [
    el("h1", {}, "Arms"),
    el(
      "p",
      {},
      "An arm is a method with its parameters. Each was asked about the same issues ",
      "and nominates files, best first.",
    ),
    COST_SHEETS.filter((sheet) => sheets.has(sheet)).map((sheet) =>
      sheetSection(sheets.get(sheet)),
    ),
    arms.map(armSection),
  ];
}

function armSection(arm) {
  return el(
    "section",
    { class: "arm", id: `arm-${arm.name}` },
    el("h2", { tabindex: "-1" }, arm.name),
    el("p", {}, el("span", { class: "quiet" }, `${arm.kind} · `), arm.summary),
    arm.stand_in ? el("p", { class: "note" }, STAND_IN_WORDS[arm.stand_in]) : null,
    arm.sources.length
      ? el(
          "p",
          { class: "small" },
          "Made from ",
          arm.sources.map((source, place) => [place ? ", " : "", armLink(source)]),
          ".",
        )
      : null,
    parameterList(arm),
    arm.models.map(([name, identity]) => modelList(name, identity)),
    failureList(arm),
  );
}

function parameterList(arm) {
  if (!arm.parameters.length) return el("p", { class: "quiet small" }, "No parameters.");
  const items = arm.parameters.map(([name, value]) => {
    const mark = arm.given.includes(name) ? el("b", {}, name) : name;
    return [el("dt", {}, mark), el("dd", {}, plainValue(value))];
  });
  const caption = arm.given.length
    ? "Parameters; those in bold are set by the study, the others are defaults"
    : "Parameters, all at their defaults";
  return disclosed(caption, el("dl", { class: "parameters" }, items));
}

function modelList(name, identity) {
  const items = Object.entries(identity).map(([key, value]) => [
    el("dt", {}, key),
    el("dd", {}, plainValue(value)),
  ]);
  return disclosed(`Model ${name}`, el("dl", { class: "parameters" }, items));
}

function plainValue(value) {
  if (value === null) return el("span", { class: "quiet" }, "none");
  return typeof value === "string" ? value : JSON.stringify(value).replaceAll('","', '", "');
}

function failureList(arm) {
  const failed = catalogue.failures.filter((failure) => failure.arm === arm.name);
  if (!failed.length) return el("p", { class: "small quiet" }, "No case failed.");
  const items = failed.map(({ case_id, error }) =>
    el(
      "li",
      {},
      caseLink(cases[casePlaces.get(case_id)]),
      ": ",
      el("span", { class: "failed" }, error),
    ),
  );
  return [
    el(
      "p",
      { class: "small" },
      `${counted(failed.length, "case")} failed; each counts as an empty ranking.`,
    ),
    el("ul", { class: "small" }, items),
  ];
}
