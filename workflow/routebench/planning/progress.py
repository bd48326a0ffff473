"""What Snakemake prints, made short: a line per finished job, and every error.

Only what is known to be of no interest is left out; a line that is not known is shown.
"""

import re
import shutil
from collections.abc import Iterable
from typing import TextIO

JOB = re.compile(r"(?:local)?(?:rule|checkpoint) (?P<rule>\w+):")
FAILED = re.compile(r"Error in (?:rule|checkpoint) (?P<rule>\w+)(?:, jobid: (?P<id>\d+))?:")
ATTRIBUTE = re.compile(r"    (?P<name>\w+): (?P<value>.*)")
FINISHED = re.compile(r"Finished jobid: (?P<id>\d+) \(Rule: (?P<rule>\w+)\)")
STEPS = re.compile(r"(?P<done>\d+) of (?P<all>\d+) steps \(.*\) done")
NOISE = re.compile(
    r"|\[.{24}\]|Assuming unrestricted shared filesystem.*|Building DAG of jobs\.\.\."
    r"|Using shell: .*|Provided cores: .*|Rules claiming more threads .*"
    r"|Conda environments: ignored|Singularity containers: ignored"
    r"|Select jobs to execute\.\.\.|Execute \d+ jobs\.\.\.|DAG of jobs will be updated.*"
    r"|Updating checkpoint dependencies\.|Complete log\(s\): .*|Elapsed time: .*"
    r"|RuleException:|CalledProcessError in file .*|Command '.*' returned non-zero exit status 1\."
    r"|Exiting because a job execution failed\..*|WorkflowError:"
    r"|At least one job did not complete successfully\."
    r"|Using profile .* for setting default command line arguments\."
    r"|Provided remote nodes: .*|Submitted (?:group )?job .* with external jobid '.*'\."
)
# Jobs that are submitted together are listed below a head, indented.
GROUP = re.compile(r"\[.{24}\] Group job .*|Error in group .*|    message: Error in group .*")
INDENT = "    "
STATISTICS = "Job stats:"
REASON = "routebench: "


class Progress:
    """Follows what Snakemake prints, line by line."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}
        self._finished: list[str] = []
        self._steps = ""
        self._rule, self._job, self._in_error, self._in_statistics = "", "", False, False
        self._reasons: set[str] = set()
        self._in_group, self._in_list = False, False

    @property
    def status(self) -> str:
        """How many jobs of how many are done, and which are running."""
        return f"{self._steps or '[   ]'} running: {', '.join(self._running.values())}"

    def read(self, line: str) -> str | None:
        """Takes a line of Snakemake's; returns what to show of it, if anything."""
        if self._in_statistics:
            self._in_statistics = bool(line)
            return None
        if GROUP.fullmatch(line):
            self._in_group = True
            return None
        if self._in_group:
            self._in_group = not line or line.startswith(INDENT)
            line = line.removeprefix(INDENT)
            # A failed group lists its jobs, and then each again with its error.
            self._in_list = line == "jobs:" or (self._in_list and line.startswith(INDENT))
            if self._in_list:
                return None
        if head := FAILED.fullmatch(line) or JOB.fullmatch(line):
            self._rule, self._in_error = head["rule"], head.re is FAILED
            self._job = (head["id"] or "") if self._in_error else ""
            return None
        if self._rule and (attribute := ATTRIBUTE.fullmatch(line)):
            return self._read_attribute(attribute["name"], attribute["value"])
        if not line.startswith("    "):
            self._rule = ""
        return self._read_other(line)

    def _read_attribute(self, name: str, value: str) -> str | None:
        if name == "jobid":
            self._job = value
        if self._in_error:
            return self._read_error(name, value)
        if name == "jobid":
            self._running[value] = self._rule
        elif name == "wildcards":
            values = " ".join(part.split("=", 1)[1] for part in value.split(", "))
            self._running[self._job] = f"{self._rule} {values}"
        return None

    def _read_error(self, name: str, value: str) -> str | None:
        if name == "log":
            return f"failed: {self._running.pop(self._job, self._rule)}, log {value.split(' (')[0]}"
        # A job without a log says why in its message.
        return value if name == "message" and value != "None" else None

    def _read_other(self, line: str) -> str | None:
        if finished := FINISHED.fullmatch(line):
            self._finished.append(self._running.pop(finished["id"], finished["rule"]))
            return None
        if steps := STEPS.fullmatch(line):
            self._steps = f"[{steps['done']:>{len(steps['all'])}}/{steps['all']}]"
            names, self._finished = ", ".join(self._finished), []
            return f"{self._steps} {names}"
        if line.startswith(REASON):
            # Jobs that stop for one reason, such as a budget, say it once.
            known = line in self._reasons
            self._reasons.add(line)
            return None if known else line
        self._in_statistics = line == STATISTICS
        return None if self._in_statistics or NOISE.fullmatch(line) else line


def show_progress(lines: Iterable[str], stream: TextIO) -> None:
    """Shows a run; on a terminal the last line says what is running.

    Args:
        lines: what Snakemake prints, as it comes.
        stream: where it is shown.
    """
    progress, terminal = Progress(), stream.isatty()
    for line in lines:
        shown = progress.read(line.rstrip("\n"))
        if terminal:
            width = shutil.get_terminal_size().columns - 1
            above = "" if shown is None else f"{shown}\n"
            stream.write(f"\r\x1b[K{above}{progress.status[:width]}")
        elif shown is not None:
            stream.write(f"{shown}\n")
        stream.flush()
    if terminal:
        stream.write("\r\x1b[K")
        stream.flush()
