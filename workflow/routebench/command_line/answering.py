"""Answers one question with arms of a study, in memory, by the code that studies run."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from routebench.arms.base import Operations, Ranked, Resources
from routebench.arms.cases import CaseResult, ask_case
from routebench.arms.evidence import Evidence, Explainer, Reasons
from routebench.arms.registry import create_ranker
from routebench.choice.opening import open_models
from routebench.command_line.arms import Chosen
from routebench.context.packer import Block
from routebench.corpus.live import LiveSnapshot
from routebench.errors import CaseError, RoutebenchError
from routebench.planning.study import Study
from routebench.records import Issue

# Who pays for what a paid model is asked, in the journal of its answers.
PAYER = "ask"


class Nomination(NamedTuple):
    """A ranked file and what speaks for it."""

    rank: int
    path: str
    score: float
    evidence: Sequence[Evidence]


@dataclass(slots=True)
class Answers:
    """What came of each arm that was asked.

    Attributes:
        results: by arm, in the order asked.
        reasons: evidence by arm and path.
    """

    results: dict[str, CaseResult] = field(default_factory=dict)
    reasons: dict[str, Reasons] = field(default_factory=dict)

    def nominations(self, arm: str, k: int) -> list[Nomination]:
        """Returns the first k files of an arm."""
        ranking = self.results[arm].answer.ranking[:k]
        reasons = self.reasons.get(arm, {})
        return [
            Nomination(rank, item.path, item.score, reasons.get(item.path, ()))
            for rank, item in enumerate(ranking, start=1)
        ]

    def failures(self) -> dict[str, str]:
        """Returns the error of each arm that failed."""
        return {arm: result.error for arm, result in self.results.items() if result.error}


def answer(issue: Issue, snapshot: LiveSnapshot, chosen: Chosen, *, k: int) -> Answers:
    """Asks arms about one issue, those that others are made from first.

    Like a study, every arm is asked for as many files as the largest k of the study, or
    more if the question wants more: a fusion depends on it.

    Args:
        issue: the question.
        snapshot: the source at its commit.
        chosen: the arms.
        k: how many files are wanted.

    Raises:
        RoutebenchError: an arm cannot be asked at all, such as for want of a key.
    """
    depth = max(k, *chosen.config.k)
    answers = Answers()
    for arm in chosen.arms:
        section = chosen.config.arms[arm]
        ranker = create_ranker(section.kind, section.parameters, _resources(arm, chosen, answers))
        given = snapshot if section.parameters.needs_corpus else None
        result = answers.results[arm] = ask_case(ranker, issue, given, k=depth)
        if isinstance(ranker, Explainer) and not result.error:
            answers.reasons[arm] = _explain(ranker, issue, snapshot, result, k)
    return answers


def _resources(arm: str, chosen: Chosen, answers: Answers) -> Resources:
    config, parameters = chosen.config, chosen.config.arms[arm].parameters
    access = Study(config).access
    return Resources(
        rankings={name: _ranking(answers.results[name]) for name in parameters.source_arms},
        costs={name: _cost(answers.results[name]) for name in parameters.source_arms},
        calls={
            name: {r.case_id: r.answer.operations.calls}
            for name in parameters.call_arms
            for r in [answers.results[name]]
        },
        threads=os.cpu_count() or 1,
        models=dict(open_models(parameters.models, study=PAYER, arm=arm, access=access)),
    )


def _ranking(result: CaseResult) -> dict[str, Sequence[Ranked]]:
    return {result.case_id: result.answer.ranking}


def _cost(result: CaseResult) -> dict[str, Operations]:
    return {result.case_id: result.answer.operations}


def _explain(
    ranker: Explainer, issue: Issue, snapshot: LiveSnapshot, result: CaseResult, k: int
) -> Reasons:
    shown = replace(result.answer, ranking=result.answer.ranking[:k])
    try:
        return ranker.explain(issue, snapshot, shown)
    except CaseError:
        # The ranking stands without its reasons.
        return {}


def pack_answer(
    issue: Issue, snapshot: LiveSnapshot, chosen: Chosen, paths: Sequence[str], *, budget: int
) -> list[Block]:
    """Returns the blocks of the context that a study would pack of these files.

    Args:
        issue: the question.
        snapshot: the source.
        chosen: whose study says how lines are selected.
        paths: ranked files, best first.
        budget: tokens.
    """
    from routebench.context.build import Packing, cut_files, in_order
    from routebench.context.packer import pack

    settings = chosen.config.context
    packing = Packing([len(paths)], [budget], settings.best_lines, settings.margin)
    ranking = dict(enumerate(paths, start=1))
    blocks = in_order(ranking, cut_files(issue.query, paths, snapshot, packing))
    return [b for b, fits in zip(blocks, pack(blocks, budget), strict=True) if fits]


def check_answered(answers: Answers, arm: str) -> None:
    """Refuses an answer that nothing was found for because every arm failed.

    Raises:
        RoutebenchError: the arm itself, or all that it is made from, failed.
    """
    failures = answers.failures()
    if arm in failures or (failures and not answers.results[arm].answer.ranking):
        name = arm if arm in failures else next(iter(failures))
        raise RoutebenchError(f"arm {name} failed: {failures[name]}")
