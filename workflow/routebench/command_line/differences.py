"""What changed from one run of a study (A) to another (B), over the cases they share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from statistics import median
from typing import Any, NamedTuple

from routebench.command_line.results_folder import (
    Results,
    Scores,
    Setting,
    Spent,
)
from routebench.errors import RoutebenchError
from routebench.statistics.bootstrap import bootstrap_interval, cluster_values
from routebench.statistics.sign_test import sign_test_p

SEED, RESAMPLES = 0, 10_000
MEANS = ("file_recall", "line_recall")
# Means of the same scores, summed in another order, may differ in the last bits.
ROUNDING = 1e-12


class CaseChange(NamedTuple):
    """A case whose score changed."""

    case_id: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """One measure of an arm in both runs.

    Attributes:
        setting: measure, k and budget.
        a: mean over the shared cases in A; of a ``complete`` measure the number of cases.
        b: the same in B.
        lower: bound of the 95 % interval of b - a that resamples repositories; None for
            counts and where all cases are of one repository.
        upper: the other bound.
        p: exact sign test over won and lost cases.
        won: cases that score higher in B, by id.
        lost: cases that score lower in B, by id.
    """

    setting: Setting
    a: float
    b: float
    lower: float | None
    upper: float | None
    p: float
    won: tuple[CaseChange, ...]
    lost: tuple[CaseChange, ...]

    @property
    def delta(self) -> float:
        """B minus A."""
        return self.b - self.a


@dataclass(frozen=True, slots=True)
class Cost:
    """What the shared cases cost: sums, and the median time of a query."""

    calls: int
    tokens: int
    cost_usd: float
    query_ms: float


@dataclass(frozen=True, slots=True)
class ArmChange:
    """One arm in both runs.

    Attributes:
        arm: its name.
        measures: at every shared k and budget.
        newly_failed: cases that failed in B alone.
        mended: cases that failed in A alone.
        failures: number of failed cases in A and in B.
        reranked: cases whose ranking changed.
        reranked_alike: those of them whose scores are all the same.
        costs: in A and in B.
    """

    arm: str
    measures: tuple[MeasureChange, ...]
    newly_failed: tuple[str, ...]
    mended: tuple[str, ...]
    failures: tuple[int, int]
    reranked: tuple[str, ...]
    reranked_alike: tuple[str, ...]
    costs: tuple[Cost, Cost]

    @property
    def is_same(self) -> bool:
        """Whether rankings, scores, failures and what models took are the same."""
        scored = any(measure.won or measure.lost for measure in self.measures)
        failed = self.newly_failed or self.mended
        return not (scored or failed or self.reranked or self._counted(0) != self._counted(1))

    def _counted(self, run: int) -> tuple[int, int, float]:
        cost = self.costs[run]
        return cost.calls, cost.tokens, cost.cost_usd

    def worse(self, tolerance: float, cases: int) -> list[str]:
        """Returns what fell by more than ``tolerance``, in words.

        Args:
            tolerance: largest fall of a mean, and largest rise of the share of failed cases.
            cases: number of shared cases.
        """
        limit = tolerance + ROUNDING
        fallen = [
            f"{self.arm}: {describe_setting(measure.setting)} {measure.delta:+.4f}"
            for measure in self.measures
            if measure.setting.metric in MEANS and measure.delta < -limit
        ]
        more = self.failures[1] - self.failures[0]
        failed = [f"{self.arm}: {more} more failed cases"] if more > limit * cases else []
        return fallen + failed


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A part of a stage's or an arm's settings, or a version, that differs.

    Attributes:
        of: whose it is.
        key: which part, dotted.
        a: value in A; None where it is not there.
        b: value in B.
        digest: whether the values are digests of code, schemas or a file.
    """

    of: str
    key: str
    a: Any
    b: Any
    digest: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs between two runs.

    Attributes:
        settings: versions, parameters and code.
        shared: cases of both, in the order of A.
        repositories: of the shared cases.
        only_a: cases of A alone.
        only_b: cases of B alone.
        asked_otherwise: shared cases with another gold, commit or issue, with the part.
        arms: the shared arms.
        arms_only_a: arms of A alone.
        arms_only_b: arms of B alone.
        ks: shared numbers of candidates.
        budgets: shared budgets, A's main one first.
        left_out: values of k or budgets that only one run has, in words.
    """

    settings: tuple[SettingChange, ...]
    shared: tuple[str, ...]
    repositories: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    asked_otherwise: Mapping[str, str]
    arms: tuple[ArmChange, ...]
    arms_only_a: tuple[str, ...]
    arms_only_b: tuple[str, ...]
    ks: tuple[int, ...]
    budgets: tuple[int, ...]
    left_out: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether cases, gold, arms, rankings, scores, failures and model use are the same."""
        others = (self.only_a, self.only_b, self.arms_only_a, self.arms_only_b, self.left_out)
        return not (any(others) or self.asked_otherwise) and all(arm.is_same for arm in self.arms)


