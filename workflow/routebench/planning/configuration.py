"""The configuration of a study: one typed model, the source of the JSON schema.

``config.yaml`` explains every key. A study file is laid over it: of ``dataset``,
``arms``, ``models`` and ``comparisons`` it replaces the whole, of every other section
the keys it names.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from routebench.arms.base import Parameters
from routebench.arms.registry import KINDS, kind_module, parse_parameters
from routebench.choice.budget import Limits
from routebench.choice.registry import MODEL_KINDS, model_module, parse_model_parameters
from routebench.corpus.eligibility import PathRule
from routebench.datasets.pins import load_pins
from routebench.errors import RoutebenchError
from routebench.files import is_file
from routebench.planning.explain import did_you_mean, explain, shorten
from routebench.planning.fingerprints import ROOT
from routebench.planning.repeats import expand_repeats, family_of
from routebench.planning.study_files import read_yaml
from routebench.planning.sweeps import expand_sweeps

REPLACED = ("dataset", "arms", "models", "comparisons")
COMMON_KEYS = {"arms": ("kind", "repeats"), "models": ("kind",)}
NAME = r"^[A-Za-z0-9][A-Za-z0-9+._@=-]*$"
# Names become names of files, with suffixes and a private name beside them.
NAME_LENGTH = 100
Name = Annotated[str, Field(pattern=NAME, max_length=NAME_LENGTH)]
# Result tables count in 32 bits.
MOST = 2**31 - 1
Positive = Annotated[int, Field(ge=1, le=MOST, strict=True)]
# All draws are held at once: of 1,000 cases these take 0.8 GB.
MOST_RESAMPLES = 100_000
Template = Annotated[str, Field(pattern=r"\{(repo|name)\}")]
# Braces would be taken for wildcards, and an empty name for the root of the file system.
Folder = Annotated[str, Field(pattern=r"^[^{}\x00-\x1f]*[^{}/\x00-\x1f]$")]
Query = Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
QUERIES = ROOT.parent / "queries"
FIGURE_PREFIX = "figure-"
PUBLISHED_FILE = "measures.yaml"
# Tables with a column per arm have these beside them, and SQL does not tell case apart.
TABLE_COLUMNS = ("repo", "cases", "excluded")


class Section(BaseModel):
    """A part of the configuration; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetSection(Section):
    """Where issues and gold come from."""

    kind: Literal["contextbench", "ledger", "own", "swebench"] = Field(
        description="Loader of the file."
    )
    pin: str | None = Field(None, description="Name of a file in workflow/pins/files.yaml.")
    path: str | None = Field(
        None, pattern=r"^[^{}]+$", description="A local file instead of a pinned one."
    )
    mend: bool = Field(
        True, description="contextbench: bring absolute /workspace/ paths to their usual form."
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
            raise ValueError(
                f"pin is {self.pin!r} and path {self.path!r}; expected exactly one of them"
            )
        if self.kind == "own" and self.pin:
            raise ValueError(f"pin is {self.pin!r}; expected none, kind own takes a path")
        if self.kind == "ledger" and not (self.gold_audit and self.annotation_audit):
            raise ValueError("kind ledger needs gold_audit and annotation_audit")
        return self


class QuotaSection(Section):
    """Repositories of one language."""

    repositories: Positive = Field(description="How many, those with most eligible cases first.")
    distinct_owners: bool = Field(False, description="At most one repository per owner.")


class StrataSection(Section):
    """A sample of each repository's cases, with its own mix of difficulties."""

    per_repository: dict[str, Positive] = Field(
        min_length=1, description="How many cases of each repository (owner/name)."
    )
    first: tuple[str, ...] = Field((), description="Case ids that are taken before any other.")
    seed: int = Field(0, description="Another seed orders the cases of a difficulty anew.")


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
    stratified: StrataSection | None = Field(
        None, description="A sample by difficulty within each repository."
    )
    ledger: str | None = Field(
        None, description="Pin of a published case ledger that the cohort must be equal to."
    )
    partial: bool = Field(
        False, description="The dataset may lack cases of the ledger; they are left out by name."
    )


class RepositoriesSection(Section):
    """Where source comes from."""

    url: Template = Field(description="Address template with {repo}, or {owner} and {name}.")
    releases: str | None = Field(
        None, description="Pin file of releases that serve as commits (demo study)."
    )


class CorpusSection(Section):
    """What counts as source, beyond the rule of eligible files."""

    max_file_bytes: Positive = Field(description="Larger files are left out, bytes.")
    rule: PathRule = Field(
        "contextbench",
        description="Which paths are left out: `contextbench`, build folders, dot files and the "
        "like (METHODS C1); `text`, none.",
    )


class ContextSection(Section):
    """The context an agent is shown."""

    budgets: tuple[Positive, ...] = Field(
        description="Token budgets; the first is the main one. Empty: no contexts."
    )
    best_lines: Positive = Field(description="Lines per file around which ranges are cut.")
    margin: Annotated[int, Field(ge=0, le=MOST)] = Field(
        description="Lines on either side of each."
    )


class Overlap(Section):
    """Gold files that an arm finds and none of the others."""

    arm: str = Field(description="Arm whose findings are counted.")
    without: tuple[str, ...] = Field(description="Arms whose findings are taken away.")


class StatisticsSection(Section):
    """The paired cluster bootstrap."""

    resamples: Annotated[int, Field(ge=40, le=MOST_RESAMPLES)] = Field(
        description="Draws of the bootstrap."
    )
    seed: int = Field(description="Seed of random.Random.")
    instances: bool = Field(
        False, description="Intervals over cases beside those over repositories."
    )
    overlaps: tuple[Overlap, ...] = Field(
        description="Counts of gold that an arm finds and others do not, beside the comparisons."
    )


class ReportingSection(Section):
    """Tables and figures."""

    cost: Literal["wall_ms", "calls"] = Field(description="Cost axis of the figure cost-recall.")
    tables: tuple[Query, ...] = Field(
        (), description="Tables beside the standard ones: workflow/queries/<name>.sql."
    )
    figures: tuple[Query, ...] = Field(
        (), description="Figures beside the standard ones: workflow/queries/figure-<name>.sql."
    )

    published: str | None = Field(
        None,
        pattern=r"^[a-z0-9-]+$",
        description="Printed values beside ours: workflow/pins/published-<name>.yaml.",
    )

    @model_validator(mode="after")
    def _queries(self) -> "ReportingSection":
        _check_known("tables", self.tables, "query", table_queries())
        _check_known("figures", self.figures, "query", figure_queries())
        return self


class Comparison(Section):
    """A paired difference: arm minus comparator."""

    arm: str = Field(description="Arm that is compared.")
    against: str = Field(description="Arm that is subtracted.")


class ArmSection(BaseModel):
    """An arm: its kind, and the parameters of that kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(description="Kind of arm.")
    repeats: Positive | None = Field(
        None, description="So many arms in place of this one, each asking its model anew."
    )

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
    results: Folder = Field(description="Folder of results.")
    cache: Folder = Field(description="Folder of downloads and mirrors, shared by studies.")
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
    verify: str | None = Field(
        description="Folder of published values that the results are compared with."
    )

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The arms by the name that the study file gives them: repeats share one."""
        found: dict[str, tuple[str, ...]] = {}
        for name, arm in self.arms.items():
            family = family_of(name, arm.repeats)
            found[family] = (*found.get(family, ()), name)
        return found

    @model_validator(mode="after")
    def _references(self) -> "Configuration":
        _check_arm_names(self.arms)
        compared = [name for c in self.comparisons for name in (c.arm, c.against)]
        _check_known("comparisons", compared, "arm", self.families)
        for overlap in self.statistics.overlaps:
            self._check_arms_known("statistics.overlaps", [overlap.arm, *overlap.without])
        for name, arm in self.arms.items():
            self._check_arms_known(f"arms.{name}.sources", arm.parameters.source_arms)
            self._check_arms_known(f"arms.{name}.calls_of", arm.parameters.call_arms)
            self._check_models_known(f"arms.{name}.model", arm.parameters.models)
        self._check_arms_known("limits.arms", self.limits.arms)
        for key, pins in self._pins.items():
            _check_known(key, pins, "pin", load_pins())
        _check_acyclic({name: _arms_before(arm.parameters) for name, arm in self.arms.items()})
        if list(self.k) != sorted(set(self.k)):
            raise ValueError(f"k is {list(self.k)}; expected distinct numbers in ascending order")
        return self

    @property
    def _pins(self) -> dict[str, tuple[str, ...]]:
        dataset = self.dataset
        named = {
            "dataset.pin": dataset.pin,
            "dataset.gold_audit": dataset.gold_audit,
            "dataset.annotation_audit": dataset.annotation_audit,
            "cohort.ledger": self.cohort.ledger,
        }
        ours = {key: (pin,) for key, pin in named.items() if pin}
        arms = {f"arms.{name}.pin": arm.parameters.pins for name, arm in self.arms.items()}
        return {**ours, **arms}

    def _check_arms_known(self, key: str, names: Iterable[str]) -> None:
        _check_known(key, names, "arm", self.arms)

    def _check_models_known(self, key: str, names: Iterable[str]) -> None:
        _check_known(key, names, "model", self.models)


def table_queries() -> list[str]:
    """Returns the names of the tables that there are queries for, sorted."""
    names = (path.stem for path in QUERIES.glob("*.sql"))
    return sorted(name for name in names if not name.startswith(FIGURE_PREFIX))


def figure_queries() -> list[str]:
    """Returns the names of the figures that there are queries for, sorted."""
    return sorted(p.stem.removeprefix(FIGURE_PREFIX) for p in QUERIES.glob(f"{FIGURE_PREFIX}*.sql"))


def _check_known(key: str, names: Iterable[str], what: str, known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            expected = f"expected one of {', '.join(known)}" if known else "none is configured"
            near = did_you_mean(name, known)
            raise ValueError(f"{key}: no {what} {name!r}{near}; {expected}")


def _check_arm_names(arms: Iterable[str]) -> None:
    seen = {column: f"a column named {column}" for column in TABLE_COLUMNS}
    for name in arms:
        if name.lower() in seen:
            raise ValueError(
                f"arms.{name}: tables have {seen[name.lower()]} already; expected another name, "
                "letter case does not count"
            )
        seen[name.lower()] = f"an arm named {name}"


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
    if "study" in study and "title" not in study:
        merged["title"] = f"Study {study['study']}"
    return merged


def parse_configuration(values: Mapping[str, Any]) -> Configuration:
    """Checks a whole configuration.

    Raises:
        RoutebenchError: one line that names the key, its value and what is allowed.
    """
    if isinstance(values.get("arms"), Mapping):
        values = {**values, "arms": expand_sweeps(values["arms"])}
    for section, kinds, module in (
        ("models", MODEL_KINDS, model_module),
        ("arms", KINDS, kind_module),
    ):
        entries = values.get(section)
        for name, entry in entries.items() if isinstance(entries, Mapping) else ():
            _check_entry(f"{section}.{name}", entry, kinds, module)
    arms = values.get("arms")
    repeated = {"arms": expand_repeats(arms)} if isinstance(arms, Mapping) else {}
    try:
        return Configuration.model_validate({**values, **repeated})
    except ValidationError as error:
        raise RoutebenchError(explain(error, Configuration)) from error


def _check_entry(
    key: str, entry: Any, kinds: Mapping[str, str], module: Callable[[str], Any]
) -> None:
    if not isinstance(entry, Mapping):
        raise RoutebenchError(f"config: {key} is {shorten(entry)}; expected keys and values")
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        expected = f"expected one of {', '.join(kinds)}"
        near = did_you_mean(kind, kinds)
        raise RoutebenchError(f"config: {key}.kind is {shorten(kind)}{near}; {expected}")
    model = module(kind).PARAMETERS
    common = COMMON_KEYS[key.split(".")[0]]
    try:
        model(**{str(name): value for name, value in entry.items() if name not in common})
    except ValidationError as error:
        prefix = tuple(key.split(".", 1))
        raise RoutebenchError(explain(error, model, prefix=prefix, always=common)) from error


def load_configuration(given: Mapping[str, Any], defaults: Path) -> Configuration:
    """Returns the configuration of a run.

    Args:
        given: what the command line gave Snakemake: study files and ``--config`` values.
        defaults: ``config.yaml``.

    Raises:
        RoutebenchError: a file is not YAML, or a key or a value is not allowed.
    """
    config = parse_configuration(overlay(read_defaults(defaults), given))
    _check_files(config)
    return config


def read_defaults(defaults: Path) -> dict[str, Any]:
    """Returns the keys and values of ``config.yaml``.

    Raises:
        RoutebenchError: it cannot be read or is not YAML.
    """
    return read_yaml(defaults)


def check_arms(config: Configuration, names: Iterable[str]) -> None:
    """Refuses arms whose parameters cannot work on this machine.

    Raises:
        RoutebenchError: one line that names the arm and the parameter.
    """
    for name in names:
        if problem := config.arms[name].parameters.problem():
            raise RoutebenchError(f"config: arms.{name}.{problem}")


def _check_files(config: Configuration) -> None:
    named = {
        "dataset.path": config.dataset.path,
        "repositories.releases": config.repositories.releases,
    }
    for key, path in named.items():
        if path is not None and not is_file(Path(path)):
            where = Path.cwd().name
            raise RoutebenchError(
                f"config: {key} is {shorten(path)}; expected a file that is there, by a path "
                f"from the folder of the Snakefile ({where}) or a whole path"
            )
    if config.verify and not is_file(Path(config.verify, PUBLISHED_FILE)):
        raise RoutebenchError(
            f"config: verify is {shorten(config.verify)}; expected a folder of published values, "
            f"with {PUBLISHED_FILE} in it"
        )
    check_arms(config, config.arms)
