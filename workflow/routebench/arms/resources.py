"""What a ranking job is given beside issues and corpus, read from its inputs."""

from collections.abc import Iterable
from pathlib import Path

from routebench.arms.base import Parameters, Ranked, Resources
from routebench.tables import read_rows


def load_resources(
    parameters: Parameters, *, sources: Iterable[str], pins: Iterable[str]
) -> Resources:
    """Reads the inputs of an arm's job.

    Args:
        parameters: of the arm; they name what the inputs are.
        sources: ranking files of ``parameters.source_arms``, in that order.
        pins: files of ``parameters.pins``, in that order.
    """
    rankings = zip(parameters.source_arms, map(Path, sources), strict=True)
    files = zip(parameters.pins, map(Path, pins), strict=True)
    return Resources(rankings={arm: read_ranking(path) for arm, path in rankings}, pins=dict(files))


def read_ranking(path: Path) -> dict[str, list[Ranked]]:
    """Returns the ranked paths of each case that has any, best first."""
    ranking: dict[str, list[Ranked]] = {}
    for row in sorted(read_rows(path, "rankings"), key=lambda row: row["rank"]):
        ranking.setdefault(row["case_id"], []).append(Ranked(row["path"], row["score"]))
    return ranking
