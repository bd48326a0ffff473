"""An answer as text for people and as JSON for programs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from routebench.arms.evidence import Evidence
from routebench.command_line.answering import Answers, Nomination
from routebench.command_line.arms import Chosen
from routebench.command_line.terminal import visible, wrapped
from routebench.context.packer import Block
from routebench.records import Issue

INDENT = "      "
SHOWN_TERMS = 6


def answer_text(
    issue: Issue, chosen: Chosen, nominations: Sequence[Nomination], files: int, *, width: int
) -> str:
    """Returns the ranked files with their reasons, one file after another.

    Args:
        issue: the question.
        chosen: the arms.
        nominations: what is shown.
        files: eligible files of the commit.
        width: columns of the terminal.
    """
    kind = chosen.config.arms[chosen.arm].kind
    head = f"{chosen.arm}: {len(nominations)} of {files:,} files at {issue.base_commit[:12]}"
    if not files:
        return f"{head}; this commit has no file that studies read."
    if not nominations:
        return f"{head}; none fits the issue. Say more in the issue, or ask another --arm."
    blocks = [_nomination_text(nomination, kind, width) for nomination in nominations]
    return "\n".join([head, "", *blocks])


def _nomination_text(nomination: Nomination, kind: str, width: int) -> str:
    rank, path, score, evidence = nomination
    line = f"{rank:>3}.  {visible(path)}  ({score:.4g})"
    reasons = wrapped(
        reason_parts(evidence, kind), width=width, indent=INDENT, between=_between(kind)
    )
    return f"{line}\n{reasons}"


def _between(kind: str) -> str:
    return " > " if kind == "tree" else ", "


def reason_parts(evidence: Sequence[Evidence], kind: str) -> list[str]:
    """Returns what speaks for a file in short parts, the strongest first."""
    if not evidence:
        return [f"the arm ({kind}) gives no reason"]
    others = [_PARTS[e.kind](e) for e in evidence if e.kind != "term"]
    terms = [_PARTS[e.kind](e) for e in evidence if e.kind == "term"]
    more = [f"{len(terms) - SHOWN_TERMS} more"] if len(terms) > SHOWN_TERMS else []
    return [visible(part) for part in (*others, *terms[:SHOWN_TERMS], *more)]


def _term(evidence: Evidence) -> str:
    places = [
        text
        for count, text in (
            (evidence.in_name, "name"),
            (evidence.in_path if not evidence.in_name else None, "path"),
            (evidence.in_content, f"{evidence.in_content}x"),
            (evidence.lines, f"{evidence.lines} line{'s' * (evidence.lines != 1)}"),
        )
        if count
    ]
    return f"{evidence.text} ({' + '.join(places)})" if places else evidence.text


def _step(evidence: Evidence) -> str:
    name = evidence.text.rpartition("/")[2]
    return name if evidence.probability is None else f"{name} {evidence.probability:.2f}"


def _round(evidence: Evidence) -> str:
    return f"round {evidence.text.partition('/')[0]}: {evidence.probability:.2f}"


def _judged(evidence: Evidence) -> str:
    return f"relevant {evidence.probability:.2f}"


def _source(evidence: Evidence) -> str:
    return f"{evidence.text} rank {evidence.rank}"


_PARTS: Mapping[str, Callable[[Evidence], str]] = {
    "term": _term,
    "step": _step,
    "round": _round,
    "judged": _judged,
    "source": _source,
}


def answer_json(
    issue: Issue,
    chosen: Chosen,
    answers: Answers,
    nominations: Sequence[Nomination],
    blocks: Sequence[Block] | None,
) -> str:
    """Returns the answer as one JSON object (docs/ask.md).

    Args:
        issue: the question.
        chosen: the arms.
        answers: what came of each.
        nominations: the files of the answer.
        blocks: the packed context, if it was asked for.
    """
    kind = chosen.config.arms[chosen.arm].kind
    content: dict[str, Any] = {
        "commit": issue.base_commit,
        "arm": chosen.arm,
        "files": [_file(nomination, kind) for nomination in nominations],
        "arms": [_arm(name, chosen, answers) for name in chosen.arms],
    }
    if blocks is not None:
        content["context"] = [asdict(block) for block in blocks]
    return json.dumps(content, indent=1)


def _file(nomination: Nomination, kind: str) -> dict[str, Any]:
    evidence = [
        {name: value for name, value in asdict(e).items() if value is not None}
        for e in nomination.evidence
    ]
    reason = _between(kind).join(reason_parts(nomination.evidence, kind))
    return {
        "rank": nomination.rank,
        "path": nomination.path,
        "score": nomination.score,
        "reason": reason,
        "evidence": evidence,
    }


def _arm(name: str, chosen: Chosen, answers: Answers) -> dict[str, Any]:
    result = answers.results[name]
    operations = result.answer.operations
    return {
        "name": name,
        "kind": chosen.config.arms[name].kind,
        "error": result.error,
        "wall_ms": round(result.wall_ms, 1),
        "calls": operations.calls,
        "input_tokens": operations.input_tokens,
        "output_tokens": operations.output_tokens,
        "cost_usd": operations.cost_usd,
        "truncated": operations.truncated,
    }
