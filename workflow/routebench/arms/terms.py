"""Query terms of an issue (METHODS Q), shared by the lexical arms."""

import re

TOKEN = re.compile(r"[A-Za-z0-9_]+")
SHORTEST_TERM = 3
_STOP = (
    "what which when where why how does that this the and from with into are for its use used "
    "there between about would could should their these those through under after before "
    "being have been once more than then each such they them also only given specified "
    "particular framework"
)
STOP_WORDS = frozenset(_STOP.split())


def tokens(text: str) -> list[str]:
    """Returns the lower-cased tokens of a text, in order, with repeats (METHODS Q)."""
    return [token.lower() for token in TOKEN.findall(text)]


def query_terms(text: str, characters: int | None = None) -> tuple[str, ...]:
    """Returns the distinct query terms of an issue, sorted (METHODS Q).

    Args:
        text: the issue.
        characters: how many leading characters are read; None for the whole issue.
            The cut may fall inside a word, whose head then counts as a token.
    """
    found = set(tokens(text if characters is None else text[:characters]))
    return tuple(sorted(t for t in found - STOP_WORDS if len(t) >= SHORTEST_TERM))
