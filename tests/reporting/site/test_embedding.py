import json

import pytest

from routebench.reporting.site.embedding import json_text, policy, source_hash


@pytest.mark.parametrize(
    "text",
    ["</script><script>alert(1)</script>", "<!-- <script>", "a\u2028b\u2029c", "]]>", "&lt;", "é"],
)
def test_json_keeps_its_value_and_ends_no_script(text: str) -> None:
    written = json_text({"text": text})
    assert json.loads(written) == {"text": text}
    assert not set("<>&\u2028\u2029") & set(written)


def test_json_of_a_lone_surrogate_can_be_written_as_utf_8() -> None:
    written = json_text("a\ud800")
    assert written == '"a\\ud800"'
    assert written.encode()


def test_json_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(float("nan"))


def test_hash_of_a_source() -> None:
    """The example of the CSP specification: `alert('Hello, world.');`."""
    assert (
        source_hash("alert('Hello, world.');")
        == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    )


def test_policy_allows_its_own_and_nothing_else() -> None:
    rules = dict(
        rule.split(" ", 1) for rule in policy(script="s", style="t", loads_cases=False).split("; ")
    )
    assert rules == {
        "default-src": "'none'",
        "script-src": source_hash("s"),
        "style-src": source_hash("t"),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert "'strict-dynamic'" in policy(script="s", style="t", loads_cases=True)
