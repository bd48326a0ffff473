"""``routebench compare``: what changed between two runs of a study."""

import argparse
import math
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routebench.command_line.differences import Difference

SUMMARY = "what changed between the results of two runs?"
DESCRIPTION = """\
Compares two results folders: one study at two versions of the code, or two studies that
share cases and arms. Only shared cases, arms, k and budgets are compared."""
EPILOG = """\
examples:
  routebench compare results/demo ../before/results/demo
  routebench compare before/results/demo results/demo --tolerance 0.01 --markdown >> comment.md

Worse is, for an arm that is judged: mean file recall at a shared k, or mean line recall at a
shared k and budget, that falls by more than the tolerance; or a share of failed cases that
rises by more. Changed is any difference in cases, gold, arms, rankings, scores, failures or
what models took. Times, versions and settings are shown and never judged.

exit status: 0 no arm is worse (or nothing changed), 1 worse (or changed), 2 cannot compare"""
FAILED = 2
WORSE = 1
NARROWEST, WIDEST = 60, 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.add_argument("a", metavar="RESULTS_A", type=Path, help="folder of the earlier run")
    parser.add_argument("b", metavar="RESULTS_B", type=Path, help="folder of the later run")
    parser.add_argument(
        "--arm", action="append", metavar="ARM", help="judge and show these arms only"
    )
    parser.add_argument(
        "--fail-on",
        choices=("worse", "change"),
        default="worse",
        help="what gives exit status 1 (default: worse)",
    )
    parser.add_argument(
        "--tolerance",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="how far a mean may fall, from 0 to 1 (default: 0.0)",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one JSON object")
    shown.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument(
        "--all", action="store_true", help="every arm, k and budget, and every case by name"
    )


def run(given: argparse.Namespace) -> int:
    """Compares; returns the exit status.

    Raises:
        RoutebenchError: the folders cannot be compared; one line says why.
    """
    from routebench.command_line.difference_text import difference_json, difference_text
    from routebench.command_line.differences import compare_results
    from routebench.command_line.results_folder import read_results
    from routebench.command_line.terminal import visible

    difference = compare_results(read_results(given.a), read_results(given.b), given.arm)
    reasons = judge(difference, fail_on=given.fail_on, tolerance=given.tolerance)
    if given.json:
        print(difference_json(difference, given.a, given.b, reasons))
    else:
        width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
        text = difference_text(
            difference,
            given.a,
            given.b,
            everything=given.all,
            markdown=given.markdown,
            width=width,
        )
        print(text)
    sys.stdout.flush()
    for reason in reasons:
        print(f"routebench: {given.fail_on}: {visible(reason)}", file=sys.stderr)
    return WORSE if reasons else 0


def judge(difference: "Difference", *, fail_on: str, tolerance: float) -> list[str]:
    """Returns why the command fails, in words; empty if it does not.

    Args:
        difference: of the two runs.
        fail_on: ``worse`` or ``change``.
        tolerance: see ``ArmChange.worse``.
    """
    if fail_on == "change":
        changed = [f"{arm.arm}: changed" for arm in difference.arms if not arm.is_same]
        return changed or ([] if difference.is_same else ["cases or arms differ"])
    cases = len(difference.shared)
    return [reason for arm in difference.arms for reason in arm.worse(tolerance, cases)]


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text[:40]!r}")
    return value
