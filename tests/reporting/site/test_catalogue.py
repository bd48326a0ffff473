from typing import Any

import pytest

from routebench.reporting.site.build import read_catalogue
from routebench.reporting.site.catalogue import stand_in
from routebench.reporting.site.study import SiteArm

STATIC = {"static": {"kind": "static"}}
ARMS = {
    "rg": SiteArm("rg", "ripgrep"),
    "tree": SiteArm("tree", "tree", models=STATIC),
    "real": SiteArm("real", "tree", models={"jev": {"kind": "typesafe"}}),
    "fused": SiteArm("fused", "rrf", sources=["rg", "tree"]),
    "twice": SiteArm("twice", "rrf", sources=["fused"]),
    "honest": SiteArm("honest", "rrf", sources=["rg", "real"]),
}


@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        ("rg", None),
        ("tree", "own"),
        ("real", None),
        ("fused", "source"),
        ("twice", "source"),
        ("honest", None),
    ],
)
def test_who_asked_the_stand_in(arm: str, expected: str | None) -> None:
    assert stand_in(ARMS[arm], ARMS) == expected


def test_what_every_page_shares(built: Any) -> None:
    catalogue = read_catalogue(built.files, built.study)
    assert [arm["stand_in"] for arm in catalogue["arms"]] == [None, "own"]
    assert catalogue["repositories"] == [
        {"name": "acme/app0", "github": "acme/app0"},
        {"name": "acme/app1", "github": "acme/app1"},
    ]
    assert catalogue["cases"]["aligned"] == [True, False, None, True]
    assert catalogue["failures"] == [{"arm": "rg", "case_id": "case-3", "error": "HTTP 500"}]
    assert [row["case_id"] for row in catalogue["exclusions"]] == ["gone"]
    assert [sheet["name"] for sheet in catalogue["sheets"]] == ["arms", "differences"]
    assert catalogue["verdicts"] is None


def test_the_main_table_at_full_precision(built: Any) -> None:
    """Of two gold files rg finds 1, 2, 1 and 0 within two candidates: 0.5 in the mean."""
    summary = read_catalogue(built.files, built.study)["summary"]
    row = next(row for row in summary if (row["arm"], row["k"]) == ("rg", 2))
    assert row["file_recall"] == pytest.approx(0.5)
    assert row["failures"] == 1


def test_the_main_comparison_stands_first(built: Any) -> None:
    [row] = read_catalogue(built.files, built.study)["statistics"]
    assert (row["arm"], row["comparator"], row["delta"]) == ("tree", "rg", 0.0625)
