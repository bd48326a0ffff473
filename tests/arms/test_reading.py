"""Arms that read all source read it part by part: by path, parts would be read again and again."""

from typing import Any

import pytest

from routebench.arms.base import Resources
from routebench.arms.registry import create_ranker, parse_parameters


@pytest.mark.parametrize("kind", ["fts5", "bm25", "ripgrep", "ripgrep-feedback"])
def test_all_source_is_read_in_the_order_that_is_cheapest(
    kind: str, snapshot_of: Any, issue_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker = create_ranker(kind, parse_parameters(kind, {}), Resources())
    texts = {"a.py": "parser", "b.py": "other", "c.py": "server"}
    snapshots = [snapshot_of(texts), snapshot_of({**texts, "a.py": "else", "d.py": "parser"})]
    text_of = type(snapshots[0]).text
    asked: list[str] = []
    monkeypatch.setattr(type(snapshots[0]), "text", lambda *args: asked.append(args[1]))
    monkeypatch.setattr(
        type(snapshots[0]),
        "texts",
        lambda snapshot, blobs: [(b, text_of(snapshot, b)) for b in sorted(set(blobs))],
    )
    found = [
        [item.path for item in ranker.rank(issue_of("parser"), snapshot, 16).ranking]
        for snapshot in snapshots
    ]
    assert found == [["a.py"], ["d.py"]]
    assert asked == []
