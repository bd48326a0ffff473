"""A study as Snakemake sees it: its folders, its targets and the inputs of its rules."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from routebench.errors import RoutebenchError, error_line
from routebench.planning.configuration import Configuration, load_configuration
from routebench.planning.settings import settings_text, write_settings
from routebench.planning.stages import STAGES, arm_settings, stage_settings

TABLES = (
    "arms",
    "differences",
    "subgroups",
    "repositories",
    "budgets",
    "overlaps",
    "alignment",
    "operations",
    "usage",
    "exclusions",
)
FORMATS = ("csv", "md", "tex")
FIGURE_FORMS = ("svg", "png", "csv")
FIGURES = ("repository-differences", "cost-recall")
MIRROR_VARIABLE = "ROUTEBENCH_MIRROR"
URL_VARIABLE = "ROUTEBENCH_GIT_URL"


def open_study(given: Mapping[str, Any], base: Path) -> "Study":
    """Opens the study that the command line asks for and writes its settings files.

    Args:
        given: Snakemake's ``config``.
        base: folder of the Snakefile.

    Raises:
        SystemExit: the configuration is wrong or cannot be written; one line says where.
    """
    try:
        study = Study(load_configuration(given, base / "config.yaml"))
        study.write_settings()
    except (RoutebenchError, OSError) as error:
        raise SystemExit(error_line(error)) from None
    return study


class Study:
    """Paths and inputs of one study. Every method is a pure function of the config
    and of the cohort, once Snakemake's checkpoint has made it.
    """

    def __init__(self, config: Configuration) -> None:
        self.config = config
        self.folder = f"{config.results}/{config.study}"
        self.cache = config.cache
        self.arms = tuple(config.arms)

    def write_settings(self) -> None:
        """Writes the settings file of each stage and arm, where its content differs."""
        for stage in STAGES:
            write_settings(Path(self.settings(stage)), stage_settings(stage, self.config))
        for arm in self.arms:
            write_settings(Path(self.arm_settings(arm)), arm_settings(arm, self.config))
        write_settings(Path(self.settings("access")), settings_text(self.access))

    def settings(self, stage: str) -> str:
        """Returns the settings file of a stage."""
        return f"{self.folder}/settings/{stage}.json"

    def arm_settings(self, arm: str) -> str:
        """Returns the settings file of an arm."""
        return f"{self.folder}/settings/arms/{arm}.json"

    def of_arms(self, folder: str) -> list[str]:
        """Returns a stage's file of each arm for one repository, a wildcard in their names."""
        return [f"{self.folder}/{folder}/{arm}/{{repo}}.parquet" for arm in self.arms]

    @property
    def plain_arms(self) -> str:
        """Regular expression of the arms that ask no model, for wildcards."""
        return _pattern(a for a in self.arms if not self.config.arms[a].parameters.models)

    @property
    def asking_arms(self) -> str:
        """Regular expression of the arms that ask a model, for wildcards."""
        return _pattern(a for a in self.arms if self.config.arms[a].parameters.models)

    @property
    def dataset_file(self) -> str:
        """The file that issues come from."""
        dataset = self.config.dataset
        return dataset.path or f"{self.cache}/pins/{dataset.pin}"

    @property
    def is_archive(self) -> bool:
        """Whether cases and audits come from the published archive, without any source."""
        return self.config.dataset.kind == "ledger"

    def pin(self, name: str | None) -> list[str]:
        """Returns the file of a pin, as a list that is empty without one."""
        return [f"{self.cache}/pins/{name}"] if name else []

    @property
    def access(self) -> dict[str, Any]:
        """How things are reached: what no result depends on, so that it reruns nothing."""
        return {
            "study": self.config.study,
            "url": os.environ.get(URL_VARIABLE) or self.config.repositories.url,
            "pins": os.environ.get(MIRROR_VARIABLE),
            "releases": self.config.repositories.releases,
            "mirrors": f"{self.cache}/mirrors",
            "downloads": f"{self.cache}/releases",
            "answers": f"{self.cache}/answers",
            "models": {n: m.model_dump(mode="json") for n, m in self.config.models.items()},
            "limits": self.config.limits.model_dump(mode="json"),
        }

    @property
    def targets(self) -> list[str]:
        """What ``rule all`` asks for."""
        return [
            *self.tables,
            *(f"{self.folder}/figures/{n}.{form}" for n in self.figures for form in FIGURE_FORMS),
            *(f"{self.folder}/{name}" for name in ("summary.txt", "versions.json")),
            f"{self.folder}/report/index.html",
            *([f"{self.folder}/verified.txt"] if self.config.verify else []),
        ]

    @property
    def published_pins(self) -> list[str]:
        """The pinned files that a verification reads."""
        if not self.config.verify:
            return []
        from routebench.verification.verify import published_pins

        return [
            file for name in published_pins(Path(self.config.verify)) for file in self.pin(name)
        ]

    @property
    def figure_files(self) -> list[str]:
        """The drawings that the report shows."""
        return [f"{self.folder}/figures/{figure}.svg" for figure in self.figures]

    @property
    def verdicts(self) -> list[str]:
        """The comparison with published values, where the study makes one."""
        return [f"{self.folder}/verify.csv"] if self.config.verify else []

    @property
    def tables(self) -> list[str]:
        """Every table in every format."""
        return self.tables_as(*FORMATS)

    def tables_as(self, *formats: str) -> list[str]:
        """Returns every table in some formats."""
        return [f"{self.folder}/tables/{name}.{form}" for name in self._tables for form in formats]

    @property
    def table_queries(self) -> list[str]:
        """The query of every table, in the same order."""
        return [f"workflow/queries/{name}.sql" for name in self._tables]

    @property
    def _tables(self) -> list[str]:
        return list(dict.fromkeys([*TABLES, *self.config.reporting.tables]))

    @property
    def figures(self) -> list[str]:
        """Names of the figures; without a comparison there is none to draw of it."""
        asked = dict.fromkeys([*FIGURES, *self.config.reporting.figures])
        return [f for f in asked if self.config.comparisons or f != "repository-differences"]


