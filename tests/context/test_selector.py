import pytest

from routebench.context.selector import LineRange, count_terms, select_ranges

TERMS = ("cache", "key", "size")


def lines_with(hits: dict[int, str], total: int) -> list[str]:
    return [hits.get(number, "nothing here") + "\n" for number in range(1, total + 1)]


def test_a_line_scores_its_distinct_whole_terms() -> None:
    lines = ["Cache KEY cache", "cache_key", "keys and sizes", "size=key(cache)", ""]
    assert count_terms(lines, TERMS) == [2, 0, 0, 3, 0]


def test_four_best_lines_are_widened_and_the_fifth_is_not() -> None:
    lines = lines_with(dict.fromkeys((10, 30, 50, 70, 90), "key"), 100)
    assert select_ranges(lines, TERMS, margin=2) == (
        LineRange(8, 12, 1),
        LineRange(28, 32, 1),
        LineRange(48, 52, 1),
        LineRange(68, 72, 1),
    )


def test_higher_score_comes_first_then_earlier() -> None:
    lines = lines_with({10: "key", 30: "key size", 50: "key"}, 60)
    assert select_ranges(lines, TERMS, margin=1) == (
        LineRange(29, 31, 2),
        LineRange(9, 11, 1),
        LineRange(49, 51, 1),
    )


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (14, (LineRange(8, 16, 3),)),  # 8-12 and 12-16 overlap
        (15, (LineRange(8, 17, 3),)),  # 8-12 and 13-17 touch
        (16, (LineRange(14, 18, 3), LineRange(8, 12, 1))),  # line 13 lies between
    ],
)
def test_ranges_that_touch_or_overlap_become_one_with_the_best_score(
    second: int, expected: tuple[LineRange, ...]
) -> None:
    lines = lines_with({10: "key", second: "cache key size"}, 30)
    assert select_ranges(lines, TERMS, margin=2) == expected


def test_ranges_stay_inside_the_file() -> None:
    assert select_ranges(["key\n", "b\n", "c"], TERMS) == (LineRange(1, 3, 1),)


def test_a_file_without_matching_line_is_shown_whole() -> None:
    assert select_ranges(["a\n", "b"], TERMS) == (LineRange(1, 2, 0),)
    assert select_ranges(["key\n", "b"], ()) == (LineRange(1, 2, 0),)


def test_an_empty_file_has_no_range() -> None:
    assert select_ranges([], TERMS) == ()
