"""The user's own program: JSON in, ranked paths out.

The program is started once per case with a JSON object on standard input:
``case_id``, ``issue`` (text), ``repo`` (owner/name), ``commit``, ``folder`` (the eligible
files under their paths; read only) and ``k``. It prints JSON on standard output: a list
of paths, best first, or of ``{"path": …, "score": …}``, or ``{"paths": [that list]}``.
"""

import json
import math
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from routebench.arms.answers import tidy_answer
from routebench.arms.base import Answer, Operations, Parameters, Ranked, Resources, Snapshot
from routebench.arms.processes import Finished, Limits, run_group
from routebench.errors import CaseError
from routebench.files import scratch_folder
from routebench.records import Issue

# Enough to find interpreters and write text; keys and tokens stay out unless asked for.
PASSED_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV")
SCRIPT_SUFFIXES = (".py", ".sh", ".js", ".rb", ".pl")
LONGEST_REASON = 200


class CommandParameters(Parameters):
    """Parameters of the kind ``command``.

    Attributes:
        argv: the program and its arguments. The program is looked up in PATH; it and
            any argument that names a file, from the Snakefile's folder, is passed as an
            absolute path, and the file's content is part of the arm's settings.
        time_limit_s: per case, in seconds; then the program and all its children end.
        output_limit_bytes: of standard output; a longer answer is an error.
        environment: names of variables passed on beside PATH, HOME, LANG, LC_ALL,
            LC_CTYPE, TZ and VIRTUAL_ENV, such as the key of a model.
    """

    needs_files = True

    argv: tuple[str, ...] = Field(min_length=1)
    time_limit_s: float = Field(default=60.0, gt=0)
    output_limit_bytes: int = Field(default=10_000_000, ge=1)
    environment: tuple[str, ...] = ()

    def fingerprint_files(self) -> tuple[Path, ...]:
        """Files that the arguments name, as written there."""
        return tuple(Path(argument) for argument in self.argv if _names_file(argument, self.argv))

    def problem(self) -> str | None:
        """Names a program or a script that is not there."""
        if shutil.which(self.argv[0]) is None:
            return f"argv starts with {self.argv[0]!r}; expected a program that is there"
        for argument in self.argv[1:]:
            if argument.endswith(SCRIPT_SUFFIXES) and not os.path.isfile(argument):
                return (
                    f"argv names {argument!r}; expected a file that is there, by a path from "
                    "the folder of the Snakefile or a whole path"
                )
        return None


PARAMETERS = CommandParameters


def _names_file(argument: str, argv: tuple[str, ...]) -> bool:
    looked_up_in_path = argument == argv[0] and "/" not in argument
    return not looked_up_in_path and os.path.isfile(argument)


def program_environment(
    parameters: CommandParameters, environment: Mapping[str, str], scratch: Path
) -> dict[str, str]:
    """Returns the variables the program sees; temporary files go to its scratch folder."""
    names = (*PASSED_VARIABLES, *parameters.environment)
    passed = {name: environment[name] for name in names if name in environment}
    return {**passed, "TMPDIR": str(scratch)}


def parse_answer(output: bytes) -> tuple[Ranked, ...]:
    """Returns the paths a program printed, in its order; score is 1/rank unless given.

    Raises:
        CaseError: the output is not JSON of the form described above.
    """
    try:
        content = json.loads(output)
    except (ValueError, RecursionError) as error:
        raise CaseError("answer is not JSON") from error
    if isinstance(content, dict) and content.keys() == {"paths"}:
        content = content["paths"]
    if not isinstance(content, list):
        raise CaseError('answer is not a list of paths or {"paths": [...]}')
    return tuple(_parse_entry(entry, rank) for rank, entry in enumerate(content, start=1))


def _parse_entry(entry: Any, rank: int) -> Ranked:
    if isinstance(entry, str):
        return Ranked(entry, 1 / rank)
    if isinstance(entry, dict) and entry.keys() <= {"path", "score"}:
        path, score = entry.get("path"), entry.get("score", 1 / rank)
        if isinstance(path, str) and type(score) in (int, float) and _is_finite(score):
            return Ranked(path, float(score))
    raise CaseError(f'entry {rank} of the answer is not a path or {{"path", "score"}}')


def relative_path(path: str, folder: str) -> str:
    """Returns a path as seen from ``folder``, whether it is given whole or with ``./``."""
    return path.removeprefix(f"{folder}/").removeprefix("./")


def _is_finite(score: float) -> bool:
    try:
        return math.isfinite(score)
    except OverflowError:
        return False


class CommandRanker:
    """Asks a program, one process per case."""

    def __init__(self, parameters: CommandParameters) -> None:
        self._parameters = parameters
        self._argv = [
            str(Path(argument).absolute()) if _names_file(argument, parameters.argv) else argument
            for argument in parameters.argv
        ]

    def rank(self, issue: Issue, snapshot: Snapshot | None, k: int) -> Answer:
        """Returns the first k known, distinct paths of the program's answer.

        Raises:
            CaseError: the program could not be started, failed, took too long, or
                printed too much or anything but an answer.
        """
        assert snapshot is not None
        started = time.perf_counter()
        question: dict[str, Any] = {
            "case_id": issue.case_id,
            "issue": issue.query,
            "repo": issue.repo,
            "commit": issue.base_commit,
            "folder": str(snapshot.tree_folder().absolute()),
            "k": k,
        }
        prepared = time.perf_counter()
        ranking = parse_answer(self._ask(json.dumps(question).encode()))
        operations = Operations(
            build_ms=(prepared - started) * 1e3,
            query_ms=(time.perf_counter() - prepared) * 1e3,
            calls=1,
        )
        folder = question["folder"]
        relative = tuple(Ranked(relative_path(item.path, folder), item.score) for item in ranking)
        return tidy_answer(Answer(relative, operations), {f.path for f in snapshot.files}, k)

    def _ask(self, question: bytes) -> bytes:
        with scratch_folder() as scratch:
            finished = run_group(
                self._argv,
                question,
                folder=scratch,
                environment=program_environment(self._parameters, os.environ, scratch),
                limits=Limits(self._parameters.time_limit_s, self._parameters.output_limit_bytes),
            )
        if finished.code != 0:
            raise CaseError(_reason(finished))
        return finished.stdout


def _reason(finished: Finished) -> str:
    lines = finished.stderr.decode("utf-8", "replace").strip().splitlines()
    last = f": {lines[-1].strip()[:LONGEST_REASON]}" if lines else ""
    how = f"exit code {finished.code}" if finished.code >= 0 else f"signal {-finished.code}"
    return f"program ended with {how}{last}"


def create(parameters: CommandParameters, resources: Resources) -> CommandRanker:
    """Returns a ranker for one repository."""
    return CommandRanker(parameters)
