"""From a file of issues to a cohort: what is said when nothing is left."""

import pytest

from routebench.datasets.selection import Loaded
from routebench.datasets.study import choose_cases
from routebench.errors import RoutebenchError
from routebench.records import Exclusion


def test_dataset_without_a_case_is_refused_with_the_first_reason():
    """A table with the wrong separator said only that the rule of the cohort leaves no case."""
    rows = tuple(Exclusion(f"row {n}", "", "dataset", "commit is empty") for n in (1, 2))
    with pytest.raises(RoutebenchError, match=r"none of 2 rows .* 'row 1': commit is empty"):
        choose_cases(Loaded((), rows), {}, None)
