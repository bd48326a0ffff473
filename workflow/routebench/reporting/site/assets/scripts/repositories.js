// The repositories: mean score of every arm in each.

function repositoriesPage(parameters) {
  const place = el("div");
  const draw = (key) => place.replaceChildren(repositoryTable(metricOf(key)));
  const metric = metricOf(parameters.get("score"));
  draw(metric.key);
  return [
    el("h1", {}, "Repositories"),
    el(
      "p",
      {},
      "Mean score of each arm over the cases of a repository. Repositories are what ",
      "intervals resample: an arm that is ahead in only one of them is not ahead.",
    ),
    el("div", { class: "controls" }, labelled("Score", metricChooser(metric.key, draw))),
    place,
  ];
}

function repositoryTable(metric) {
  const rows = catalogue.repositories.map((repo) => repositoryRow(repo, metric));
  const columns = [
    {
      heading: "Repository",
      head: true,
      value: (row) => row.name,
      cell: (row) => el("a", { href: address("cases", { repo: row.name }) }, row.name),
    },
    { heading: "Language", value: (row) => row.languages },
    { heading: "Cases", number: true, value: (row) => row.cases },
    { heading: "Left out", number: true, value: (row) => row.excluded },
    ...armNames.map((name, arm) => ({
      heading: name,
      number: true,
      class: "heat",
      value: (row) => row.means[arm],
      cell: (row) => fixed(row.means[arm]),
      dress: (cell, row) => tint(cell, row.means[arm], Math.max(...row.means)),
    })),
  ];
  return sortableTable({ label: `Repositories, ${metric.label}`, columns, rows }).frame;
}

function repositoryRow(repo, metric) {
  const own = cases.filter((row) => row.repo === repo.name);
  return {
    name: repo.name,
    languages: [...new Set(own.map((row) => row.language))].join(", "),
    cases: own.length,
    excluded: catalogue.exclusions.filter((row) => row.repo === repo.name).length,
    means: arms.map((_, arm) => mean(own.map((row) => metric.value(row, arm)))),
  };
}

function tint(cell, value, best) {
  if (isMissing(value)) return;
  cell.style.background = `color-mix(in srgb, var(--blue) ${Math.round(value * 42)}%, transparent)`;
  if (value === best && value > 0) cell.classList.add("best");
}
