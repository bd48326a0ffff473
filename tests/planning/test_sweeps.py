"""Arms that stand for variants of themselves."""

import pytest

from routebench.errors import RoutebenchError
from routebench.planning.sweeps import expand_sweeps


def test_each_value_of_each_parameter_is_an_arm_after_its_own():
    arms = {
        "a": {"kind": "bm25", "b": 0.5, "sweep": {"b": [0.1, 0], "prose_share": [None]}},
        "z": {"kind": "fts5"},
    }
    assert expand_sweeps(arms) == {
        "a": {"kind": "bm25", "b": 0.5},
        "a@b=0.1": {"kind": "bm25", "b": 0.1},
        "a@b=0": {"kind": "bm25", "b": 0},
        "a@prose_share=null": {"kind": "bm25", "b": 0.5, "prose_share": None},
        "z": {"kind": "fts5"},
    }
    assert list(expand_sweeps(arms))[-1] == "z"


@pytest.mark.parametrize("sweep", [None, [], {}, {"b": 0.1}, {"b": []}])
def test_other_forms_are_refused(sweep):
    with pytest.raises(RoutebenchError, match=r"arms\.a\.sweep is .*; expected lists of values"):
        expand_sweeps({"a": {"kind": "bm25", "sweep": sweep}})


@pytest.mark.parametrize("value", [[1], {"x": 1}, "a b", "../x", ""])
def test_values_that_make_no_name_are_refused(value):
    with pytest.raises(RoutebenchError, match=r"arms\.a\.sweep\.b has .*; expected plain values"):
        expand_sweeps({"a": {"kind": "bm25", "sweep": {"b": [value]}}})


def test_entries_of_another_form_are_left_to_the_check_of_the_configuration():
    assert expand_sweeps({"a": None, "b": "x"}) == {"a": None, "b": "x"}
