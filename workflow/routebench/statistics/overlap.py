"""Gold files that one arm finds and others miss (METHODS E)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from routebench.evaluation.readers import read_gold, read_rankings
from routebench.tables import write_rows


class Overlap(NamedTuple):
    """Gold files found by an arm over all cases, under the names of the table overlaps.

    Attributes:
        n_cases: cases.
        gold_files: gold files of all cases.
        gold_found: those among the arm's first k paths.
        micro_recall: gold_found / gold_files.
        unique_gold: those found that are among the first k paths of no comparator.
        unique_cases: cases with such a file.
    """

    n_cases: int
    gold_files: int
    gold_found: int
    micro_recall: float
    unique_gold: int
    unique_cases: int


Rankings = Mapping[str, Sequence[str]]


def measure_overlaps(
    *,
    gold: Path,
    rankings: Mapping[str, Sequence[Path]],
    comparisons: Sequence[tuple[str, Sequence[str]]],
    ks: Sequence[int],
    output: Path,
) -> None:
    """Writes the table overlaps: comparisons as given, then ks.

    Args:
        gold: table of gold; its cases are counted.
        rankings: ranking files of each arm.
        comparisons: an arm and the arms whose findings are taken away from its own; none of
            them leaves all that the arm finds.
        ks: how many candidates count.
        output: where the table is written.
    """
    wanted = {case_id: frozenset(files) for case_id, files in read_gold(gold).items()}
    named = dict.fromkeys(name for arm, others in comparisons for name in (arm, *others))
    ranked: dict[str, Rankings] = {name: read_rankings(rankings[name]) for name in named}
    write_rows(output, "overlaps", _rows(wanted, ranked, comparisons, ks))


def count_overlap(
    gold: Mapping[str, frozenset[str]], ranking: Rankings, others: Sequence[Rankings], *, k: int
) -> Overlap:
    """Counts the gold files of one arm that no other arm finds.

    Args:
        gold: gold paths by case id.
        ranking: ranked paths of the arm by case id, best first; absent means empty.
        others: rankings of the comparators, likewise.
        k: how many candidates of each count.
    """
    found = {
        case_id: files.intersection(_top(ranking, case_id, k)) for case_id, files in gold.items()
    }
    unique = [
        len(files.difference(*(_top(other, case_id, k) for other in others)))
        for case_id, files in found.items()
    ]
    total, hits = sum(map(len, gold.values())), sum(map(len, found.values()))
    return Overlap(
        n_cases=len(gold),
        gold_files=total,
        gold_found=hits,
        micro_recall=hits / total if total else 0.0,
        unique_gold=sum(unique),
        unique_cases=sum(map(bool, unique)),
    )


def _top(rankings: Rankings, case_id: str, k: int) -> Sequence[str]:
    return rankings.get(case_id, ())[:k]


def _rows(
    gold: Mapping[str, frozenset[str]],
    ranked: Mapping[str, Rankings],
    comparisons: Sequence[tuple[str, Sequence[str]]],
    ks: Sequence[int],
) -> Iterator[dict[str, Any]]:
    for arm, comparators in comparisons:
        others = [ranked[name] for name in comparators]
        for k in ks:
            head = {"arm": arm, "comparators": list(comparators), "k": k}
            yield {**head, **count_overlap(gold, ranked[arm], others, k=k)._asdict()}
