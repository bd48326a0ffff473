"""Counts of terms that texts share a table for."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from routebench.arms import term_counts
from routebench.arms.term_counts import TermCounts

TEXTS = st.lists(st.tuples(st.text("klm", min_size=1, max_size=2), st.text("ab ", max_size=6)))


def test_counts_and_lengths_by_slot():
    table = TermCounts(str.split)
    table.add([("x", "a b a"), ("y", "")])
    table.add([("z", "b c"), ("x", "seen before")])
    assert table.slots(["z", "x"]).tolist() == [2, 0]
    assert table.lengths.tolist() == [3, 0, 2]
    assert table.counts("a").tolist() == [2, 0, 0]
    assert table.counts("b").tolist() == [1, 0, 1]
    assert table.counts("seen").tolist() == [0, 0, 0]
    assert "y" in table
    assert "other" not in table


def test_each_text_is_split_once():
    seen = []
    table = TermCounts(lambda text: seen.append(text) or text.split())
    for _ in range(3):
        table.add([("x", "a"), ("y", "b")])
    assert seen == ["a", "b"]


@given(st.lists(TEXTS, max_size=6))
def test_joining_batches_changes_nothing(additions):
    """Batches are joined after one addition here, after 32 in use."""
    table, first = TermCounts(str.split), {}
    before, term_counts.MOST_BATCHES = term_counts.MOST_BATCHES, 1
    try:
        for texts in additions:
            table.add(texts)
            for key, text in texts:
                first.setdefault(key, Counter(text.split()))
    finally:
        term_counts.MOST_BATCHES = before
    slots = table.slots(first)
    for term in ("a", "b", "ab"):
        assert table.counts(term)[slots].tolist() == [c[term] for c in first.values()]