class Inputs:
    """Input functions of the rules; those over all repositories wait for the cohort."""

    def __init__(self, study: Study, checkpoints: Any) -> None:
        self.study = study
        self.checkpoints = checkpoints

    def repositories(self) -> list[str]:
        """Returns the slugs of the cohort's repositories, sorted."""
        self.checkpoints.cohort.get()
        folder = Path(self.study.folder, "commits")
        return sorted(path.stem for path in folder.glob("*.json"))

    def each(self, pattern: str) -> Any:
        """Returns an input function that puts each repository into ``pattern``."""
        return lambda wildcards: [
            pattern.format(repo=repo, **wildcards) for repo in self.repositories()
        ]

    def spans(self, wildcards: Any) -> list[str]:
        """Returns the audited spans: of each repository, or the archive's."""
        if self.study.is_archive:
            return [f"{self.study.folder}/spans.parquet"]
        folder = f"{self.study.folder}/spans"
        return [f"{folder}/{repo}.parquet" for repo in self.repositories()]

    def all_arms(self, folder: str) -> Any:
        """Returns an input function: a stage's files of all arms and repositories."""
        return lambda wildcards: [
            f"{self.study.folder}/{folder}/{arm}/{repo}.parquet"
            for arm in self.study.arms
            for repo in self.repositories()
        ]

    def of_asking_arms(self, folder: str) -> Any:
        """Returns an input function: a stage's files of the arms that ask a model."""
        arms = self.study.config.arms
        return lambda wildcards: [
            f"{self.study.folder}/{folder}/{arm}/{repo}.parquet"
            for arm in self.study.arms
            if arms[arm].parameters.models
            for repo in self.repositories()
        ]

    def snapshots(self, wildcards: Any) -> list[str]:
        """Returns the snapshots of a repository, for arms that read source."""
        needed = self._parameters(wildcards).needs_corpus
        return [f"{self.study.folder}/snapshots/{wildcards.repo}"] if needed else []

    def blobs(self, wildcards: Any) -> list[str]:
        """Returns the texts of a repository, for arms that read source."""
        needed = self._parameters(wildcards).needs_corpus
        return [f"{self.study.folder}/blobs/{wildcards.repo}.parquet"] if needed else []

    def files(self, wildcards: Any) -> list[str]:
        """Returns the folder of blob files, for arms that run a program on them."""
        needed = self._parameters(wildcards).needs_files
        return [f"{self.study.folder}/files/{wildcards.repo}"] if needed else []

    def sources(self, wildcards: Any) -> list[str]:
        """Returns the rankings that an arm is made from."""
        return [
            f"{self.study.folder}/rankings/{arm}/{wildcards.repo}.parquet"
            for arm in self._parameters(wildcards).source_arms
        ]

    def costs(self, wildcards: Any) -> list[str]:
        """Returns what the arms that an arm is made from, or is matched to, have cost."""
        parameters = self._parameters(wildcards)
        return [
            f"{self.study.folder}/operations/{arm}/{wildcards.repo}.parquet"
            for arm in (*parameters.source_arms, *parameters.call_arms)
        ]

    def pins(self, wildcards: Any) -> list[str]:
        """Returns the pinned files that an arm reads."""
        return [f"{self.study.cache}/pins/{pin}" for pin in self._parameters(wildcards).pins]

    def _parameters(self, wildcards: Any) -> Any:
        return self.study.config.arms[wildcards.arm].parameters


def _pattern(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, names)) or "(?!)"
