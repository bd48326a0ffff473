"""A study that pays for its answers: estimate, budget, replay and secrets, end to end."""

import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from routebench.tables import read_rows

pytestmark = pytest.mark.enable_socket
STOPPED = "routebench: budget of study small: the limit of 3 calls is reached; answers so far"
ARMS = ("tree", "flat")
ALL_RANKINGS = "results/small/overlaps.parquet"


def paid(workspace: Any, url: str, key: str) -> None:
    """Makes the small study one of two arms that ask a paid model, one question at a time."""
    workspace.environment["TYPESAFE_API_KEY"] = key
    workspace.configure(
        arms={arm: {"kind": arm, "model": "jev"} for arm in ARMS},
        models={"jev": {"kind": "typesafe", "base_url": url, "at_once": 1}},
        comparisons=[{"arm": "tree", "against": "flat"}],
        context={"budgets": []},
    )


def module(workspace: Any, name: str, *arguments: str) -> str:
    done = workspace.run([sys.executable, "-m", f"routebench.{name}", *arguments])
    assert done.status == 0, done.output
    return str(done.output)


def estimate(workspace: Any) -> dict[str, list[str]]:
    """Returns what is printed of each arm: calls recorded, to be asked, and at most."""
    output = module(workspace, "planning.estimate", "--study", "study.yaml", "--cores", "2")
    rows = [re.split(r"  +", line) for line in output.splitlines()]
    return {row[0]: row[2:5] for row in rows if row[0] in ARMS}


def asked(bodies: list[dict[str, Any]]) -> Counter[str]:
    return Counter(map(repr, bodies))


def files_with(secret: str, folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 50
    return [path for path in files if secret.encode() in path.read_bytes()]


def test_a_budget_stops_a_study_and_a_higher_one_lets_it_go_on(
    small: Any, server: Any, key: str
) -> None:
    """Each repository has four files: flat asks one menu for each of the four issues.

    Tree asks at the root, then in `docs/` (alone in it: no call) and in `src/` of alpha;
    of beta at the root and in `lib/`.
    """
    paid(small, server.url, key)
    before = estimate(small)
    assert server.bodies == []
    assert before["flat"] == ["0", "4", "4"]
    assert before["tree"][2] == "8"

    small.configure(limits={"study": {"calls": 3}})
    stopped = small.make_study()
    assert stopped.status != 0
    assert stopped.output.count(STOPPED) == 1
    # Two jobs at once: one question may be open when the limit is reached.
    assert len(server.bodies) in (3, 4)

    small.configure(limits={"study": {"calls": 100}})
    finished = small.make_study()
    assert finished.status == 0, finished.output
    assert set(asked(server.bodies).values()) == {1}
    assert sum(int(before[arm][1]) for arm in ARMS) == len(server.bodies) == 12
    assert estimate(small) == {"tree": ["8", "0", "0"], "flat": ["4", "0", "0"]}
    assert files_with(key, small.folder) == []
    assert key not in stopped.output + finished.output


def test_a_replay_from_exported_answers_gives_the_same_bytes(
    small: Any, server: Any, key: str, tmp_path: Path
) -> None:
    paid(small, server.url, key)
    recorded = small.snakemake("--", ALL_RANKINGS)
    assert recorded.status == 0, recorded.output
    module(small, "choice.answers", "export", "results/small/answers", str(tmp_path / "answers"))

    other = small.copy(tmp_path / "other")
    shutil.rmtree(other.results)
    shutil.rmtree(other.path("cache/answers"))
    other.environment.clear()
    replay = {"kind": "replay", "recorded": "jev", "of": {"kind": "typesafe"}}
    other.configure(models={"jev": replay})
    missing = other.snakemake("--", ALL_RANKINGS)
    assert missing.status != 0
    assert re.search("case [ab][12]: no recorded answer to request [0-9a-f]{64}", missing.output)

    module(other, "choice.answers", "import", str(tmp_path / "answers"), "cache/answers")
    count = len(server.bodies)
    replayed = other.snakemake("--", ALL_RANKINGS)
    assert replayed.status == 0, replayed.output
    assert len(server.bodies) == count
    for table in ("rankings", "traces", "answers"):
        files = sorted(small.results.glob(f"{table}/*/*.parquet"))
        assert len(files) == 4
        for file in files:
            again = other.results / file.relative_to(small.results)
            assert again.read_bytes() == file.read_bytes()


def test_a_service_that_quotes_the_key_does_not_get_it_into_results(
    small: Any, server: Any, reply: Any, key: str
) -> None:
    paid(small, server.url, key)
    server.answer = lambda body: reply(401, f"Bearer {key} is not valid")
    finished = small.make_study()
    assert finished.status == 0, finished.output
    rows = read_rows(small.results / "operations" / "tree" / "acme__beta.parquet", "operations")
    assert [row["error"] for row in rows] == [
        'model jev: HTTP 401: "Bearer [key] is not valid"'
    ] * 2
    assert files_with(key, small.folder) == []
    assert key not in finished.output
