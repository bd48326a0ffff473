"""The configuration of a study: one typed model, the source of the JSON schema.

``config.yaml`` explains every key. A study file is laid over it: of ``dataset``,
``arms``, ``models`` and ``comparisons`` it replaces the whole, of every other section
the keys it names.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from routebench.arms.base import Parameters
from routebench.arms.registry import KINDS, kind_module, parse_parameters
from routebench.choice.budget import Limits
from routebench.choice.registry import MODEL_KINDS, model_module, parse_model_parameters
from routebench.errors import RoutebenchError
from routebench.planning.explain import explain

REPLACED = ("dataset", "arms", "models", "comparisons")
NAME = r"^[A-Za-z0-9][A-Za-z0-9+._-]*$"
Name = Annotated[str, Field(pattern=NAME)]
Positive = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A part of the configuration; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetSection(Section):
    """Where issues and gold come from."""

    kind: Literal["contextbench", "ledger", "own"] = Field(description="Loader of the file.")
    pin: str | None = Field(None, description="Name of a file in workflow/pins/files.yaml.")
    path: str | None = Field(None, description="A local file instead of a pinned one.")
    mend: bool = Field(
        True, description="contextbench: resolve bare repository names and /workspace/ paths."
    )
    gold_audit: str | None = Field(
        None, description="Pin of an archived audit that tells the alignment of spans without text."
    )
    annotation_audit: str | None = Field(
        None, description="ledger: pin of the archived audit of spans that are not aligned."
    )

    @model_validator(mode="after")
    def _one_file(self) -> "DatasetSection":
        if (self.pin is None) == (self.path is None):
            raise ValueError("exactly one of pin and path is needed")
        if self.kind == "own" and self.pin:
            raise ValueError("kind own takes path")
        if self.kind == "ledger" and not (self.gold_audit and self.annotation_audit):
            raise ValueError("kind ledger needs gold_audit and annotation_audit")
        return self


class QuotaSection(Section):
    """Repositories of one language."""

    repositories: Positive = Field(description="How many, those with most eligible cases first.")
    distinct_owners: bool = Field(False, description="At most one repository per owner.")


class CohortSection(Section):
    """Which of the eligible cases are in the study; null or empty does not restrict."""

    ids: tuple[str, ...] = Field((), description="Exactly these case ids, in this order.")
    repositories: tuple[str, ...] = Field((), description="Only these repositories.")
    leave_out: tuple[str, ...] = Field((), description="Never these repositories.")
    quotas: dict[str, QuotaSection] = Field(
        {}, description="Per language: how many repositories, by number of eligible cases."
    )
    cases_per_repository: Positive | None = Field(
        None, description="At most so many cases per repository, by SHA-256 of the id."
    )
    ledger: str | None = Field(
        None, description="Pin of a published case ledger that the cohort must be equal to."
    )
    partial: bool = Field(
        False, description="The dataset may lack cases of the ledger; they are left out by name."
    )


class RepositoriesSection(Section):
    """Where source comes from."""

    url: str = Field(description="Address template with {repo}, {owner} and {name}.")
    releases: str | None = Field(
        None, description="Pin file of releases that serve as commits (demo study)."
    )


class CorpusSection(Section):
    """What counts as source beyond rule C1."""

    max_file_bytes: Positive = Field(description="Larger files are left out, bytes.")


class ContextSection(Section):
    """The context an agent is shown."""

    budgets: tuple[Positive, ...] = Field(
        description="Token budgets; the first is the main one. Empty: no contexts."
    )
    best_lines: Positive = Field(description="Lines per file around which ranges are cut.")
    margin: Annotated[int, Field(ge=0)] = Field(description="Lines on either side of each.")


class Overlap(Section):
    """Gold files that an arm finds and none of the others."""

    arm: str = Field(description="Arm whose findings are counted.")
    without: tuple[str, ...] = Field(description="Arms whose findings are taken away.")


class StatisticsSection(Section):
    """The paired cluster bootstrap."""

    resamples: Annotated[int, Field(ge=40)] = Field(description="Draws of the bootstrap.")
    seed: int = Field(description="Seed of random.Random.")
    overlaps: tuple[Overlap, ...] = Field(
        description="Counts of gold that an arm finds and others do not, beside the comparisons."
    )


class ReportingSection(Section):
    """Tables and figures."""

    cost: Literal["wall_ms", "calls"] = Field(description="Cost axis of the figure cost-recall.")


class Comparison(Section):
    """A paired difference: arm minus comparator."""

    arm: str = Field(description="Arm that is compared.")
    against: str = Field(description="Arm that is subtracted.")


class ArmSection(BaseModel):
    """An arm: its kind, and the parameters of that kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(description="Kind of arm.")

    @cached_property
    def parameters(self) -> Parameters:
        """The typed parameters of the arm."""
        return parse_parameters(self.kind, dict(self.model_extra or {}))


