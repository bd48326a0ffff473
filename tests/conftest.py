"""Fixtures that every room's tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def published() -> Path:
    """Folder of published data for checks; must be there in CI, else the test is skipped."""
    folder = Path(os.environ.get("ROUTEBENCH_PUBLISHED", ROOT.parent / "shared" / "data"))
    if not (folder / "paper-archive").is_dir():
        message = f"published data not found in {folder} (set ROUTEBENCH_PUBLISHED)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(scope="session")
def git_url() -> str:
    """Template of repository addresses that stand in for the network (not in CI)."""
    template = os.environ.get("ROUTEBENCH_GIT_URL")
    if not template:
        pytest.skip("real repositories: set ROUTEBENCH_GIT_URL to a template with {owner} {name}")
    return template
