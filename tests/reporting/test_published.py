"""Printed values of another study."""

from pathlib import Path

import pytest

from routebench.errors import RoutebenchError
from routebench.reporting.published import Published, load_published, published_file

RERANK = load_published(published_file("rerank"))


def test_the_pinned_file_holds_what_was_printed() -> None:
    values = {value[:4]: value.value for value in RERANK.values}
    assert len(values) == len(RERANK.values) == 58  # 10, 15, 8 and 11 of the arms, 8 swept, 6 ranks
    assert values["bm25-harness", "file_recall", 100, None] == 0.967
    assert values["rerank-pipeline", "first_rank_at_1", None, None] == 16
    assert values["bm25-pipeline", "first_rank", None, "django__django-10097"] == 44


def test_the_cohort_cannot_be_told_to_be_the_same() -> None:
    others = {f"x{n}" for n in range(13)}
    assert RERANK.same_cohort(RERANK.ids | others) == "not known"
    assert RERANK.same_cohort(RERANK.ids) == "no"
    assert RERANK.same_cohort({f"x{n}" for n in range(20)}) == "no"


def test_a_cohort_known_by_name_is_the_same_or_not() -> None:
    published = Published(cases=2, ids=frozenset({"a", "b"}))
    assert published.same_cohort(["b", "a"]) == "yes"
    assert published.same_cohort(["a", "c"]) == "no"


@pytest.mark.parametrize("text", ["", "arms: {}", "cohort: 3\narms: {}\nfirst_ranks: {}", "[["])
def test_files_of_another_form_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(RoutebenchError, match="not a file of published values"):
        load_published(tmp_path / "p.yaml")
