from routebench.context.packer import Block, pack, render_block
from routebench.context.selector import LineRange


def block(tokens: int | None) -> Block:
    return Block(rank=1, path="a.py", start_line=1, end_line=2, tokens=tokens)


def test_lines_are_numbered_and_keep_their_own_line_end() -> None:
    lines = ["one\n", "two\x0c", "three\n", "last"]
    assert render_block("src/a.py", lines, LineRange(2, 4, 1)) == (
        "\n===== src/a.py =====\n00002: two\x0c00003: three\n00004: last"
    )


def test_line_numbers_past_five_digits_are_whole() -> None:
    lines = ["x\n"] * 100_000
    assert render_block("a", lines, LineRange(100_000, 100_000, 0)).endswith("100000: x\n")


def test_a_block_that_does_not_fit_is_skipped_and_packing_goes_on() -> None:
    blocks = [block(60), block(50), block(40), block(1)]
    assert pack(blocks, 100) == (True, False, True, False)
    assert pack(blocks, 101) == (True, False, True, True)
    assert pack(blocks, 9) == (False, False, False, True)


def test_a_block_over_every_budget_is_skipped() -> None:
    assert pack([block(None), block(5)], 10) == (False, True)


def test_nothing_packs_into_nothing() -> None:
    assert pack([], 10) == ()
