"""``routebench ask``: one question, outside any study."""

import argparse
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from routebench.errors import RoutebenchError

if TYPE_CHECKING:
    from routebench.command_line.answering import Answers
    from routebench.command_line.arms import Chosen
    from routebench.context.packer import Block
    from routebench.corpus.live import LiveSnapshot
    from routebench.records import Issue

SUMMARY = "which files of a repository does an arm nominate for an issue?"
DESCRIPTION = """\
Ranks the files of a git repository for one issue with the arms of a study, and says why.
Only committed files are read. Nothing leaves this machine with the arms of config.yaml."""
EPILOG = """\
examples:
  routebench ask --repo ~/my-service --issue bug.txt
  gh issue view 42 --json body -q .body | routebench ask --repo . --issue -
  routebench ask --repo . --issue bug.txt --arm tree --arm fts5      # both, fused
  routebench ask --repo . --issue bug.txt --context | pbcopy         # to paste into an agent

The default arm is fts5: of the arms that need no paid model it found the most gold files
within eight candidates, in the published study and in the demo.

exit status: 0 answered, 1 not answered (one line on standard error says why), 2 usage"""
DEFAULT_ARM = "fts5"
DEFAULT_K = 8
DEFAULT_BUDGET = 16_000
FAILED = 1
ROOT = Path(__file__).parents[3]
STANDARD_INPUT = "-"
MAX_ISSUE_BYTES = 1_000_000
NARROWEST, WIDEST = 60, 120
LARGEST = 2**31 - 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command."""
    parser.add_argument(
        "--repo", required=True, metavar="PATH", help="work tree or bare git directory"
    )
    parser.add_argument(
        "--issue", required=True, metavar="FILE", help="text of the issue; - for standard input"
    )
    parser.add_argument(
        "--arm",
        action="append",
        metavar="ARM",
        help="arm of the study, or a kind with its defaults; several are fused by reciprocal "
        f"rank (default: {DEFAULT_ARM})",
    )
    parser.add_argument(
        "-k", type=_positive, default=DEFAULT_K, help=f"files at most (default: {DEFAULT_K})"
    )
    parser.add_argument(
        "--commit", default="HEAD", metavar="REV", help="branch, tag or commit (default: HEAD)"
    )
    parser.add_argument(
        "--study",
        metavar="STUDY",
        help="study or study file that has the arms and models (default: config.yaml)",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--context", action="store_true", help="print the packed context instead")
    shown.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument(
        "--budget",
        type=_positive,
        metavar="TOKENS",
        help="of the context, cl100k_base (default: the first of the study)",
    )
    parser.add_argument(
        "--case-id",
        default="ask",
        metavar="ID",
        help="id of the case; the arm flat orders its menus by it (default: ask)",
    )


def run(given: argparse.Namespace) -> int:
    """Answers; returns the exit status.

    Raises:
        RoutebenchError: there is no answer; one line says why.
    """
    from routebench.command_line.answering import answer, check_answered
    from routebench.command_line.arms import choose_arms
    from routebench.corpus.checkout import find_commit, find_repository
    from routebench.corpus.live import read_snapshot
    from routebench.records import Issue

    text = read_issue(given.issue)
    if not given.repo:
        raise RoutebenchError("--repo: no name; expected a work tree or bare git directory")
    repository = find_repository(Path(given.repo))
    commit = find_commit(repository, given.commit)
    repository = repository.absolute()
    study = _absolute_study(given.study)
    # As in a study, paths in the configuration count from the folder of the Snakefile.
    with chdir(ROOT):
        chosen = choose_arms(given.arm or [DEFAULT_ARM], study)
        corpus = chosen.config.corpus
        snapshot = read_snapshot(
            repository.git_folder, commit, max_file_bytes=corpus.max_file_bytes, rule=corpus.rule
        )
        issue = Issue(given.case_id, f"local/{repository.name}", commit, text)
        answers = answer(issue, snapshot, chosen, k=given.k)
        check_answered(answers, chosen.arm)
        for arm, error in answers.failures().items():
            _note(f"arm {arm} failed and was left out: {error}")
        if given.commit == "HEAD":
            _note_changes(repository)
        _show(given, issue, snapshot, chosen, answers)
    return 0


def read_issue(name: str) -> str:
    """Returns the text of the issue.

    Raises:
        RoutebenchError: the file is missing, empty, no text or longer than any issue.
    """
    shown = "standard input" if name == STANDARD_INPUT else name
    if not name:
        raise RoutebenchError("--issue: no name; expected a file, or - for standard input")
    try:
        if name == STANDARD_INPUT:
            content = sys.stdin.buffer.read(MAX_ISSUE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MAX_ISSUE_BYTES + 1)
    except OSError as error:
        raise RoutebenchError(f"--issue {shown}: {error.strerror or error}") from error
    if len(content) > MAX_ISSUE_BYTES:
        raise RoutebenchError(
            f"--issue {shown}: over {MAX_ISSUE_BYTES:,} bytes; expected the text of one issue"
        )
    if b"\0" in content:
        raise RoutebenchError(f"--issue {shown}: binary; expected text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RoutebenchError(f"--issue {shown}: not UTF-8 (byte {error.start})") from error
    if not text.strip():
        raise RoutebenchError(f"--issue {shown}: empty; expected the text of an issue")
    return text


def _positive(text: str) -> int:
    # argparse names the option and the message.
    if not text.isdecimal() or not text.isascii() or not 1 <= int(text[:12]) <= LARGEST:
        raise argparse.ArgumentTypeError(
            f"expected a number from 1 to {LARGEST}, not {text[:40]!r}"
        )
    return int(text)


def _absolute_study(study: str | None) -> str | None:
    return str(Path(study).absolute()) if study and Path(study).is_file() else study


def _note(text: str) -> None:
    from routebench.command_line.terminal import visible

    print(f"routebench: {visible(text)}", file=sys.stderr)


def _note_changes(repository: Any) -> None:
    from routebench.corpus.checkout import count_changes

    try:
        changes = count_changes(repository)
    except RoutebenchError as error:
        # The answer does not depend on it.
        _note(f"only committed files are read; the work tree was not looked at: {error}")
        return
    if repository.work_tree and changes is None:
        _note("only committed files are read; the work tree was not looked at, as it is another's")
    elif changes and any(changes):
        _note(
            f"only committed files are read: the work tree has {changes.changed} changed and "
            f"{changes.untracked} untracked"
        )


def _show(
    given: argparse.Namespace,
    issue: "Issue",
    snapshot: "LiveSnapshot",
    chosen: "Chosen",
    answers: "Answers",
) -> None:
    from routebench.command_line.answer_text import answer_json, answer_text

    nominations = answers.nominations(chosen.arm, given.k)
    if given.context:
        _print_context(_packed(given, issue, snapshot, chosen, answers), snapshot)
    elif given.json:
        blocks = _packed(given, issue, snapshot, chosen, answers) if given.budget else None
        print(answer_json(issue, chosen, answers, nominations, blocks))
    else:
        width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
        print(answer_text(issue, chosen, nominations, len(snapshot.files), width=width))


def _packed(
    given: argparse.Namespace,
    issue: "Issue",
    snapshot: "LiveSnapshot",
    chosen: "Chosen",
    answers: "Answers",
) -> "list[Block]":
    from routebench.command_line.answering import pack_answer

    budget = given.budget or next(iter(chosen.config.context.budgets), DEFAULT_BUDGET)
    paths = [nomination.path for nomination in answers.nominations(chosen.arm, given.k)]
    blocks = pack_answer(issue, snapshot, chosen, paths, budget=budget)
    tokens = sum(block.tokens or 0 for block in blocks)
    if given.context:
        shown = len({block.path for block in blocks})
        nominated = f"{len(paths)} file{'s' * (len(paths) != 1)} nominated"
        _note(f"{nominated}, {shown} shown, {tokens:,} of {budget:,} tokens")
    return blocks


def _print_context(blocks: "list[Block]", snapshot: "LiveSnapshot") -> None:
    from routebench.command_line.terminal import visible_lines
    from routebench.context.build import render_context

    text = render_context(blocks, snapshot)
    # A program gets the very text; a terminal would obey what a file holds.
    text = visible_lines(text) if sys.stdout.isatty() else text
    sys.stdout.buffer.write(text.encode("utf-8"))
