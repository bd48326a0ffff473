"""The yardstick is the same methods written again: it must come to the same lists."""

from pathlib import Path
from typing import Any

import synthetic
import yardstick

from routebench.arms.base import Resources
from routebench.arms.registry import parse_parameters
from routebench.arms.run import rank_repository
from routebench.context.build import pack_repository
from routebench.corpus.snapshots import build_corpus
from routebench.tables import read_rows, write_rows

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "fts5": ("fts5", {}),
    "fts5-full": ("fts5", {"query_characters": None}),
    "path-fts5": ("fts5", {"columns": ("path",)}),
    "rg": ("ripgrep", {}),
    "rg-feedback": ("ripgrep-feedback", {}),
    "basename": ("basename", {}),
}
KS, BUDGETS = (2, 16), (300, 2_000)


def test_yardstick_and_arms_come_to_the_same_rankings_and_contexts(tmp_path: Path) -> None:
    mirror = tmp_path / "made.git"
    commits = synthetic.make_repository(mirror, 4)
    issues = [
        {
            "case_id": f"c{place}",
            "repo": "made/made",
            "base_commit": commit,
            "query": f"{synthetic.WORDS[place]} of part {place} is an error, see the ledger",
        }
        for place, commit in enumerate(commits)
    ]
    write_rows(tmp_path / "issues", "issues", issues)
    (tmp_path / "checkouts").mkdir()
    outcome, clock = yardstick.run(
        issues,
        {"made/made": mirror},
        tmp_path / "checkouts",
        arms=list(KINDS),
        ks=KS,
        budgets=BUDGETS,
    )
    corpus = {"snapshots": tmp_path / "snapshots", "blobs": tmp_path / "blobs"}
    build_corpus(mirror, commits, **corpus)
    for arm, (kind, values) in KINDS.items():
        rank_repository(
            kind=kind,
            parameters=parse_parameters(kind, values),
            issues=tmp_path / "issues",
            rankings=tmp_path / "rankings" / arm,
            operations=tmp_path / "operations" / arm,
            k=16,
            resources=Resources(),
            **corpus,
        )
    pack_repository(
        issues=tmp_path / "issues",
        rankings={arm: tmp_path / "rankings" / arm for arm in KINDS},
        outputs={arm: tmp_path / "contexts" / arm for arm in KINDS},
        ks=KS,
        budgets=BUDGETS,
        **corpus,
    )
    for arm in KINDS:
        ours = list(read_rows(tmp_path / "rankings" / arm, "rankings"))
        theirs = outcome.rankings[arm]
        assert [(r["case_id"], r["path"]) for r in ours] == [
            (r["case_id"], r["path"]) for r in theirs
        ]
        assert len(ours) >= len(issues)
        assert list(read_rows(tmp_path / "contexts" / arm, "contexts")) == outcome.contexts[arm]
    assert set(clock.seconds) == {
        *("checkout", "reading", *KINDS),
        *(f"{arm} context" for arm in KINDS),
    }
