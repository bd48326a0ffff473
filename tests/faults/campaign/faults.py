"""What an input of the campaign is, and the three outcomes that are no failure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

REFUSED = "refused"
RECORDED = "recorded"
CORRECT = "correct"
OUTCOMES = (REFUSED, RECORDED, CORRECT)
LONGEST_LINE = 1200
# One message of a job ends a run; beside it stand these lines of make study.
TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|^\w*(?:Error|Exception):", re.MULTILINE
)


@dataclass(frozen=True)
class Fault:
    """An input that is damaged or hostile.

    Attributes:
        kind: group of the summary.
        name: what is wrong.
        expect: the outcome that must come.
        says: words that the message, or the recorded reason, must hold.
        make: puts the fault into a sandbox.
        sample: whether it runs in ``make test`` too.
        seconds: what it may take.
        check: a further check of the result.
    """

    kind: str
    name: str
    expect: str
    make: Callable[[Any], None]
    says: str = ""
    sample: bool = False
    seconds: int = 60
    check: Callable[[Any], None] | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


@dataclass(frozen=True)
class Outcome:
    """What came of an input.

    Attributes:
        name: one of the three, or what kind of failure it was.
        told: the message of the refusal, or every recorded reason.
    """

    name: str
    told: str = ""


def slug(name: str) -> str:
    """Returns a name for test ids."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def chosen(faults: Iterable[Fault], *, whole: bool) -> list[Fault]:
    """Returns all inputs, or the sample."""
    return [fault for fault in faults if whole or fault.sample]


def judge_refusal(status: int, text: str) -> Outcome:
    """Classifies a run that did not succeed by what it printed."""
    lines = [line for line in text.splitlines() if line.startswith("routebench: ")]
    if TRACEBACK.search(text):
        return Outcome("bare traceback", text[-1500:])
    if not status or not lines:
        return Outcome("no message", text[-1500:])
    if any(len(line) > LONGEST_LINE for line in lines):
        return Outcome("endless message", lines[0][:1500])
    if any(ord(sign) < 32 and sign != "\t" for line in lines for sign in line):
        return Outcome("control characters", repr(lines))
    return Outcome(REFUSED, "\n".join(lines))
