"""Another dataset file and another try, without touching the study."""

import json
from pathlib import Path

from routebench.planning.overrides import find_failures, replace_dataset

PAPER = {"dataset": {"kind": "contextbench", "pin": "contextbench"}, "cohort": {"ledger": "l"}}


def test_a_local_file_takes_the_place_of_the_pin() -> None:
    values = replace_dataset({"dataset": {"kind": "contextbench", "pin": "x"}}, Path("my.parquet"))
    assert values["dataset"] == {"kind": "contextbench", "pin": None, "path": "my.parquet"}
    assert values["cohort"] == {}


def test_a_published_cohort_is_taken_as_far_as_the_file_goes() -> None:
    assert replace_dataset(PAPER, Path("my.parquet"))["cohort"] == {"ledger": "l", "partial": True}
    assert PAPER["cohort"] == {"ledger": "l"}


def record(folder: Path, repo: str, *, available: bool, missing: dict[str, str]) -> Path:
    path = folder / "mirrors" / f"{repo.replace('/', '__')}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"repo": repo, "available": available, "missing": missing}))
    return path


def test_only_repositories_that_lack_something_are_tried_again(tmp_path: Path) -> None:
    whole = record(tmp_path, "a/whole", available=True, missing={})
    partly = record(tmp_path, "b/partly", available=True, missing={"c" * 40: "gone"})
    gone = record(tmp_path, "c/gone", available=False, missing={"d" * 40: "no"})
    assert find_failures(tmp_path) == {"b/partly": str(partly), "c/gone": str(gone)}
    assert all(path.exists() for path in (whole, partly, gone))
