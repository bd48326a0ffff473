from typing import Any

from routebench.reporting.site.details import OPERATIONS, read_details


def test_the_details_of_a_case(built: Any) -> None:
    """Case 0: rg nominates files 0 to 3, tree files 2 to 5; file 3 does not fit."""
    detail = read_details(built.files, ["rg", "tree"]).case("case-0")
    names = [path.rpartition("/")[2] for path in detail["paths"]]
    assert detail["gold"] == [[0, 10, 14, True], [1, 1, 3, False]]
    assert detail["lengths"] == [[0, 50], [1, 50]]
    listed = [[names[path] for path, _ in of_arm] for of_arm in detail["lists"]]
    assert listed == [
        ["file0.py", "file1.py", "file2.py", "file3.py"],
        ["file2.py", "file3.py", "file4.py", "file5.py"],
    ]
    assert [score for _, score in detail["lists"][0]] == [1, 0.5, 0.3333, 0.25]
    costs = dict(zip(OPERATIONS, detail["operations"][1], strict=True))
    assert (costs["wall_ms"], costs["calls"], costs["error"]) == (12.35, 3, None)
    packed = [
        [names[detail["blocks"][number][0]] for number in numbers if number >= 0]
        for numbers in detail["packs"]["2/16000"]
    ]
    assert packed == [["file0.py", "file1.py"], ["file2.py"]]
    assert [len(walk) for walk in detail["walks"]] == [0, 6]


def test_a_failed_case_keeps_its_error(built: Any) -> None:
    detail = read_details(built.files, ["rg", "tree"]).case("case-3")
    assert detail["operations"][0][OPERATIONS.index("error")] == "HTTP 500"


def test_an_arm_without_files_is_empty(built: Any) -> None:
    detail = read_details(built.files, ["rg", "other"]).case("case-0")
    assert (detail["lists"][1], detail["operations"][1], detail["walks"][1]) == ([], [], [])
