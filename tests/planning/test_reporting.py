"""Tables and figures that a study asks for beside the standard ones."""

from pathlib import Path
from typing import Any

import pytest

from routebench.errors import RoutebenchError
from routebench.planning.configuration import load_configuration
from routebench.planning.study import FIGURES, TABLES, Study

DEFAULTS = Path(__file__).parents[2] / "config.yaml"


def study(**reporting: Any) -> Study:
    return Study(load_configuration({"reporting": reporting}, DEFAULTS))


def test_a_study_adds_tables_to_the_standard_ones() -> None:
    """`arms` is a standard table: named again, it is still made once."""
    more = study(tables=["repeats", "arms"])
    assert [Path(query).stem for query in more.table_queries] == [*TABLES, "repeats"]
    assert len(more.tables) == 3 * (len(TABLES) + 1)
    assert f"{more.folder}/tables/repeats.tex" in more.targets


def test_a_study_adds_figures_to_the_standard_ones() -> None:
    more = study(figures=["repeats"])
    assert more.figures == [*FIGURES, "repeats"]
    assert f"{more.folder}/figures/repeats.svg" in more.targets


@pytest.mark.parametrize("key", ["tables", "figures"])
def test_an_unknown_query_is_named(key: str) -> None:
    with pytest.raises(RoutebenchError, match=r"config: reporting: \w+: no query 'none'; expected"):
        study(**{key: ["none"]})
