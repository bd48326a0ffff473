"""What is generated from the code is current, whole and readable."""

import re
from pathlib import Path

import pytest
import yaml

from routebench.arms.registry import KINDS
from routebench.choice.registry import MODEL_KINDS
from routebench.planning.markdown import cell, prose
from routebench.planning.references import DOCUMENTATION, reference_texts
from routebench.planning.settings import SCHEMAS

TEXTS = reference_texts()
PAGES = [path for path in TEXTS if path.suffix == ".md"]
CONFIG, RESULTS = (TEXTS[DOCUMENTATION / f"{name}.md"] for name in ("config", "results"))
ROW = re.compile(r"^\| .* \|$", re.MULTILINE)
BAR = re.compile(r"(?<!\\)\|")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_the_file_is_what_the_code_gives(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == TEXTS[path], "run make references"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_row_has_the_cells_of_its_table(path: Path) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", TEXTS[path], re.MULTILINE):
        widths = {len(BAR.findall(line)) for line in block.splitlines()}
        assert len(widths) == 1, block


@pytest.mark.parametrize(
    "row",
    [
        "| `resamples` | whole number from 40 to 100000 | `10000` | Draws of the bootstrap. |",
        "| `quotas.<language>.repositories` | whole number from 1 | *required* | ",
        "| `overlaps[].without` | list of text | *required* | ",
        "| `k` | list of whole number from 1, at least one | `[8, 16]` | Candidates counted. |",
        "| `b` | number from 0 to 1 | `0.75` | ",
        "| `columns` | list of `path`, `content`, at least one | `[path, content]` | ",
        "| `time_limit_s` | number above 0 | `60.0` | ",
        "| `price.input_usd` | number from 0 | ",
        r"| `url` | text, `\{(repo\|name)\}` | `https://github.com/{repo}.git` | ",
        "`query_characters: 2000`, `path_text: false`, `path_boost: 1.5`",
    ],
)
def test_a_key_is_told_with_type_default_and_meaning(row: str) -> None:
    assert row in CONFIG


def test_every_kind_has_a_heading() -> None:
    headings = re.findall(r"^### (.*)$", CONFIG, re.MULTILINE)
    assert headings == [*KINDS, *MODEL_KINDS]


@pytest.mark.parametrize(
    "row",
    [
        "| `file_recall` | `float64`, share |  | Gold files found / gold files. |",
        "| `budget` | `int32`, tokens | yes | Context budget, tokens; empty where ",
        "| `probabilities` | `list<float64>`, share |  | ",
        "| `wall_ms` | `float64`, ms |  | Whole case, ms. |",
        "| `lower`, `upper` | 95 % interval |",
        "`contexts/<arm>/<owner>__<name>.parquet`",
    ],
)
def test_a_column_is_told_with_type_and_unit(row: str) -> None:
    assert row in RESULTS


def test_every_result_table_has_files_and_says_what_a_row_is() -> None:
    for path in SCHEMAS.glob("*.schema.yaml"):
        schema = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.name != "config.schema.yaml":
            assert schema["files"], path.name
            assert schema["row"].endswith("."), path.name
            for column in schema["properties"]:
                assert f"| `{column}` |" in RESULTS


def test_what_markdown_would_take_for_its_own_is_escaped() -> None:
    assert cell("min(|G|, k)\nof two") == r"min(\|G\|, k) of two"
    assert prose("A ``*.py`` of <name> or test_*.") == r"A `*.py` of \<name> or test_\*."
    assert prose("Gold found (E); None for all (METHODS R1).") == "Gold found; `null` for all."