class ModelSection(BaseModel):
    """A choice model: its kind, and the parameters of that kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(description="Kind of choice model.")

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """What tells this model's answers from another's, its kind included."""
        parameters = parse_model_parameters(self.kind, dict(self.model_extra or {}))
        return {"kind": self.kind, **parameters.identity}


class LimitsSection(Section):
    """What paid models may cost."""

    study: Limits = Field(Limits(), description="Limits of all arms of the study together.")
    arms: dict[str, Limits] = Field({}, description="Limits of single arms, by name.")


class Configuration(Section):
    """A whole study."""

    study: Name = Field(description="Name of the study and of its folder in results/.")
    title: str = Field(description="One line that says what the study asks.")
    results: str = Field(description="Folder of results.")
    cache: str = Field(description="Folder of downloads and mirrors, shared by studies.")
    dataset: DatasetSection
    cohort: CohortSection
    repositories: RepositoriesSection
    corpus: CorpusSection
    k: tuple[Positive, ...] = Field(min_length=1, description="Candidates counted.")
    arms: dict[Name, ArmSection] = Field(min_length=1, description="Arms by name, in table order.")
    models: dict[Name, ModelSection] = Field(description="Choice models by name.")
    limits: LimitsSection
    comparisons: tuple[Comparison, ...] = Field(description="Paired differences; first is main.")
    context: ContextSection
    statistics: StatisticsSection
    reporting: ReportingSection

    @model_validator(mode="after")
    def _references(self) -> "Configuration":
        self._check_arms_known(
            "comparisons", [n for c in self.comparisons for n in (c.arm, c.against)]
        )
        for overlap in self.statistics.overlaps:
            self._check_arms_known("statistics.overlaps", [overlap.arm, *overlap.without])
        for name, arm in self.arms.items():
            self._check_arms_known(f"arms.{name}.sources", arm.parameters.source_arms)
            self._check_arms_known(f"arms.{name}.calls_of", arm.parameters.call_arms)
            self._check_models_known(f"arms.{name}.model", arm.parameters.models)
        self._check_arms_known("limits.arms", self.limits.arms)
        _check_acyclic({name: _arms_before(arm.parameters) for name, arm in self.arms.items()})
        if list(self.k) != sorted(set(self.k)):
            raise ValueError("k: expected distinct numbers in ascending order")
        return self

    def _check_arms_known(self, key: str, names: Iterable[str]) -> None:
        _check_known(key, names, "arm", self.arms)

    def _check_models_known(self, key: str, names: Iterable[str]) -> None:
        _check_known(key, names, "model", self.models)


def _check_known(key: str, names: Iterable[str], what: str, known: Mapping[str, Any]) -> None:
    for name in names:
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "none is configured"
            raise ValueError(f"{key}: no {what} {name!r}; {expected}")


def _arms_before(parameters: Parameters) -> tuple[str, ...]:
    return (*parameters.source_arms, *parameters.call_arms)


def _check_acyclic(sources: Mapping[str, tuple[str, ...]]) -> None:
    done: set[str] = set()
    while ready := {n for n in sources if n not in done and done.issuperset(sources[n])}:
        done |= ready
    if left := sorted(set(sources) - done):
        raise ValueError(f"arms.{left[0]}.sources: arms feed each other in a circle")


def overlay(base: Mapping[str, Any], study: Mapping[str, Any]) -> dict[str, Any]:
    """Lays a study over the defaults; see the module's docstring for the rule."""
    merged = dict(base)
    for key, value in study.items():
        partial = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        if partial and key not in REPLACED:
            merged[key] = {**merged[key], **value}
        else:
            merged[key] = value
    return merged


def parse_configuration(values: Mapping[str, Any]) -> Configuration:
    """Checks a whole configuration.

    Raises:
        RoutebenchError: one line that names the key, its value and what is allowed.
    """
    for section, kinds, module in (
        ("models", MODEL_KINDS, model_module),
        ("arms", KINDS, kind_module),
    ):
        entries = values.get(section)
        for name, entry in entries.items() if isinstance(entries, Mapping) else ():
            _check_entry(f"{section}.{name}", entry, kinds, module)
    try:
        return Configuration.model_validate(dict(values))
    except ValidationError as error:
        raise RoutebenchError(explain(error, Configuration)) from error


def _check_entry(
    key: str, entry: Any, kinds: Mapping[str, str], module: Callable[[str], Any]
) -> None:
    kind = str(entry.get("kind")) if isinstance(entry, Mapping) else ""
    if kind not in kinds:
        raise RoutebenchError(f"config: {key}.kind is {kind!r}; expected one of {', '.join(kinds)}")
    model = module(kind).PARAMETERS
    try:
        model(**{name: value for name, value in entry.items() if name != "kind"})
    except ValidationError as error:
        prefix = tuple(key.split(".", 1))
        raise RoutebenchError(explain(error, model, prefix=prefix, always=("kind",))) from error


def load_configuration(given: Mapping[str, Any], defaults: Path) -> Configuration:
    """Returns the configuration of a run.

    Args:
        given: what the command line gave Snakemake: study files and ``--config`` values.
        defaults: ``config.yaml``.

    Raises:
        RoutebenchError: a file is not YAML, or a key or a value is not allowed.
    """
    try:
        base = yaml.safe_load(defaults.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise RoutebenchError(f"{defaults.name}: not YAML ({error})") from error
    return parse_configuration(overlay(base, given))
