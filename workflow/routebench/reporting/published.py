"""Values that a study printed, to stand beside ours in its tables (METHODS P)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from routebench.errors import RoutebenchError

PINS = Path(__file__).parents[2] / "pins"
FIRST_RANK = "first_rank"


class PublishedValue(NamedTuple):
    """A printed number: of an arm, and of one k or one case where it has one."""

    arm: str
    measure: str
    k: int | None
    case_id: str | None
    value: float


@dataclass(frozen=True, slots=True)
class Published:
    """What a study printed.

    Attributes:
        values: its numbers.
        cases: size of its cohort.
        ids: the cases of it that are known by name.
    """

    values: tuple[PublishedValue, ...] = ()
    cases: int = 0
    ids: frozenset[str] = frozenset()

    def same_cohort(self, case_ids: Collection[str]) -> str:
        """Tells whether other cases are the study's: yes, no, or not known.

        It is not known where size and known ids agree, and other ids were not published.
        """
        if len(case_ids) != self.cases or not self.ids.issubset(case_ids):
            return "no"
        return "yes" if len(self.ids) == self.cases else "not known"


def published_file(name: str) -> Path:
    """Returns the pin file of a published study: ``workflow/pins/published-<name>.yaml``."""
    return PINS / f"published-{name}.yaml"


def load_published(path: Path) -> Published:
    """Reads a pin file of published values.

    Raises:
        RoutebenchError: it is not there or has another form.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Published(
            values=(*_of_arms(content["arms"]), *_of_cases(content["first_ranks"])),
            cases=content["cohort"]["cases"],
            ids=frozenset(content["cohort"]["ids"]),
        )
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise RoutebenchError(f"{path}: not a file of published values ({error!r})") from error


def _of_arms(arms: Mapping[str, Mapping[str, Any]]) -> Iterator[PublishedValue]:
    for arm, measures in arms.items():
        for measure, given in measures.items():
            by_k = given if isinstance(given, Mapping) else {None: given}
            for k, value in by_k.items():
                yield PublishedValue(arm, measure, k, None, float(value))


def _of_cases(arms: Mapping[str, Mapping[str, int]]) -> Iterator[PublishedValue]:
    for arm, ranks in arms.items():
        for case_id, rank in ranks.items():
            yield PublishedValue(arm, FIRST_RANK, None, case_id, float(rank))
