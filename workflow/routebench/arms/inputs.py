"""What a ranking job is given beside issues and corpus, read from its input files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from routebench.arms.base import Operations, Parameters, Ranked, Resources
from routebench.choice.base import ChoiceModel
from routebench.tables import read_rows


def load_resources(
    parameters: Parameters,
    *,
    sources: Iterable[str],
    costs: Iterable[str],
    pins: Iterable[str],
    models: Mapping[str, ChoiceModel],
) -> Resources:
    """Reads the inputs of an arm's job.

    Args:
        parameters: of the arm; they name what the files are of.
        sources: tables rankings of ``parameters.source_arms``, in that order.
        costs: tables operations of ``parameters.source_arms``, then of ``call_arms``.
        pins: files of ``parameters.pins``, in that order.
        models: choice models by name.
    """
    arms = (*parameters.source_arms, *parameters.call_arms)
    spent = {arm: read_costs(Path(path)) for arm, path in zip(arms, costs, strict=True)}
    return Resources(
        rankings={
            arm: read_ranking(Path(path))
            for arm, path in zip(parameters.source_arms, sources, strict=True)
        },
        costs=spent,
        calls={
            arm: {case_id: cost.calls for case_id, cost in spent[arm].items()}
            for arm in parameters.call_arms
        },
        pins=dict(zip(parameters.pins, map(Path, pins), strict=True)),
        models=models,
    )


def read_ranking(path: Path) -> dict[str, list[Ranked]]:
    """Returns the ranked paths of each case that has any, best first."""
    ranking: dict[str, list[Ranked]] = {}
    for row in sorted(read_rows(path, "rankings"), key=lambda row: row["rank"]):
        ranking.setdefault(row["case_id"], []).append(Ranked(row["path"], row["score"]))
    return ranking


def read_costs(path: Path) -> dict[str, Operations]:
    """Returns what each case cost, by case id."""
    return {row.pop("case_id"): _cost(row) for row in read_rows(path, "operations")}


def _cost(row: dict[str, object]) -> Operations:
    wall_ms = row.pop("wall_ms")
    del row["error"]
    return Operations(**row, sources_ms=wall_ms)  # type: ignore[arg-type]