def describe_setting(setting: Setting) -> str:
    """Returns a measure with its k and budget in words."""
    words = setting.metric.replace("_", " ")
    budget = "" if setting.budget is None else f", {setting.budget:,} tokens"
    return f"{words} (k {setting.k}{budget})"


def compare_results(a: Results, b: Results, arms: Sequence[str] | None = None) -> Difference:
    """Compares two runs.

    Args:
        a: the earlier run.
        b: the later run.
        arms: the arms that are compared; None for all that both have.

    Raises:
        RoutebenchError: they share no case, no arm or no k, or lack an arm asked for.
    """
    shared = tuple(case_id for case_id in a.cases if case_id in b.cases)
    if not shared:
        raise RoutebenchError(f"{a.folder} and {b.folder}: no case in common; nothing to compare")
    names = _shared_arms(a, b, arms)
    settings = [s for s in _settings_of(a, names) if s in set(_settings_of(b, names))]
    if not settings:
        raise RoutebenchError(f"{a.folder} and {b.folder}: no k in common; nothing to compare")
    return Difference(
        settings=tuple(_setting_changes(a, b, names)),
        shared=shared,
        repositories=len({a.cases[case_id].repo for case_id in shared}),
        only_a=tuple(case_id for case_id in a.cases if case_id not in b.cases),
        only_b=tuple(case_id for case_id in b.cases if case_id not in a.cases),
        asked_otherwise=dict(_asked_otherwise(a, b, shared)),
        arms=tuple(_arm_change(name, a, b, shared, settings) for name in names),
        arms_only_a=() if arms else tuple(arm for arm in a.scores if arm not in b.scores),
        arms_only_b=() if arms else tuple(arm for arm in b.scores if arm not in a.scores),
        ks=tuple(dict.fromkeys(s.k for s in settings)),
        budgets=tuple(dict.fromkeys(s.budget for s in settings if s.budget is not None)),
        left_out=tuple(_left_out(a, b, names)),
    )


def _shared_arms(a: Results, b: Results, arms: Sequence[str] | None) -> list[str]:
    for name in arms or ():
        for run in (a, b):
            if name not in run.scores:
                raise RoutebenchError(
                    f"--arm {name}: not in {run.folder}, which has {', '.join(run.scores)}"
                )
    shared = [arm for arm in a.scores if arm in b.scores and (not arms or arm in arms)]
    if not shared:
        raise RoutebenchError(f"{a.folder} and {b.folder}: no arm in common; nothing to compare")
    return shared


def _settings_of(run: Results, arms: Sequence[str]) -> list[Setting]:
    return list(dict.fromkeys(setting for arm in arms for setting in run.scores[arm]))


def _left_out(a: Results, b: Results, arms: Sequence[str]) -> Iterator[str]:
    of_a, of_b = _settings_of(a, arms), _settings_of(b, arms)
    for word, field in (("k", "k"), ("budget", "budget")):
        values_a = {getattr(setting, field) for setting in of_a} - {None}
        values_b = {getattr(setting, field) for setting in of_b} - {None}
        for value in sorted(values_a ^ values_b):
            yield f"{word} {value:,} is in {'A' if value in values_a else 'B'} alone"


def _asked_otherwise(a: Results, b: Results, shared: Sequence[str]) -> Iterator[tuple[str, str]]:
    for case_id in shared:
        old, new = a.cases[case_id], b.cases[case_id]
        parts = [
            word
            for word, differs in (
                ("gold", a.gold.get(case_id) != b.gold.get(case_id)),
                ("commit", old.base_commit != new.base_commit),
                ("repository", old.repo != new.repo),
                ("issue", old.query != new.query),
            )
            if differs
        ]
        if parts:
            yield case_id, ", ".join(parts)


