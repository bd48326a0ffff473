"""Which cases a study takes (METHODS D5)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from routebench.errors import RoutebenchError
from routebench.records import Case


@dataclass(frozen=True, slots=True)
class Quota:
    """How many repositories of a language; ``distinct_owners`` takes one per owner."""

    repositories: int
    distinct_owners: bool = False


@dataclass(frozen=True, slots=True)
class Strata:
    """A sample of each repository with the repository's own mix of difficulties.

    Attributes:
        per_repository: how many cases of each repository, in the order of the cohort.
        first: ids taken before any other, in this order.
        seed: another seed orders the cases of a difficulty anew.
    """

    per_repository: Mapping[str, int]
    first: Sequence[str] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CohortRule:
    """A rule of selection; what is left at its default does not restrict.

    Attributes:
        ids: exactly these cases, in this order.
        repositories: only these repositories.
        leave_out: never these repositories.
        quotas: per language, the repositories with most cases (ties by name).
        cases_per_repository: the first so many by SHA-256 of the id.
        stratified: a sample by difficulty of what the others leave.
    """

    ids: Sequence[str] = ()
    repositories: Sequence[str] = ()
    leave_out: Sequence[str] = ()
    quotas: Mapping[str, Quota] = field(default_factory=dict)
    cases_per_repository: int | None = None
    stratified: Strata | None = None


def select_cohort(cases: Sequence[Case], rule: CohortRule) -> tuple[Case, ...]:
    """Returns the cases of the study.

    Order: that of ``ids`` where given; else languages and repositories as the quotas
    take them, or the order of the dataset; within a repository by SHA-256 of the id
    where their number is limited, as drawn where they are sampled.

    Raises:
        RoutebenchError: an id or a repository of the rule is not in the dataset, a
            language has too few repositories, or no case is left.
    """
    chosen: Iterable[Case] = _by_ids(cases, rule.ids) if rule.ids else cases
    _check_repositories(cases, rule.repositories)
    chosen = [
        case
        for case in chosen
        if case.repo not in rule.leave_out
        and (not rule.repositories or case.repo in rule.repositories)
    ]
    if rule.quotas:
        chosen = [
            case for name, quota in rule.quotas.items() for case in _fill(chosen, name, quota)
        ]
    if rule.cases_per_repository is not None:
        chosen = _limit(chosen, rule.cases_per_repository)
    if rule.stratified:
        chosen = _sample(chosen, rule.stratified)
    if not chosen:
        raise RoutebenchError("cohort: the rule leaves no case; see cohort in the config")
    return tuple(chosen)


def id_digest(case: Case) -> str:
    """Returns the SHA-256 hex digest of a case's id, the order of sampling (METHODS D5)."""
    return hashlib.sha256(case.case_id.encode()).hexdigest()


def _by_ids(cases: Sequence[Case], ids: Sequence[str]) -> list[Case]:
    by_id = {case.case_id: case for case in cases}
    if missing := [case_id for case_id in ids if case_id not in by_id]:
        raise RoutebenchError(
            f"cohort.ids: {len(missing)} of {len(ids)} not among the eligible cases, "
            f"first {missing[0]!r}"
        )
    return [by_id[case_id] for case_id in ids]


def _check_repositories(cases: Sequence[Case], repositories: Sequence[str]) -> None:
    known = {case.repo for case in cases}
    if missing := [repo for repo in repositories if repo not in known]:
        raise RoutebenchError(f"cohort.repositories: no eligible case of {', '.join(missing)}")


def _fill(cases: Sequence[Case], language: str, quota: Quota) -> list[Case]:
    of_language = [case for case in cases if case.language == language]
    counts = Counter(case.repo for case in of_language)
    ranked = sorted(counts, key=lambda repo: (-counts[repo], repo))
    if quota.distinct_owners:
        owners = [repo.split("/")[0] for repo in ranked]
        ranked = [repo for n, repo in enumerate(ranked) if owners[n] not in owners[:n]]
    if len(ranked) < quota.repositories:
        raise RoutebenchError(
            f"cohort.quotas.{language}: {quota.repositories} repositories wanted, "
            f"{len(ranked)} have eligible cases"
        )
    taken = ranked[: quota.repositories]
    return [case for repo in taken for case in of_language if case.repo == repo]


def _limit(cases: Iterable[Case], limit: int) -> list[Case]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.repo].append(case)
    return [case for group in groups.values() for case in sorted(group, key=id_digest)[:limit]]


def _sample(cases: Sequence[Case], strata: Strata) -> list[Case]:
    by_repo: dict[str, list[Case]] = {repo: [] for repo in strata.per_repository}
    for case in cases:
        by_repo.get(case.repo, []).append(case)
    known = {case.case_id for group in by_repo.values() for case in group}
    if missing := [case_id for case_id in strata.first if case_id not in known]:
        raise RoutebenchError(
            f"cohort.stratified.first: {missing[0]!r} is no eligible case of its repositories"
        )
    return [
        case for repo, group in by_repo.items() for case in _sample_repository(repo, group, strata)
    ]


def _sample_repository(repo: str, cases: Sequence[Case], strata: Strata) -> list[Case]:
    """Takes one case after another from the difficulty that is furthest behind its share.

    Ties go to the label that comes first; within a difficulty SHA-256 of seed and id decides.
    """
    wanted = strata.per_repository[repo]
    by_id = {case.case_id: case for case in cases}
    taken = [by_id[case_id] for case_id in strata.first if case_id in by_id]
    _check_sample(repo, wanted, eligible=len(cases), named=len(taken))
    sizes = Counter(_stratum(case) for case in cases)
    waiting = sorted(
        (case for case in cases if case not in taken),
        key=lambda case: _seeded_digest(case, strata.seed),
    )
    while len(taken) < wanted:
        have = Counter(_stratum(case) for case in taken)
        behind = {s: wanted * sizes[s] - len(cases) * have[s] for s in sorted(sizes)}
        order = [s for s in behind if any(_stratum(case) == s for case in waiting)]
        drawn = next(c for c in waiting if _stratum(c) == max(order, key=behind.__getitem__))
        waiting.remove(drawn)
        taken.append(drawn)
    return taken


def _check_sample(repo: str, wanted: int, *, eligible: int, named: int) -> None:
    for problem in (
        f"{eligible} are eligible" if eligible < wanted else None,
        f"{named} named first" if named > wanted else None,
    ):
        if problem:
            raise RoutebenchError(f"cohort.stratified: {wanted} cases of {repo} wanted, {problem}")


def _stratum(case: Case) -> str:
    return case.difficulty or ""


def _seeded_digest(case: Case, seed: int) -> str:
    return hashlib.sha256(f"{seed} {case.case_id}".encode()).hexdigest()
