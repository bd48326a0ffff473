"""Studies made by rule, small enough to work out by hand or as large as wanted.

Every case has the gold files 1 (lines 10 to 14) and 2 (lines 1 to 3). Arm a nominates in case
c the files s, s + 1 and so on, where s = (2a + c) mod 4. With k = 2 the gold files found are

=== ============ =====
s   first two    found
=== ============ =====
0   0, 1         1
1   1, 2         2
2   2, 3         1
3   3, 4         0
=== ============ =====

so that arm 1 against arm 0 is level in cases 0 and 2, behind in 1 (0 to 2) and ahead in 3.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from routebench.reporting.site.build import write_site
from routebench.reporting.site.study import SiteArm, SiteFiles, SiteStudy
from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings
from routebench.tables import table_schema, write_rows

ROOT = Path(__file__).parents[3]
QUERIES = [ROOT / "workflow" / "queries" / f"{name}.sql" for name in ("arms", "differences")]
GOLD = {1: (10, 14), 2: (1, 3)}
TABLES = ("rankings", "operations", "contexts", "traces")


@dataclass(frozen=True)
class Plan:
    """What a study is made of; ``poison`` goes into every text that others write."""

    cases: int = 4
    arms: tuple[str, ...] = ("rg", "tree")
    listed: int = 4
    ks: tuple[int, ...] = (2, 4)
    budgets: tuple[int, ...] = (16000, 8000)
    poison: str = ""
    issue: str = "It breaks in the second file."

    def path(self, place: int) -> str:
        return f"src/part{place % 3}/{self.poison}file{place}.py"

    def case_id(self, case: int) -> str:
        return f"case-{case}{self.poison}"

    def repo(self, case: int) -> str:
        return f"acme/app{case % 2}"

    def start(self, arm: int, case: int) -> int:
        return (2 * arm + case) % 4

    def ranking(self, arm: int, case: int) -> list[int]:
        start = self.start(arm, case)
        return list(range(start, start + self.listed))

    def found(self, arm: int, case: int, k: int) -> int:
        return len(GOLD.keys() & set(self.ranking(arm, case)[:k]))


@dataclass
class Writer:
    """Writes the result files of a plan."""

    folder: Path
    plan: Plan
    paths: dict[str, dict[str, list[Path]]] = field(default_factory=dict)

    def write(self) -> SiteFiles:
        """Writes everything and returns where it is."""
        whole = {name: self.folder / f"{name}.parquet" for name in ("cases", "gold", "spans")}
        whole |= {
            name: self.folder / f"{name}.parquet" for name in ("exclusions", "scores", "statistics")
        }
        for name, path in whole.items():
            write(path, name, getattr(self, name)())
        self.paths = {table: self._by_arm(table) for table in TABLES}
        return SiteFiles(
            results=ResultFiles(
                **{name: path for name, path in whole.items() if name != "spans"},
                spans=[whole["spans"]],
                rankings=self.paths["rankings"],
                operations=self.paths["operations"],
            ),
            contexts=self.paths["contexts"] if self.plan.budgets else {},
            traces=self.paths["traces"],
            commits=self._commits(),
            queries=QUERIES,
        )

    def _by_arm(self, table: str) -> dict[str, list[Path]]:
        paths = {}
        for place, arm in enumerate(self.plan.arms):
            path = self.folder / table / f"{place}.parquet"
            write(path, table, getattr(self, table)(place))
            paths[arm] = [path]
        return paths

    def _commits(self) -> list[Path]:
        paths = []
        for repo in sorted({self.plan.repo(case) for case in range(self.plan.cases)}):
            paths.append(self.folder / "commits" / f"{repo.replace('/', '__')}.json")
            paths[-1].parent.mkdir(exist_ok=True)
            paths[-1].write_text(json.dumps({"repo": repo, "origin": None, "commits": []}))
        return paths

    def cases(self) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            yield {
                "case_id": self.plan.case_id(case),
                "repo": self.plan.repo(case),
                "language": ("python", "go")[case % 2] + self.plan.poison,
                "source": f"hand{self.plan.poison}",
                "base_commit": f"{case:040x}",
                "query": f"{self.plan.issue} Case {case}.{self.plan.poison}",
                "gold_files": 2,
                "gold_spans": 2,
                "aligned": (True, False, None)[case % 3],
                "several_directories": case % 2 == 0,
            }

    def gold(self) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            for place, (start, end) in GOLD.items():
                yield {
                    "case_id": self.plan.case_id(case),
                    "path": self.plan.path(place),
                    "start_line": start,
                    "end_line": end,
                    "aligned": place == 1,
                    "annotated_end_line": end,
                }

    def spans(self) -> Iterator[dict[str, Any]]:
        for row in self.gold():
            yield {**row, "file_lines": 50}

    def exclusions(self) -> Iterator[dict[str, Any]]:
        yield {
            "case_id": f"gone{self.plan.poison}",
            "repo": "acme/app0",
            "stage": "audit",
            "reason": f"gold below build{self.plan.poison}",
        }

    def scores(self) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            for place, arm in enumerate(self.plan.arms):
                for k in self.plan.ks:
                    for budget in self.plan.budgets or (None,):
                        yield self._score(case, place, arm, k, budget)

    def _score(self, case: int, place: int, arm: str, k: int, budget: int | None) -> dict[str, Any]:
        found = self.plan.found(place, case, k)
        return {
            "case_id": self.plan.case_id(case),
            "repo": self.plan.repo(case),
            "arm": arm,
            "k": k,
            "budget": budget,
            "file_recall": found / 2,
            "gold_found": found,
            "gold_files": 2,
            "line_recall": None if budget is None else found / 3,
            "context_tokens": None if budget is None else 100 * k,
        }

    def statistics(self) -> Iterator[dict[str, Any]]:
        arm, comparator = self.plan.arms[1], self.plan.arms[0]
        yield {
            "comparison": f"{arm}-{comparator}",
            "arm": arm,
            "comparator": comparator,
            "metric": "file_recall",
            "k": self.plan.ks[0],
            "subset": "all",
            "n_cases": self.plan.cases,
            "n_clusters": 2,
            "delta": 0.0625,
            "lower": -0.5,
            "upper": 0.75,
            "wins": 1,
            "ties": 2,
            "losses": 1,
        }

    def rankings(self, arm: int) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            for rank, place in enumerate(self.plan.ranking(arm, case), start=1):
                yield {
                    "case_id": self.plan.case_id(case),
                    "rank": rank,
                    "path": self.plan.path(place),
                    "score": 1 / rank,
                }

    def operations(self, arm: int) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            failed = (arm, case) == (0, 3)
            yield {
                "case_id": self.plan.case_id(case),
                "wall_ms": 12.3456,
                "calls": 3,
                "error": f"HTTP 500{self.plan.poison}" if failed else None,
            }

    def contexts(self, arm: int) -> Iterator[dict[str, Any]]:
        for case in range(self.plan.cases):
            for k in self.plan.ks:
                for budget in self.plan.budgets:
                    for place in self.plan.ranking(arm, case)[:k]:
                        yield {
                            "case_id": self.plan.case_id(case),
                            "k": k,
                            "budget": budget,
                            "path": self.plan.path(place),
                            "start_line": 1,
                            "end_line": 12,
                            "tokens": 100,
                            "included": place != 3,
                        }

    def traces(self, arm: int) -> Iterator[dict[str, Any]]:
        """A walk of the root, its only directory and a menu; arms but the second have none."""
        for case in range(self.plan.cases) if arm == 1 else ():
            for step, row in enumerate(self._walk(), start=1):
                yield {"case_id": self.plan.case_id(case), "step": step, "calls": 1, **row}

    def _walk(self) -> Iterator[dict[str, Any]]:
        yield {"kind": "enter", "path": "."}
        yield {"kind": "enter", "path": "src", "menu": ".", "depth": 1}
        for part, probability in enumerate((0.7, 0.002, 0.2)):
            yield {
                "kind": "option",
                "path": f"src/part{part}",
                "menu": "src",
                "probability": probability,
                "kept": probability > 0.01,
                "depth": 2,
            }
        yield {"kind": "none", "menu": "src", "probability": 0.098, "depth": 2}
        yield {"kind": "file", "path": self.plan.path(0), "rank": 1, "probability": 0.7}
        yield {"kind": "skip", "path": self.plan.path(9), "reason": f"empty{self.plan.poison}"}
        yield {"kind": "stop", "reason": f"16 files{self.plan.poison}"}


def write(path: Path, table: str, rows: Iterator[dict[str, Any]]) -> None:
    """Writes rows; columns that they do not name are empty, or zero where they must not be."""
    zeros = {"double": 0.0, "bool": False, "string": "", "large_string": ""}
    empty = {
        column.name: None if column.nullable else zeros.get(str(column.type), 0)
        for column in table_schema(table)
    }
    write_rows(path, table, ({name: row.get(name, empty[name]) for name in empty} for row in rows))


@dataclass(frozen=True)
class Built:
    """A study and its files."""

    files: SiteFiles
    study: SiteStudy


def build(folder: Path, plan: Plan) -> Built:
    arms = [
        SiteArm(
            name=name,
            kind="tree" if place == 1 else "ripgrep",
            summary=f"What it is.{plan.poison}",
            parameters={"query_characters": 10 if place == 1 else None, "note": plan.poison},
            given=["note"],
            models={"static": {"kind": "static"}} if place == 1 else {},
            sources=[plan.arms[1]] if place == 2 else [],
        )
        for place, name in enumerate(plan.arms)
    ]
    settings = StudySettings(
        ks=plan.ks,
        arms=tuple(ArmEntry(arm.name, arm.kind, "") for arm in arms),
        comparator=plan.arms[0],
        main_budget=plan.budgets[0] if plan.budgets else None,
        provenance=f"routebench by hand{plan.poison}",
    )
    study = SiteStudy(
        name="hand",
        title=f"What is found?{plan.poison}",
        settings=settings,
        comparisons=[(plan.arms[1], plan.arms[0])],
        arms=arms,
        url="https://github.com/{repo}.git",
    )
    return Built(Writer(folder, plan).write(), study)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Four cases of two repositories, two arms; the numbers are above."""
    return build(tmp_path / "results", Plan())


@pytest.fixture(scope="session")
def make() -> Callable[..., Built]:
    """Returns a function that writes a study into a folder: what differs from ``Plan``."""

    def made(folder: Path, **differences: Any) -> Built:
        return build(folder, Plan(**differences))

    return made


def large_study(folder: Path, cases: int, arms: int, limit: int) -> Path:
    """Writes the report of a study of so many cases and arms; returns its page."""
    plan = Plan(
        cases=cases,
        arms=("rg", "tree", *(f"arm-{number}" for number in range(2, arms))),
        listed=16,
        ks=(8, 16),
        budgets=(16000,),
        issue="It breaks in a way that takes long to tell.\n" * 40,
    )
    built = build(folder / "results", plan)
    page = folder / "report" / "index.html"
    write_site(
        files=built.files, study=built.study, page=page, cases=folder / "report/cases", limit=limit
    )
    return page


@pytest.fixture(scope="session")
def paper_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study as large as the paper's: 82 cases, nine arms, one file."""
    return large_study(tmp_path_factory.mktemp("paper"), 82, 9, limit=10_000_000)


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A larger study: 500 cases, twelve arms, side files."""
    return large_study(tmp_path_factory.mktemp("large"), 500, 12, limit=0)
