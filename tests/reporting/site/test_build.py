import json
import re
from pathlib import Path
from typing import Any

from routebench.reporting.site.build import write_site
from routebench.reporting.site.embedding import source_hash
from routebench.reporting.site.parts import asset_files

POISON = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028'\"&{{ 7*7 }}"
DATA = re.compile(r'<script type="application/json" id="([\w-]+)">(.*?)</script>', re.DOTALL)
MEGABYTES = 1_000_000


def written(built: Any, folder: Path, **options: int) -> str:
    write_site(
        files=built.files,
        study=built.study,
        page=folder / "index.html",
        cases=folder / "cases",
        **options,
    )
    return (folder / "index.html").read_text(encoding="utf-8")


def test_a_small_study_is_one_file(built: Any, tmp_path: Path) -> None:
    page = written(built, tmp_path / "report")
    data = {name: json.loads(text) for name, text in DATA.findall(page)}
    assert list(data) == ["catalogue", "case-0", "case-1", "case-2", "case-3"]
    assert data["catalogue"]["folder"] is None
    assert not (tmp_path / "report" / "cases").exists()
    assert "strict-dynamic" not in page


def test_a_large_study_keeps_its_cases_beside_the_page(built: Any, tmp_path: Path) -> None:
    page = written(built, tmp_path / "report", limit=100)
    assert [name for name, _ in DATA.findall(page)] == ["catalogue"]
    files = sorted(path.name for path in (tmp_path / "report" / "cases").iterdir())
    assert files == ["0.js", "1.js", "2.js", "3.js"]
    text = (tmp_path / "report" / "cases" / "2.js").read_text()
    assert text.startswith('routebench.receive(2, {"paths":')
    assert "strict-dynamic" in page


def test_cases_of_an_earlier_run_do_not_stay(built: Any, tmp_path: Path) -> None:
    written(built, tmp_path / "report", limit=100)
    written(built, tmp_path / "report")
    assert not (tmp_path / "report" / "cases").exists()


def test_the_same_results_give_the_same_bytes(built: Any, tmp_path: Path) -> None:
    assert written(built, tmp_path / "one") == written(built, tmp_path / "two")


def test_text_of_others_stays_text(make: Any, tmp_path: Path) -> None:
    """No script tag but the page's own, whatever ids, paths, issues and errors hold."""
    built = make(tmp_path / "results", poison=POISON, arms=("rg", f"tree{POISON}"))
    page = written(built, tmp_path / "report")
    tags = re.findall(r"<script[^>]*>", page)
    assert tags == [
        *(f'<script type="application/json" id="{name}">' for name, _ in DATA.findall(page)),
        '<script type="module">',
    ]
    assert len(DATA.findall(page)) == 5
    data = json.loads(dict(DATA.findall(page))["case-0"])
    assert POISON in data["paths"][0]
    assert not re.search("<img|<!--|\u2028|alert\\(2\\)>", page)


def test_the_policy_holds_the_hash_of_the_script(built: Any, tmp_path: Path) -> None:
    page = written(built, tmp_path)
    script = page.partition('<script type="module">')[2].partition("</script>")[0]
    style = page.partition("<style>")[2].partition("</style>")[0]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    rules = policy[1].replace("&#39;", "'")
    assert f"script-src {source_hash(script)};" in rules
    assert f"style-src {source_hash(style)};" in rules
    assert rules.startswith("default-src 'none'; ")


def test_assets_ask_nothing_of_the_network() -> None:
    for path in asset_files():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", text)
        assert not re.search(r"fetch\(|XMLHttp|@import|url\(|WebSocket|sendBeacon", text)
        assert "</script" not in text or path.suffix == ".j2"


def test_every_asset_is_used() -> None:
    folder = asset_files()[0].parent
    assert sorted(asset_files()) == sorted(p for p in folder.rglob("*") if p.is_file())


def test_the_papers_study_fits_in_one_file(paper_page: Path) -> None:
    """82 cases and nine arms, with contexts."""
    assert paper_page.stat().st_size < 15 * MEGABYTES
    assert not (paper_page.parent / "cases").exists()


def test_a_page_with_side_files_is_light(large_page: Path) -> None:
    """500 cases and twelve arms: the page holds scores and issues only."""
    assert large_page.stat().st_size < 5 * MEGABYTES
    assert len(list((large_page.parent / "cases").iterdir())) == 500
