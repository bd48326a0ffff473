"""The table of docs/faults.md is that of the campaign as it stands."""

import re
from collections import Counter

from campaign import datasets, ends, gold, models, programs, repositories, settings, summary
from campaign.faults import CORRECT, RECORDED, REFUSED

ROW = re.compile(r"^\| (?P<kind>[^|]+?) \|(?P<numbers>(?: \d+ \|)+)$", re.MULTILINE)


def page_rows() -> dict[str, list[int]]:
    rows = ROW.finditer(summary.read_block())
    return {row["kind"]: [int(n) for n in re.findall(r"\d+", row["numbers"])] for row in rows}


def test_the_page_counts_what_the_tables_hold() -> None:
    tables = (ends, datasets, gold, repositories, programs, settings)
    faults = [fault for table in tables for fault in table.all_faults()]
    faults += models.faults_of("http://127.0.0.1", lambda given: None)
    found = Counter((fault.kind, fault.expect) for fault in faults)
    found["kills", CORRECT] += len(ends.kills())
    expected = {
        kind: [sum(counts), *counts]
        for kind in dict.fromkeys(kind for kind, _ in found)
        for counts in [[found[kind, outcome] for outcome in (REFUSED, RECORDED, CORRECT)]]
    }
    rows = page_rows()
    whole, disks = rows.pop("All"), rows.pop("full disks")
    assert rows == expected
    # How a full disk ends hangs on its size; the page says how it did.
    assert disks[0] == len(ends.DISKS) + 1
    assert whole == [sum(column) for column in zip(disks, *expected.values(), strict=True)]
