"""Our rankings beside the published ones, case by case (METHODS D3, R3)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from routebench.arms.archive import ArchiveParameters, read_archive
from routebench.arms.base import Ranked
from routebench.arms.rrf import fuse
from routebench.arms.ties import same_up_to_ties
from routebench.errors import RoutebenchError
from routebench.verification.cohort import Gaps
from routebench.verification.forms import PublishedRanking
from routebench.verification.published import PublishedValues
from routebench.verification.relations import Results
from routebench.verification.verdicts import DIFFERENT, EQUAL, NOT_COMPARABLE, Verdict

TABLE = "Rankings"
DEPTH = 16
IDENTICAL = "identical"
UP_TO_TIES = "identical up to ties"
CUT = "the list is cut inside a group of equal scores; the rest is identical up to ties"
Lists = Mapping[str, Sequence[Ranked]]


def compare_rankings(
    results: Results, gaps: Gaps, published: PublishedValues, pins: Mapping[str, Path]
) -> Iterator[Verdict]:
    """Yields a verdict for each arm and published case.

    Args:
        results: the study.
        gaps: what cases it lacks.
        published: where rankings were published.
        pins: the pinned files by name.

    Raises:
        RoutebenchError: a pinned file was not given, or is not an archive of rankings.
    """
    lists: dict[str, Lists] = {}
    for arm, ranking in published.rankings.rankings.items():
        lists[arm] = _read_lists(ranking, published.folder, pins, lists)
        ours = _our_lists(results, arm)
        # An archived ranking is ours only if it is the same: it has no scores of its own.
        ties = ranking.ties and results.arms.get(arm) != "archive"
        for case_id in published.flags:
            theirs = [item.path for item in lists[arm].get(case_id, ())]
            reason = _unable(results, gaps, arm, case_id)
            yield _verdict(arm, case_id, ours.get(case_id, []), theirs, ties=ties, reason=reason)


def compare_lists(ours: Sequence[Ranked], theirs: Sequence[str], *, ties: bool) -> tuple[str, str]:
    """Returns the status of a ranking and what can be said of it.

    Args:
        ours: our ranking, best first.
        theirs: the published paths, best first.
        ties: equal scores may stand in another order. Where our list ends inside such a
            group, what the group holds beyond is not known.
    """
    if [item.path for item in ours] == list(theirs):
        return EQUAL, IDENTICAL
    if ties and same_up_to_ties(ours, theirs, DEPTH):
        return EQUAL, UP_TO_TIES
    if ties and len(ours) == len(theirs) == DEPTH and _same_head(ours, theirs):
        return NOT_COMPARABLE, CUT
    return DIFFERENT, _first_difference([item.path for item in ours], theirs)


def _same_head(ours: Sequence[Ranked], theirs: Sequence[str]) -> bool:
    head = [item for item in ours if item.score != ours[-1].score]
    whole = same_up_to_ties(head, theirs[: len(head)], len(head))
    return whole and not {item.path for item in head}.intersection(theirs[len(head) :])


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    pairs = enumerate(zip(ours, theirs, strict=False), start=1)
    for rank, (mine, published) in pairs:
        if mine != published:
            return f"rank {rank} is {mine}, published {published}"
    return f"{len(ours)} paths, published {len(theirs)}"


def _verdict(
    arm: str,
    case_id: str,
    ours: Sequence[Ranked],
    theirs: Sequence[str],
    *,
    ties: bool,
    reason: str,
) -> Verdict:
    status, said = (NOT_COMPARABLE, reason) if reason else compare_lists(ours, theirs, ties=ties)
    found = "" if reason else f"{len(ours)} paths"
    return Verdict(
        TABLE, case_id, arm, f"{len(theirs)} paths", found, found, status, said, "archive, rankings"
    )


def _unable(results: Results, gaps: Gaps, arm: str, case_id: str) -> str:
    if arm not in results.arms:
        return f"the study has no arm {arm}"
    return "the case is missing" if case_id in gaps.missing else ""


def _our_lists(results: Results, arm: str) -> Lists:
    lists: dict[str, list[Ranked]] = defaultdict(list)
    for row in results.relations["rankings"].select({"arm": arm}):
        lists[row["case_id"]].append(Ranked(row["path"], row["score"]))
    return {case_id: of_case[:DEPTH] for case_id, of_case in lists.items()}


def _read_lists(
    ranking: PublishedRanking, folder: Path, pins: Mapping[str, Path], others: Mapping[str, Lists]
) -> Lists:
    if ranking.fused:
        sources = [others[arm] for arm in ranking.fused]
        return {i: fuse([source[i] for source in sources])[:DEPTH] for i in sources[0]}
    path = folder / ranking.file if ranking.file else pinned(pins, ranking.pin)
    parameters = ArchiveParameters(
        pin=path.name,
        entries=ranking.entries,
        query_mode=ranking.query_mode,
        variant=ranking.variant,
    )
    return {i: case.ranking(DEPTH) for i, case in read_archive(path, parameters).items()}


def pinned(pins: Mapping[str, Path], name: str) -> Path:
    """Returns a pinned file.

    Raises:
        RoutebenchError: it was not given.
    """
    if name not in pins:
        raise RoutebenchError(f"verify: pinned file {name} was not given to the job")
    return pins[name]
