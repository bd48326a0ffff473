from routebench.reporting.site.paths import PathTable, short
from routebench.reporting.site.windows import Block, pack_windows


def test_blocks_stand_once_and_arms_name_them() -> None:
    paths = PathTable()
    paths.place("gold.py")
    first = [
        Block(8, 100, "a.py", 1, 9, 70, included=True),
        Block(8, 100, "gold.py", 5, 9, 40, included=False),
    ]
    second = [
        Block(8, 100, "gold.py", 5, 9, 40, included=True),
        Block(8, 50, "b.py", 1, 2, None, included=False),
    ]
    assert pack_windows([first, second, []], paths) == {
        "blocks": [(1, 1, 9, 70), (0, 5, 9, 40), (2, 1, 2, None)],
        "packs": {"8/100": [[0, -2], [1], []], "8/50": [[], [-3], []]},
    }
    assert paths.paths == ["gold.py", "a.py", "b.py"]


def test_a_study_without_contexts_packs_nothing() -> None:
    assert pack_windows([[], []], PathTable()) == {"blocks": [], "packs": {}}


def test_short_numbers() -> None:
    values = [12.34567, 123456.7, 2.0, 0.0, 0.000123456, None]
    assert [short(value) for value in values] == [12.35, 123500, 2, 0, 0.0001235, None]
