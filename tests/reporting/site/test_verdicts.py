from pathlib import Path

from routebench.reporting.site.verdicts import read_verdicts

ROWS = """table,row,column,published,ours,rounded,status,reason,source
Table 2,rg,recall,0.25,0.25,0.25,equal,,paper
Table 2,tree,recall,0.47,0.4612,0.46,different,,paper
Table 4,rg,lines,0.1,,,not comparable,no contexts,paper
Table 4,tree,lines,0.2,,,not comparable,no contexts,paper
Table 2,flat,recall,0.5,,,not comparable,no such arm,paper
"""


def test_verdicts(tmp_path: Path) -> None:
    (tmp_path / "verify.csv").write_text(ROWS)
    verdicts = read_verdicts(tmp_path / "verify.csv")
    assert verdicts["counts"] == [1, 1, 3]
    assert verdicts["tables"] == [["Table 2", 1, 1, 1], ["Table 4", 0, 0, 2]]
    assert verdicts["differences"] == [
        ["Table 2", "tree", "recall", "0.47", "0.46", "0.4612", "", "paper"]
    ]
    assert verdicts["reasons"] == [("no contexts", 2), ("no such arm", 1)]
