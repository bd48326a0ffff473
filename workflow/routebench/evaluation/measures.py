"""The measures of the benchmark, each declared once; computing them is elsewhere.

A ranking may be shorter than k or empty: a failed case has an empty ranking and stays in
the denominator. Aggregates are unweighted means over cases, unless they are called micro.
"""

from dataclasses import dataclass

_NO_GOLD = "refused: a case has at least one gold file (D4)"
_NO_LINES = "refused: a gold span has at least one line (D4, D6)"
_FILE_TIES = "none: the ranking is a strict order and a path counts once"
_LINE_TIES = "none: a line counts once, however many gold spans or blocks hold it"


@dataclass(frozen=True, slots=True)
class Measure:
    """A score of one case, under the name of its column in the table scores.

    Attributes:
        name: column of the table.
        definition: G gold files, R(k) the first k ranked paths; L gold lines, C lines packed.
        empty_ranking: value for a ranking without paths.
        no_gold: what happens to a case without gold.
        tie_rule: how equal candidates are told apart.
        source: where the definition comes from.
    """

    name: str
    definition: str
    empty_ranking: float
    no_gold: str
    tie_rule: str
    source: str


def _of_files(name: str, definition: str, source: str = "METHODS E") -> Measure:
    return Measure(name, definition, 0.0, _NO_GOLD, _FILE_TIES, source)


def _of_lines(name: str, definition: str) -> Measure:
    return Measure(name, definition, 0.0, _NO_LINES, _LINE_TIES, "METHODS E")


MEASURES: tuple[Measure, ...] = (
    _of_files("file_recall", "|G ∩ R(k)| / |G|"),
    _of_files("complete_files", "1 if G ⊆ R(k), else 0; elsewhere called all-hit@k"),
    _of_files("file_precision", "|G ∩ R(k)| / |R(k)|"),
    _of_files("gold_found", "|G ∩ R(k)|"),
    _of_files("any_hit", "1 if G ∩ R(k) is not empty, else 0"),
    _of_files(
        "capped_accuracy",
        "1 if |G ∩ R(k)| = min(|G|, k), else 0",
        "METHODS E; LocAgent and SweRank, acc_at_k",
    ),
    _of_lines("line_recall", "|L ∩ C| / |L|"),
    _of_lines("complete_lines", "1 if L ⊆ C, else 0"),
    _of_lines("context_tokens", "cl100k_base tokens of the packed blocks"),
)
