"""Validation errors as one line."""

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from routebench.planning.descriptions import describe_fields
from routebench.planning.explain import explain, shorten


class Inner(BaseModel):
    """Inner part.

    Attributes:
        size: how large; a number
            from 1.
        colour: what it looks like.
    """

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=1)
    colour: Literal["red", "blue"] = Field("red", description="A colour.")


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    parts: dict[str, Inner] = {}
    listed: tuple[Inner, ...] = ()
    maybe: Inner | None = None


def line(values: dict[str, object], **arguments: tuple[str, ...]) -> str:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(values)
    return explain(caught.value, Outer, **arguments)


def test_an_unknown_key_names_the_keys_of_its_own_level() -> None:
    assert line({"part": 1}) == (
        "config: part is not a key (did you mean parts?); expected one of parts, listed, maybe"
    )
    for place, key in (
        ({"parts": {"a": {"size": 1, "z": 2}}}, "parts.a.z"),
        ({"listed": [{"size": 1, "z": 2}]}, "listed.0.z"),
        ({"maybe": {"size": 1, "z": 2}}, "maybe.z"),
    ):
        assert line(place) == f"config: {key} is not a key; expected one of size, colour"


def test_a_missing_key_says_what_it_is() -> None:
    expected = "config: parts.a.size is missing; expected: How large; a number from 1."
    assert line({"parts": {"a": {}}}) == expected


def test_a_bad_value_stands_beside_what_is_allowed() -> None:
    assert line({"maybe": {"size": 0}}) == "config: maybe.size is 0; expected at least 1"
    assert line({"listed": [{"size": 1, "colour": "x"}]}) == (
        "config: listed.0.colour is 'x'; expected 'red' or 'blue'"
    )


def test_prefix_and_further_keys_come_first() -> None:
    found = line({"part": 1}, prefix=("arms", "x"), always=("kind",))
    assert found == (
        "config: arms.x.part is not a key (did you mean parts?); "
        "expected one of kind, parts, listed, maybe"
    )


def test_a_kind_of_error_without_words_of_ours_shows_pydantics() -> None:
    class Odd(BaseModel):
        when: bytes

    with pytest.raises(ValidationError) as caught:
        Odd.model_validate({"when": 5})
    assert explain(caught.value, Odd) == (
        "config: when is 5; expected otherwise (Input should be a valid bytes)"
    )


def test_only_the_first_error_is_told() -> None:
    assert "\n" not in line({"a": 1, "b": 2})


def test_shorten() -> None:
    assert shorten("ab") == "'ab'"
    assert shorten("x" * 100) == "'" + "x" * 79 + "…"


def test_the_description_of_a_field_goes_before_the_docstring() -> None:
    assert describe_fields(Inner) == {
        "size": "How large; a number from 1.",
        "colour": "A colour.",
    }


def test_a_derived_class_has_the_descriptions_of_its_base() -> None:
    class Derived(Inner):
        """Derived.

        Attributes:
            more: another thing.
        """

        more: int = 1

    assert describe_fields(Derived)["size"] == "How large; a number from 1."
    assert describe_fields(Derived)["more"] == "Another thing."
