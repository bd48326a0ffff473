"""What arms will ask of their choice models, from snapshots and recorded answers alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NamedTuple

from routebench.arms.base import Ranker, Resources, Snapshot
from routebench.arms.estimate import Estimate, estimate_flat, estimate_tree, total, tree_bound
from routebench.arms.flat import FlatParameters
from routebench.arms.menus import build_tree
from routebench.arms.registry import create_ranker
from routebench.arms.tree import TreeParameters
from routebench.choice.base import ChoiceRequest
from routebench.choice.budget import Spending
from routebench.choice.http import Price
from routebench.choice.journal import Journal, Payer, Recorded, model_folder
from routebench.choice.keys import Request
from routebench.choice.recorded import StudyModel
from routebench.choice.registry import parse_model_parameters
from routebench.corpus.store import BlobStore, open_snapshot
from routebench.errors import CaseError, RoutebenchError
from routebench.planning.configuration import Configuration
from routebench.records import Issue
from routebench.tables import read_rows

Foretold = TreeParameters | FlatParameters
Calls = Mapping[str, Mapping[str, int]]


class Unasked(RoutebenchError):
    """A request has no recorded answer."""


class RecordedSource:
    """Gives recorded answers alone.

    Attributes:
        answered: what was asked and answered so far.
    """

    at_once: ClassVar[int] = 1

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.answered = Estimate()

    def answer(self, key: str, request: Request) -> Recorded:
        """Returns the recorded answer.

        Raises:
            Unasked: there is none, or a failure, which would be asked again.
        """
        recorded = self._journal.answer(key)
        if recorded is None:
            raise Unasked("no recorded answer")
        assert isinstance(request, ChoiceRequest)
        characters = sum(map(len, (request.state, request.instruction, *request.options)))
        self.answered = total([self.answered, Estimate(1, len(request.options), characters)])
        return recorded


class Expected(NamedTuple):
    """What is asked of an issue: exact for ``flat``, else as expected; calls at most."""

    estimate: Estimate
    most: int


NOTHING = Expected(Estimate(), 0)


@dataclass(frozen=True, slots=True)
class CaseForecast:
    """What one arm asks of one issue: calls whose answers are recorded, and the others."""

    recorded: int = 0
    left: Expected = NOTHING


@dataclass(frozen=True, slots=True)
class ArmForecast:
    """What an arm asks.

    Attributes:
        model: name of its choice model.
        price: of that model; None for one that is free.
        cases: by case id; None for a kind that cannot be foretold.
    """

    model: str
    price: Price | None
    cases: Mapping[str, CaseForecast] | None = field(repr=False)

    @property
    def recorded(self) -> int:
        """Calls whose answers are recorded."""
        return sum(case.recorded for case in (self.cases or {}).values())

    @property
    def left(self) -> Expected:
        """What is still to be asked."""
        cases = [case.left for case in (self.cases or {}).values()]
        return Expected(total(c.estimate for c in cases), sum(c.most for c in cases))

    @property
    def spending(self) -> Spending:
        """What that will cost, tokens as the published provider counts them."""
        asked = self.left.estimate
        if self.price is None:
            return Spending()
        read, written = asked.input_tokens(), asked.output_tokens()
        return Spending(self.price.cost_usd(read, written), asked.calls, read + written)


def forecast_study(config: Configuration) -> dict[str, ArmForecast]:
    """Returns what each arm that asks a model will ask, by name, in the study's order.

    Raises:
        RoutebenchError: issues or snapshots are missing or not readable.
    """
    asking = {name: arm.parameters for name, arm in config.arms.items() if arm.parameters.models}
    done: dict[str, ArmForecast] = {}
    while waiting := [name for name in asking if name not in done]:
        # Arms do not wait for each other in a circle: one is always ready.
        name = next(n for n in waiting if not set(asking[n].call_arms) & set(waiting))
        done[name] = _forecast_arm(config, name, _calls(done))
    return {name: done[name] for name in asking}


def _calls(done: Mapping[str, ArmForecast]) -> Calls:
    return {
        arm: {i: case.recorded + case.left.estimate.calls for i, case in found.cases.items()}
        for arm, found in done.items()
        if found.cases is not None
    }


def _forecast_arm(config: Configuration, name: str, calls: Calls) -> ArmForecast:
    arm = config.arms[name]
    [model] = arm.parameters.models
    section = config.models[model]
    of_model = parse_model_parameters(section.kind, dict(section.model_extra or {}))
    price = getattr(of_model, "price", None)
    if not isinstance(arm.parameters, TreeParameters | FlatParameters):
        return ArmForecast(model, price, None)
    parameters = _matched(arm.parameters, calls)
    folder = model_folder(Path(config.cache, "answers"), getattr(of_model, "recorded", model))
    journal = Journal(folder, Payer(config.study, name))
    cases: dict[str, CaseForecast] = {}
    for issue, snapshot in open_issues(Path(config.results, config.study)):
        source = RecordedSource(journal)
        asked = StudyModel(model, name, section.identity, source)
        ranker = create_ranker(arm.kind, parameters, Resources(models={model: asked}, calls=calls))
        cases[issue.case_id] = forecast_case(
            issue, snapshot, parameters=parameters, ranker=ranker, source=source, calls=calls
        )
    return ArmForecast(model, price, cases)


def _matched(parameters: Foretold, calls: Calls) -> Foretold:
    """Returns the parameters without a limit by an arm whose calls cannot be foretold."""
    unknown = set(parameters.call_arms) - calls.keys()
    return parameters.model_copy(update={"calls_of": None}) if unknown else parameters


def open_issues(study: Path) -> Iterator[tuple[Issue, Snapshot]]:
    """Yields each issue of a study with its source; those without source are left out.

    Args:
        study: folder of the study's results.
    """
    for table in sorted(Path(study, "issues").glob("*.parquet")):
        blobs = BlobStore(study / "blobs" / table.name)
        for row in read_rows(table, "issues"):
            issue, folder = Issue(**row), study / "snapshots" / table.stem
            try:
                snapshot = open_snapshot(folder, blobs, commit=issue.base_commit)
            except CaseError:
                continue
            yield issue, snapshot


def forecast_case(
    issue: Issue,
    snapshot: Snapshot,
    *,
    parameters: Foretold,
    ranker: Ranker,
    source: RecordedSource,
    calls: Calls,
) -> CaseForecast:
    """Returns what an arm asks of an issue beyond what is recorded.

    The arm is run on recorded answers: where they suffice, nothing is left to ask.

    Args:
        issue: the issue.
        snapshot: the source at its commit.
        parameters: of the arm.
        ranker: the arm at work, asking ``source``.
        source: recorded answers; nothing has been asked of them yet.
        calls: calls of arms that are matched.
    """
    try:
        ranker.rank(issue, snapshot, 1)
    except Unasked:
        whole, asked = expect(issue, snapshot, parameters, calls), source.answered
        rest = (max(1, all_ - had) for all_, had in zip(whole.estimate, asked, strict=True))
        return CaseForecast(
            asked.calls, Expected(Estimate(*rest), max(1, whole.most - asked.calls))
        )
    except CaseError:
        # It will fail in the same way when the study is run.
        pass
    return CaseForecast(source.answered.calls)


def expect(issue: Issue, snapshot: Snapshot, parameters: Foretold, calls: Calls) -> Expected:
    """Returns what an arm asks of an issue of which no answer is recorded."""
    if isinstance(parameters, TreeParameters):
        tree = build_tree(snapshot.entries)
        most = tree_bound(tree, parameters, issue.query).calls
        return Expected(estimate_tree(tree, parameters, issue.query), most)
    found = estimate_flat(
        (file.path for file in snapshot.files),
        parameters,
        case_id=issue.case_id,
        query=issue.query,
        limit=calls.get(parameters.calls_of or "", {}).get(issue.case_id),
    )
    return Expected(found, found.calls)
