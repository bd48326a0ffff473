"""Inputs that go through the scripts of a study in this process, as its jobs run them."""

import os
from typing import Any

import pytest
from campaign import datasets, gold, pipeline, programs, repositories, settings
from campaign.faults import Fault, chosen, slug

from routebench.planning import run

WHOLE = bool(os.environ.get("ROUTEBENCH_FAULTS"))
TABLES = (datasets, gold, repositories, programs)
INPUTS = [fault for table in TABLES for fault in table.all_faults()]
# Whose hostile texts stand in tables and pages.
SHOWN = ("ids", "file names", "contents", "programs")


def cases(faults: list[Fault]) -> Any:
    found = chosen(faults, whole=WHOLE)
    return pytest.mark.parametrize("fault", found, ids=[slug(str(fault)) for fault in found])


@cases(INPUTS)
def test_input(fault: Fault, sandbox: Any, prepared: Any, record: Any) -> None:
    def work() -> None:
        pipeline.open_pipeline().run(shown=fault.kind in SHOWN)

    record(fault, *pipeline.examine(fault, sandbox, prepared[1], work))


@cases(settings.all_faults())
def test_study_file(
    fault: Fault, sandbox: Any, prepared: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command itself reads the study; in place of Snakemake the scripts run."""
    monkeypatch.setattr(run, "run_study", lambda *_, **__: 0)

    def work() -> None:
        if status := run.main(["--study", "study.yaml", "--cores", "1"]):
            raise SystemExit(status)
        pipeline.open_pipeline().run(shown=False)

    record(fault, *pipeline.examine(fault, sandbox, prepared[1], work))
