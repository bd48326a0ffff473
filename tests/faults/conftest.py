"""The fault campaign. ``make test-faults`` runs all of it, ``make test`` a sample."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from campaign import pipeline, study
from campaign.faults import Fault, Outcome
from campaign.sandbox import Sandbox
from campaign.summary import Ran, save

WHOLE = "ROUTEBENCH_FAULTS"
if not os.environ.get(WHOLE):
    collect_ignore = ["test_ends.py", "test_models.py"]
ran: list[Ran] = []


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sandbox, dict[Any, Any]]:
    """The study before any run but with its mirrors, and the rows of a sound run."""
    sandbox = Sandbox(tmp_path_factory.mktemp("prepared") / "sandbox")
    study.make_study(sandbox, linked=True)
    outcome = pipeline.run_here(sandbox.project, lambda: pipeline.open_pipeline().run())
    assert outcome == Outcome("correct")
    rows = pipeline.rows_by_case(sandbox.results)
    shutil.rmtree(sandbox.results)
    return sandbox, rows


@pytest.fixture
def sandbox(
    prepared: tuple[Sandbox, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sandbox]:
    """A copy of the prepared study; home and temporary files of this process go there."""
    sandbox = Sandbox(tmp_path / "sandbox")
    shutil.copytree(prepared[0].folder, sandbox.folder, symlinks=True)
    monkeypatch.setenv("HOME", str(sandbox.home))
    monkeypatch.setenv("TMPDIR", str(sandbox.tmp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield sandbox
    sandbox.remove()


@pytest.fixture
def record() -> Callable[[Fault, str, list[str]], None]:
    """Notes what came of an input, and fails where something is wrong."""

    def note(fault: Fault, outcome: str, wrong: list[str]) -> None:
        ran.append(Ran(fault.kind, fault.name, outcome, "; ".join(wrong)))
        assert wrong == []

    return note


def pytest_sessionfinish() -> None:
    """Keeps what ran where the summary is asked for."""
    if (file := os.environ.get(WHOLE)) and ran:
        save(Path(file), ran)
