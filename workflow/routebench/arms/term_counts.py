"""Term counts of many texts, each counted once, however many commits share it (METHODS C2)."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int32]
MOST_BATCHES = 32


class _Batch(NamedTuple):
    """Postings in the order of their terms: term number, slot of the text, count."""

    terms: Integers
    slots: Integers
    counts: Integers


class TermCounts:
    """How often each term stands in each text; texts are added and never leave.

    Each text has a slot, its place in the arrays, numbered from 0 in order of addition.

    Args:
        tokenize: gives the terms of a text, with repeats.
    """

    def __init__(self, tokenize: Callable[[str], list[str]]) -> None:
        self._tokenize = tokenize
        self._numbers: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        self._lengths = array("i")
        self._batches: list[_Batch] = []

    def __contains__(self, key: str) -> bool:
        return key in self._slots

    @property
    def lengths(self) -> Integers:
        """Number of terms of each text, by slot."""
        return np.array(self._lengths, dtype=np.int32)

    def slots(self, keys: Iterable[str]) -> Integers:
        """Returns the slots of added texts."""
        return np.array([self._slots[key] for key in keys], dtype=np.int32)

    def add(self, texts: Iterable[tuple[str, str]]) -> None:
        """Counts the terms of new texts.

        Args:
            texts: a key and the text, for each; a key that is there already is passed over.
        """
        terms, slots, counts = array("i"), array("i"), array("i")
        for key, text in texts:
            if key in self._slots:
                continue
            slot = self._slots[key] = len(self._slots)
            tokens = self._tokenize(text)
            self._lengths.append(len(tokens))
            counted = Counter(tokens)
            terms.extend(self._numbers.setdefault(t, len(self._numbers)) for t in counted)
            slots.extend([slot] * len(counted))
            counts.extend(counted.values())
        if terms:
            self._batches.append(_sorted_batch(*(_integers(a) for a in (terms, slots, counts))))
        if len(self._batches) > MOST_BATCHES:
            joined = (np.concatenate(column) for column in zip(*self._batches, strict=True))
            self._batches = [_sorted_batch(*joined)]

    def counts(self, term: str) -> Integers:
        """Returns how often a term stands in each text, by slot."""
        found = np.zeros(len(self._slots), dtype=np.int32)
        number = self._numbers.get(term)
        if number is not None:
            for batch in self._batches:
                first, end = np.searchsorted(batch.terms, (number, number + 1))
                found[batch.slots[first:end]] = batch.counts[first:end]
        return found


def _sorted_batch(terms: Integers, slots: Integers, counts: Integers) -> _Batch:
    order = np.argsort(terms, kind="stable")
    return _Batch(terms[order], slots[order], counts[order])


def _integers(values: "array[int]") -> Integers:
    return np.array(values, dtype=np.int32)
