"""Token rules of the rerank study (METHODS R9, R10): how text becomes BM25 terms."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal

TokenRule = Literal["words", "identifiers"]

_WORD_STOP = (
    "a an the and or but if then else for while with from this that these those is are was "
    "were be been being do does did done have has had i we you it they them he she his her "
    "its our your their to of in on at by as not no so such can could should would may might "
    "must will just also very when what which who whom how why where there here into out up "
    "down over under again further once only own same than too s t don now"
)
_IDENTIFIER_STOP = (
    "a an and are as at be by can code do does for from happen how i in is it of on or should "
    "that the their then these this to using was what when where which who why will with would"
)
WORD_STOP_WORDS = frozenset(_WORD_STOP.split())
IDENTIFIER_STOP_WORDS = frozenset(_IDENTIFIER_STOP.split())
_LOWER_UPPER = re.compile(r"([a-z])([A-Z])")
_ACRONYM = re.compile(r"([A-Z])([A-Z][a-z])")
# Python's \w is [\p{L}\p{N}_].
_WORD = re.compile(r"\w{2,}")
_HAN = r"々〇㐀-䶿一-鿿豈-﫿𠀀-𿿿"
_IDENTIFIER = re.compile(rf"[a-z][a-z0-9]+|[{_HAN}]+")


def word_tokens(text: str) -> list[str]:
    """Returns the tokens of rule R9, in order, with repeats.

    ``getHTTPResponse`` is ``get`` and ``httpresponse``; ``a_b`` is one token.
    """
    broken = _LOWER_UPPER.sub(r"\1 \2", text).lower()
    return [token for token in _WORD.findall(broken) if token not in WORD_STOP_WORDS]


def identifier_tokens(text: str) -> list[str]:
    """Returns the tokens of rule R10, in order, with repeats.

    ``getHTTPResponse`` is ``get``, ``http`` and ``response``, ``a_bc`` is ``bc``. A run of
    Han characters gives its bigrams; one alone is a token itself.
    """
    broken = _ACRONYM.sub(r"\1 \2", _LOWER_UPPER.sub(r"\1 \2", text)).lower()
    tokens: list[str] = []
    for token in _IDENTIFIER.findall(broken):
        if token[0].isascii():
            tokens.append(token)
        else:
            tokens += map("".join, pairwise(token)) if len(token) > 1 else [token]
    return [token for token in tokens if token not in IDENTIFIER_STOP_WORDS]


TOKEN_RULES: Mapping[TokenRule, Callable[[str], list[str]]] = {
    "words": word_tokens,
    "identifiers": identifier_tokens,
}
