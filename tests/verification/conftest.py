"""The published study recomputed from its archive, without any repository (METHODS D3)."""

import csv
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from routebench.arms.base import Ranked, Resources
from routebench.arms.registry import parse_parameters
from routebench.arms.run import rank_repository
from routebench.datasets.pins import find_pin
from routebench.evaluation.ledger import cases_from_ledger
from routebench.evaluation.scores import score_study
from routebench.reporting.views import ArmEntry, ResultFiles, StudySettings
from routebench.statistics.compare import compare_arms
from routebench.statistics.overlap import measure_overlaps
from routebench.tables import read_rows, write_rows
from routebench.verification.verify import verify_study

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "workflow" / "pins" / "published"
STUDY: dict[str, Any] = yaml.safe_load((ROOT / "workflow/studies/paper-archive.yaml").read_text())
KINDS = {name: arm["kind"] for name, arm in STUDY["arms"].items()}
COMPARISONS = [(pair["arm"], pair["against"]) for pair in STUDY["comparisons"]]
KS = (8, 16)


@dataclass(frozen=True)
class ArchiveStudy:
    """Result files of the study paper-archive in one folder, and what goes with them."""

    folder: Path
    pins: dict[str, Path]

    @property
    def results(self) -> ResultFiles:
        names = ("cases", "gold", "exclusions", "scores", "statistics", "overlaps")
        return ResultFiles(
            **{name: self.folder / name for name in names},
            spans=[self.folder / "spans"],
            rankings={arm: [self.folder / f"{arm}.rankings"] for arm in KINDS},
            operations={arm: [self.folder / f"{arm}.operations"] for arm in KINDS},
        )

    @property
    def settings(self) -> StudySettings:
        arms = tuple(ArmEntry(name, kind) for name, kind in KINDS.items())
        return StudySettings(KS, arms, COMPARISONS[0][1])

    def copy(self, folder: Path) -> "ArchiveStudy":
        shutil.copytree(self.folder, folder)
        return replace(self, folder=folder)

    def change(self, name: str, table: str, mend: Callable[[dict[str, Any]], Any]) -> None:
        """Rewrites a file with each row mended, or left out where ``mend`` returns None."""
        rows = [mend(row) for row in read_rows(self.folder / name, table)]
        write_rows(self.folder / name, table, [row for row in rows if row is not None])

    def score(self) -> None:
        """Writes scores, statistics and overlaps as the stages of the study do."""
        score_files(self.results)
        count_overlaps(self.results)
        self.compare()

    def compare(self) -> None:
        """Writes the statistics anew."""
        compare_arms(
            scores=self.results.scores,
            cases=self.results.cases,
            comparisons=COMPARISONS,
            seed=0,
            resamples=10_000,
            output=self.results.statistics,
        )

    def verify(self, published: Path = PUBLISHED) -> tuple[int, list[dict[str, str]]]:
        """Returns how many numbers differ, and the rows of verify.csv."""
        different = verify_study(
            study="paper-archive",
            results=self.results,
            arms=KINDS,
            published=published,
            pins=self.pins,
            output=self.folder / "verify.csv",
            summary=self.folder / "verify.md",
        )
        with (self.folder / "verify.csv").open(newline="") as file:
            return different, list(csv.DictReader(file))


@pytest.fixture(scope="session")
def pins(published: Path) -> dict[str, Path]:
    names = ["case-ledger", "paper-gold-audit", "annotation-audit", "paper-tree", "paper-fts5"]
    names += ["paper-rg", "paper-path-fts5", "paper-rg-feedback", "paper-flat-paths"]
    files = {name: published / "paper-archive" / find_pin(name).file for name in names}
    return {**files, "basename-rankings": PUBLISHED / "basename-rankings.json"}


@pytest.fixture(scope="session")
def archive_study(pins: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> ArchiveStudy:
    study = ArchiveStudy(tmp_path_factory.mktemp("paper-archive"), pins)
    cases_from_ledger(
        ledger=pins["case-ledger"],
        gold_audit=pins["paper-gold-audit"],
        annotation_audit=pins["annotation-audit"],
        spans=study.folder / "spans",
        cases=study.results.cases,
        gold=study.results.gold,
        exclusions=study.results.exclusions,
    )
    rank_arms(study.results, pins, study.folder / "issues")
    study.score()
    return study


def rank_arms(results: ResultFiles, pins: dict[str, Path], issues: Path) -> None:
    columns = ["case_id", "repo", "base_commit", "query"]
    write_rows(issues, "issues", read_rows(results.cases, "cases", columns))
    for arm, values in STUDY["arms"].items():
        kind, given = values["kind"], {k: v for k, v in values.items() if k != "kind"}
        parameters = parse_parameters(kind, given)
        sources = {name: read_ranked(results.rankings[name][0]) for name in parameters.source_arms}
        rank_repository(
            kind=kind,
            parameters=parameters,
            issues=issues,
            rankings=results.rankings[arm][0],
            operations=results.operations[arm][0],
            k=max(KS),
            resources=Resources(pins=pins, rankings=sources),
        )


def read_ranked(path: Path) -> dict[str, list[Ranked]]:
    rankings: dict[str, list[Ranked]] = {}
    for row in read_rows(path, "rankings"):
        rankings.setdefault(row["case_id"], []).append(Ranked(row["path"], row["score"]))
    return rankings


def score_files(results: ResultFiles) -> None:
    score_study(
        cases=results.cases,
        gold=results.gold,
        rankings=results.rankings,
        contexts={},
        ks=KS,
        budgets=(),
        output=results.scores,
    )


def count_overlaps(results: ResultFiles) -> None:
    both = [(a, (b,)) for pair in COMPARISONS for a, b in (pair, pair[::-1])]
    asked = [(o["arm"], tuple(o["without"])) for o in STUDY["statistics"]["overlaps"]]
    assert results.overlaps is not None
    measure_overlaps(
        gold=results.gold,
        rankings=results.rankings,
        comparisons=[*both, *asked],
        ks=KS,
        output=results.overlaps,
    )
