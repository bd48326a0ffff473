"""What of Snakemake's output is shown."""

import io

import pytest

from routebench.planning.progress import Progress, show_progress

RANK = """
[Mon Nov 30 11:27:36 2026]
localrule rank:
    input: results/small/issues/acme__alpha.parquet
    output: results/small/rankings/fts5/acme__alpha.parquet
    log: results/small/logs/rank/fts5/acme__alpha.log
    jobid: 30
    reason: Missing output files: results/small/rankings/fts5/acme__alpha.parquet
    wildcards: arm=fts5, repo=acme__alpha
    resources: tmpdir=/tmp, mem_mb=2000, mem=2 GB, mem_mib=1908"""
BEFORE = """\
Assuming unrestricted shared filesystem usage.
Building DAG of jobs...
Using shell: /usr/bin/bash
Provided cores: 2
Rules claiming more threads will be scaled down.
Conda environments: ignored
Job stats:
job           count
----------  -------
cohort            1
total            10

Select jobs to execute...
Execute 1 jobs..."""
DONE = """\
[Mon Nov 30 11:27:36 2026]
Finished jobid: 30 (Rule: rank)
7 of 20 steps (35%) done"""
FAILED = """\
routebench: basename: made to fail; mend it
RuleException:
CalledProcessError in file "Snakefile", line 38:
Command 'set -euo pipefail;  python rank.py' returned non-zero exit status 1.
[Mon Nov 30 11:27:36 2026]
Error in rule rank:
    message: None
    jobid: 30
    input: results/small/issues/acme__beta.parquet
    output: results/small/rankings/basename/acme__beta.parquet
    log: results/small/logs/rank/basename/acme__beta.log (check log file(s) for error details)"""
AFTER = """\
Exiting because a job execution failed. Look above for error messages
Complete log(s): .snakemake/log/x.log
Elapsed time: 0:00:02.632394
WorkflowError:
At least one job did not complete successfully."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(*parts: str) -> list[str]:
    stream = io.StringIO()
    show_progress("\n".join(parts).splitlines(keepends=True), stream)
    return stream.getvalue().splitlines()


def test_a_finished_job_is_a_line() -> None:
    assert shown(BEFORE, RANK, DONE) == ["[ 7/20] rank fts5 acme__alpha"]


def test_a_job_without_wildcards_has_its_rules_name() -> None:
    cases = "localrule cases:\n    jobid: 2\n    reason: Missing"
    done = "Finished jobid: 2 (Rule: cases)\n10 of 10 steps (100%) done"
    assert shown(cases, done) == ["[10/10] cases"]


def test_a_failed_job_says_why_and_where() -> None:
    assert shown(RANK, FAILED, AFTER) == [
        "routebench: basename: made to fail; mend it",
        "failed: rank fts5 acme__alpha, log results/small/logs/rank/basename/acme__beta.log",
    ]


def test_how_a_killed_job_ended_is_shown() -> None:
    line = "Command 'python rank.py' died with <Signals.SIGKILL: 9>."
    assert shown("RuleException:", line) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Nothing to be done (all requested files are present and up to date).",
        "MissingInputException in rule cohort in file dataset.smk, line 30:",
        "    issues.jsonl",
        "Traceback (most recent call last):",
        "    raise ValueError",
        "something new",
    ],
)
def test_what_is_not_known_is_shown(line: str) -> None:
    assert shown(BEFORE, line) == [line]


def test_a_traceback_in_the_middle_is_whole() -> None:
    lines = ["Traceback (most recent call last):", '  File "x.py", line 1', "    f()", "ValueError"]
    assert shown(RANK, *lines, DONE) == [*lines, "[ 7/20] rank fts5 acme__alpha"]


def test_the_status_names_what_is_running() -> None:
    progress = Progress()
    for line in RANK.splitlines():
        assert progress.read(line) is None
    assert progress.status == "[   ] running: rank fts5 acme__alpha"
    for line in DONE.splitlines():
        progress.read(line)
    assert progress.status == "[ 7/20] running: "


def test_a_terminal_has_the_status_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    show_progress(f"{RANK}\n{DONE}\n".splitlines(keepends=True), stream)
    states = stream.getvalue().split("\r\x1b[K")
    assert "[   ] running: rank fts5 acme" in states
    assert states[-2] == "[ 7/20] rank fts5 acme__alpha\n[ 7/20] running: "
    assert states[-1] == ""


GROUPED = """\
Using profile workflow/profiles/slurm for setting default command line arguments.
Provided remote nodes: 200
[Mon Nov 30 11:49:38 2026] Group job source (jobs in lexicogr. order):

    [Mon Nov 30 11:49:38 2026]
    rule audit:
        input: results/small/cohort/acme__beta.parquet
        jobid: 27
        wildcards: repo=acme__beta
    [Mon Nov 30 11:49:38 2026]
    rule snapshot:
        jobid: 29
        wildcards: repo=acme__beta
Submitted group job e12261cb-f2bc-5fc5-b380-c7fb857373b3 with external jobid '51'.
"""


def test_jobs_that_were_submitted_together_are_on_one_line() -> None:
    done = "Finished jobid: 29 (Rule: snapshot)\nFinished jobid: 27 (Rule: audit)"
    assert shown(GROUPED, done, "6 of 46 steps (13%) done") == [
        "[ 6/46] snapshot acme__beta, audit acme__beta"
    ]


def test_a_failure_of_jobs_that_were_submitted_together_names_each() -> None:
    failed = """\
[Mon Nov 30 11:49:47 2026]
    message: Error in group source
    jobs:
        rule audit:
            jobid: 27
            log: results/small/logs/audit/acme__beta.log (check log file(s) for error details)
    [Mon Nov 30 11:49:47 2026]
    Error in rule audit:
        message: None
        jobid: 27
        log: results/small/logs/audit/acme__beta.log (check log file(s) for error details)
Trying to restart job 25d656b4-0a4a-553d-bb25-6991121e08b8."""
    assert shown(GROUPED, failed) == [
        "failed: audit acme__beta, log results/small/logs/audit/acme__beta.log",
        "Trying to restart job 25d656b4-0a4a-553d-bb25-6991121e08b8.",
    ]
