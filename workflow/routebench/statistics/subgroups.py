"""The subsets of cases that are compared, each declared once (METHODS E)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Subset:
    """Cases that share one flag of the table cases.

    Attributes:
        name: as in the column subset of the table statistics.
        definition: which cases are in it.
        column: the flag; None for all cases.
        value: what it must be; a case whose flag is empty is in neither subset.
    """

    name: str
    definition: str
    column: str | None = None
    value: bool = True

    def holds(self, case: Mapping[str, Any]) -> bool:
        """Tells whether a row of the table cases belongs to the subset."""
        return self.column is None or case[self.column] is self.value


SUBSETS = (
    Subset("all", "every case"),
    Subset("aligned", "all gold spans hold the annotated text (D7)", "aligned"),
    Subset("unaligned", "a gold span does not hold the annotated text", "aligned", False),
    Subset("names_gold_path", "the issue contains a gold path", "names_gold_path"),
    Subset("names_no_gold_path", "the issue contains no gold path", "names_gold_path", False),
    Subset("names_gold_file", "the issue contains a gold file name", "names_gold_file"),
    Subset("names_no_gold_file", "the issue contains no gold file name", "names_gold_file", False),
    Subset("several_directories", "gold in more than one directory", "several_directories"),
    Subset("one_directory", "all gold in one directory", "several_directories", False),
)