def _arm_change(
    arm: str, a: Results, b: Results, shared: Sequence[str], settings: Sequence[Setting]
) -> ArmChange:
    repositories = [a.cases[case_id].repo for case_id in shared]
    old, new = a.scores[arm], b.scores[arm]
    mine = [setting for setting in settings if setting in old and setting in new]
    rankings = a.rankings[arm], b.rankings[arm]
    reranked = [c for c in shared if rankings[0].get(c, []) != rankings[1].get(c, [])]
    spent = a.operations[arm], b.operations[arm]
    failed = tuple([c for c in shared if run[c].error is not None] for run in spent)
    return ArmChange(
        arm=arm,
        measures=tuple(_measure_change(s, old, new, shared, repositories) for s in mine),
        newly_failed=tuple(c for c in failed[1] if c not in failed[0]),
        mended=tuple(c for c in failed[0] if c not in failed[1]),
        failures=(len(failed[0]), len(failed[1])),
        reranked=tuple(reranked),
        reranked_alike=tuple(c for c in reranked if all(old[s][c] == new[s][c] for s in mine)),
        costs=(_cost(spent[0], shared), _cost(spent[1], shared)),
    )


def _measure_change(
    setting: Setting,
    old: Scores,
    new: Scores,
    shared: Sequence[str],
    repositories: Sequence[str],
) -> MeasureChange:
    pairs = [CaseChange(c, old[setting][c], new[setting][c]) for c in shared]
    won = tuple(sorted(pair for pair in pairs if pair.b > pair.a))
    lost = tuple(sorted(pair for pair in pairs if pair.b < pair.a))
    scale = 1 / len(shared) if setting.metric in MEANS else 1.0
    lower, upper = _bounds(pairs, repositories) if setting.metric in MEANS else (None, None)
    return MeasureChange(
        setting=setting,
        a=fsum(pair.a for pair in pairs) * scale,
        b=fsum(pair.b for pair in pairs) * scale,
        lower=lower,
        upper=upper,
        p=sign_test_p(len(won), len(lost)),
        won=won,
        lost=lost,
    )


def _bounds(
    pairs: Sequence[CaseChange], repositories: Sequence[str]
) -> tuple[float | None, float | None]:
    if len(set(repositories)) < 2:
        return None, None
    clustered = cluster_values([pair.b - pair.a for pair in pairs], repositories)
    interval = bootstrap_interval(clustered, seed=SEED, resamples=RESAMPLES)
    return interval.lower, interval.upper


def _cost(spent: Mapping[str, Spent], shared: Sequence[str]) -> Cost:
    of_cases = [spent[case_id] for case_id in shared]
    return Cost(
        calls=sum(case.calls for case in of_cases),
        tokens=sum(case.tokens for case in of_cases),
        cost_usd=sum(case.cost_usd for case in of_cases),
        query_ms=median(case.query_ms for case in of_cases),
    )


def _setting_changes(a: Results, b: Results, arms: Sequence[str]) -> Iterator[SettingChange]:
    yield from _changes("version", a.versions, b.versions)
    wanted = {f"arms/{arm}" for arm in arms}
    for name in sorted(a.settings.keys() & b.settings.keys()):
        if name.startswith("arms/") and name not in wanted:
            continue
        old, new = a.settings[name], b.settings[name]
        shown = f"arm {name.removeprefix('arms/')}" if name in wanted else f"stage {name}"
        for part in ("values", "tools"):
            yield from _changes(shown, _without_arms(old.get(part)), _without_arms(new.get(part)))
        for part in ("code", "schemas"):
            if old.get(part) != new.get(part):
                yield SettingChange(shown, part, old.get(part), new.get(part), digest=True)
        files = _changes(shown, old.get("files"), new.get("files"), "file")
        yield from (replace(change, digest=True) for change in files)


def _without_arms(values: Any) -> Any:
    # Arms of one run alone are told on their own.
    if not isinstance(values, Mapping):
        return values
    return {key: value for key, value in values.items() if key != "arms"}


def _changes(of: str, old: Any, new: Any, key: str = "") -> Iterator[SettingChange]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() | new.keys()):
            inner = f"{key}.{name}" if key else name
            yield from _changes(of, old.get(name), new.get(name), inner)
    elif old != new:
        yield SettingChange(of, key, old, new)
