"""The conda environment and the virtual environment come from one lock."""

import re
from pathlib import Path

import yaml

from routebench.planning.environment import environment_text

ENVS = Path(__file__).parents[2] / "envs"
LOCK = (ENVS / "requirements.txt").read_text()
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def blocks() -> list[str]:
    """Returns the requirements of the lock, each with the lines that belong to it."""
    lines = "\n".join(line for line in LOCK.splitlines() if not line.lstrip().startswith("#"))
    return [block.strip() for block in re.split(r"\n(?=\S)", lines) if block.strip()]


def test_the_conda_environment_is_what_the_lock_gives() -> None:
    assert (ENVS / "environment.yaml").read_text() == environment_text(LOCK), "run make lock"


def test_it_has_every_pin_once() -> None:
    content = yaml.safe_load((ENVS / "environment.yaml").read_text())
    pins = content["dependencies"][-1]["pip"]
    assert [pin.split(" ;")[0] for pin in pins] == ["==".join(pin) for pin in PIN.findall(LOCK)]
    assert len(set(pins)) == len(pins)


def test_a_marker_stays_and_hashes_go() -> None:
    lock = (
        "a==1 \\\n    --hash=sha256:0\nb-c==2.0 ; python_version < '3.12' \\\n    --hash=sha256:1\n"
    )
    pins = yaml.safe_load(environment_text(lock))["dependencies"][-1]["pip"]
    assert pins == ["a==1", "b-c==2.0 ; python_version < '3.12'"]


def test_every_requirement_is_pinned_with_hashes() -> None:
    assert len(blocks()) > 30
    for block in blocks():
        assert PIN.match(block), block
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block


def test_what_is_asked_for_is_in_the_lock() -> None:
    asked = [
        re.split(r"[ =<>~!\[;#]", line)[0]
        for line in (ENVS / "requirements.in").read_text().splitlines()
        if line.strip() and not line.startswith("#")
    ]
    assert asked
    assert {normal(name) for name in asked} <= {normal(name) for name, _ in PIN.findall(LOCK)}


def test_no_address_is_in_it() -> None:
    for file in ENVS.iterdir():
        assert "://" not in file.read_text(), file
        assert "index-url" not in file.read_text(), file
