"""Which of the published cases a study lacks, and what that makes incomparable."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from routebench.statistics.subgroups import SUBSETS
from routebench.verification.forms import Where
from routebench.verification.relations import AUDIT, Results, language_of

FLAGS = ("aligned", "names_gold_path", "names_gold_file", "several_directories")
CASE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "cases": ("case_id", "repo", "language", *FLAGS),
    "scores": ("case_id", "repo", "language", *FLAGS),
    "selected": ("repo", "language"),
    "standings": ("repo",),
    "rankings": ("case_id",),
}
BEFORE_AUDIT = ("selected", "excluded")
CaseRow = Mapping[str, str | bool]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What stands between the published cases and those of a study.

    Attributes:
        published: repository, language and flags of the published cases, by id.
        excluded: repository of the cases that the published audit excluded, by id.
        missing: published cases, excluded ones too, that the study does not have.
        extra: how many cases the study has beside.
    """

    published: Mapping[str, CaseRow]
    excluded: Mapping[str, str]
    missing: frozenset[str]
    extra: int

    def reason(self, relation: str, where: Where) -> str:
        """Returns why rows of a relation cannot be compared, or an empty text.

        Numbers of one repository, say, can be although cases of another are missing.
        """
        if self.extra and "case_id" not in where:
            return f"the study has {self.extra} cases that were not published"
        wanted = self._wanted(relation, where)
        lacking = sorted(case_id for case_id in wanted if case_id in self.missing)
        if not lacking:
            return ""
        repositories = Counter(self.repository(case_id) for case_id in lacking)
        named = ", ".join(f"{repo} {count}" for repo, count in sorted(repositories.items()))
        return f"{len(lacking)} of {len(wanted)} cases are missing: {named}"

    def repository(self, case_id: str) -> str:
        """Returns the repository of a published case."""
        row = self.published.get(case_id)
        return str(row["repo"]) if row else self.excluded[case_id]

    def _wanted(self, relation: str, where: Where) -> list[str]:
        columns = CASE_COLUMNS.get(relation, ())
        asked = {name: where[name] for name in columns if name in where}
        chosen = [
            case_id
            for case_id, row in self.published.items()
            if all(row[name] == value for name, value in asked.items())
            and _in_subset(row, where.get("subset"))
        ]
        if relation in BEFORE_AUDIT:
            language = asked.get("language")
            chosen += [i for i in self.excluded if language in (None, language_of(i))]
        return chosen


def _in_subset(row: CaseRow, name: object) -> bool:
    return all(subset.holds(row) for subset in SUBSETS if subset.name == name)


def find_gaps(
    results: Results,
    flags: Mapping[str, Mapping[str, str]],
    excluded: Mapping[str, str],
) -> Gaps:
    """Compares the cases of a study with the published ones.

    A case that our audit excluded is not missing: its absence is a difference.

    Args:
        results: the study.
        flags: what was published of each audited case.
        excluded: repository of the cases that the published audit excluded.
    """
    ours = {row["case_id"] for row in results.relations["cases"].rows}
    audited = {i for i, row in results.exclusions.items() if row["stage"] == AUDIT}
    return Gaps(
        published={case_id: _case_row(case_id, row) for case_id, row in flags.items()},
        excluded=excluded,
        missing=_missing([*flags, *excluded], ours | audited),
        extra=len(ours - flags.keys()),
    )


def _missing(published: Iterable[str], known: Collection[str]) -> frozenset[str]:
    return frozenset(case_id for case_id in published if case_id not in known)


def _case_row(case_id: str, flags: Mapping[str, str]) -> CaseRow:
    head = {"case_id": case_id, "repo": flags["repo"], "language": language_of(case_id)}
    return {**head, **{name: flags[name] == "1" for name in FLAGS}}
