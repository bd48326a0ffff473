from routebench.statistics.subgroups import SUBSETS
from routebench.tables import table_schema

FLAGS = ("aligned", "names_gold_path", "names_gold_file", "several_directories")


def subsets_of(**flags: bool | None) -> list[str]:
    case = {**dict.fromkeys(FLAGS, None), **flags}
    return [subset.name for subset in SUBSETS if subset.holds(case)]


def test_each_flag_parts_the_cases_in_two() -> None:
    assert subsets_of(**dict.fromkeys(FLAGS, True)) == [
        "all",
        "aligned",
        "names_gold_path",
        "names_gold_file",
        "several_directories",
    ]
    assert subsets_of(**dict.fromkeys(FLAGS, False)) == [
        "all",
        "unaligned",
        "names_no_gold_path",
        "names_no_gold_file",
        "one_directory",
    ]


def test_an_open_flag_is_in_neither() -> None:
    assert subsets_of() == ["all"]


def test_flags_are_columns_of_the_cases() -> None:
    columns = {subset.column for subset in SUBSETS} - {None}
    assert columns == set(FLAGS) <= set(table_schema("cases").names)
