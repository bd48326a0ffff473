"""Gold of a row: odd paths, odd lines, patches of every make.

The issue a2 asks about a repository that holds the odd things its gold may name.
"""

import json
from collections.abc import Iterator
from functools import partial

from campaign import datasets
from campaign.faults import CORRECT, RECORDED, Fault
from campaign.objects import FILE, FOLDER, LINK, MODULE, Objects
from campaign.sandbox import Sandbox

REPOSITORY = {"repo": "acme/gamma", "path": "../../repositories/gamma"}
LINES = b"one\ntwo quuxbuffer\nthree\nfour\nfive\n"
QUOTED = "ä ö.py"


def make_gamma(sandbox: Sandbox) -> str:
    """Makes the repository; returns its commit."""
    gamma = Objects(sandbox.folder / "repositories" / "gamma").start()
    text = gamma.blob(LINES)
    inner = gamma.tree([(FILE, text, b"deep.py")])
    more = [
        (FOLDER, inner, b"folder"),
        (LINK, gamma.blob(b"a.py"), b"link.py"),
        (MODULE, "1" * 40, b"module"),
        (FILE, gamma.blob(b"\0binary"), b"binary.py"),
        (FILE, gamma.blob(b""), b"empty.py"),
        (FILE, text, b"latin-\xe9.py"),
    ]
    names = (b"a.py", b"two words.py", QUOTED.encode(), b'quo"te.py', b"tab\tname.py", b"col:1.py")
    return gamma.commit_files(dict.fromkeys(names, LINES), more)


def ask(sandbox: Sandbox, gold: object = None, patch: str | None = None) -> None:
    """Gives the second issue its gold in the odd repository."""
    commit = make_gamma(sandbox)
    rows = datasets.read_rows(sandbox)
    rows[1] = {**rows[1], **REPOSITORY, "commit": commit, "gold": gold, "patch": patch}
    path = datasets.use(sandbox, "faulty.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def paths() -> Iterator[Fault]:
    """Paths that no file of the commit has, or that are no path."""
    for name, gold, says in (
        ("absolute", "/etc/passwd", "relative POSIX path"),
        ("up", "../a.py", "relative POSIX path"),
        ("up within", "folder/../a.py", "relative POSIX path"),
        ("dot", "./a.py", "relative POSIX path"),
        ("a doubled slash", "folder//deep.py", "relative POSIX path"),
        ("a slash at the end", "folder/", "relative POSIX path"),
        ("backslashes", "folder\\deep.py", "relative POSIX path"),
        ("a drive", "C:\\a.py", "relative POSIX path"),
        ("NUL", "a.py\0", "not in the tree"),
        ("a line end", "a.py\r\n", "expected file, file:12"),
        ("a folder", "folder", "not in the tree"),
        ("a link", "link.py", "outside common searchable corpus"),
        ("a submodule", "module", "outside common searchable corpus"),
        ("a file in a submodule", "module/a.py", "not in the tree"),
        ("binary", "binary.py", "outside common searchable corpus"),
        ("another case", "A.py", "not in the tree"),
        ("C-quoted", '"\\303\\244 \\303\\266.py"', "relative POSIX path"),
        ("a name that is not UTF-8, escaped", "latin-\\xe9.py", "relative POSIX path"),
        ("half a surrogate pair", "latin-\udce9.py", "half a character"),
        ("10,000 folders", "x/" * 10_000 + "a.py", "not in the tree"),
        ("empty", "", "no gold"),
        ("semicolons only", ";;;", "no gold"),
        ("a line alone", ":1", "a2"),
        ("an empty list", "[]", "no gold"),
        ("a list of lists", '[["a.py"]]', "expected file"),
        ("a list with null", "[null]", "expected file"),
    ):
        listed = gold if gold.startswith("[") or not gold.strip(";") else [gold]
        yield Fault("gold paths", name, RECORDED, partial(ask, gold=listed), says, name == "up")
    for name, gold in (
        ("spaces", "two words.py"),
        ("not ASCII", QUOTED),
        ("a quote", 'quo"te.py'),
        ("a tab", "tab\tname.py"),
        ("a folder's file", "folder/deep.py"),
        ("spaces around", "  a.py  ;  folder/deep.py  "),
        ("the same file twice", "a.py; a.py"),
        ("1,000 times the same", "; ".join(["a.py:1"] * 1000)),
        ("a colon and a number", "col:1.py:2"),
    ):
        yield Fault("gold paths", name, CORRECT, partial(ask, gold=gold))


def lines() -> Iterator[Fault]:
    """Lines outside of the file, or no lines."""
    for name, gold, says in (
        ("0", "a.py:0", "expected 1 <= start"),
        ("from 0", "a.py:0-3", "expected 1 <= start"),
        ("negative", "a.py:-1", "not in the tree"),
        ("reversed", "a.py:4-2", "expected 1 <= start"),
        ("after the end", "a.py:6", "starts after the last line"),
        ("far after the end", "a.py:2147483647", "starts after the last line"),
        ("over 32 bits", "a.py:1-2147483648", "expected no end over"),
        ("over 64 bits", f"a.py:1-{2**70}", "expected no end over"),
        ("5,000 digits", "a.py:1-" + "9" * 5000, "not a number of lines"),
        ("a word", "a.py:one", "not in the tree"),
        ("half a range", "a.py:1-", "not in the tree"),
        ("columns", "a.py:1:4", "not in the tree"),
        ("of an empty file", "empty.py:1", "starts after the last line"),
    ):
        yield Fault("gold lines", name, RECORDED, partial(ask, gold=gold), says, name == "0")
    for name, gold in (
        ("past the end", "a.py:4-9"),
        ("the last", "a.py:5"),
        ("overlapping", "a.py:1-3; a.py:2-5"),
        ("digits of another script", "a.py:٢"),
    ):
        yield Fault("gold lines", name, CORRECT, partial(ask, gold=gold))


HUNK = "@@ -2 +2 @@\n-two quuxbuffer\n+2\n"


def file_patch(old: str, new: str, hunk: str = HUNK) -> str:
    """Returns a diff of one file."""
    return f"diff --git {old.strip()} {new.strip()}\n--- {old}\n+++ {new}\n{hunk}"


def patches() -> Iterator[Fault]:
    """Patches that are none, and patches that are oddly written."""
    good = file_patch("a/a.py", "b/a.py")
    combined = (
        "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n"
        "@@@ -1,5 -1,5 +1,5 @@@\n  one\n- two quuxbuffer\n -two\n++2\n  three\n  four\n  five\n"
    )
    for name, patch, says in (
        ("combined", combined, "combined diff"),
        ("combined of three", combined.replace("@@@", "@@@@"), "combined diff"),
        ("cut in a hunk", file_patch("a/a.py", "b/a.py", "@@ -1,5 +1,5 @@\n one\n"), "not a unif"),
        ("ed script", "2c\n2\n.\n", "not a unified diff"),
        ("context diff", "*** a.py\n--- a.py\n***************\n*** 1 ****\n", "not a unified"),
        ("only new files", file_patch("/dev/null", "b/n.py", "@@ -0,0 +1 @@\n+x\n"), "no gold"),
        ("an absolute path", file_patch("/etc/passwd", "/etc/passwd"), "relative POSIX path"),
        ("up", file_patch("a/../../a.py", "b/../../a.py"), "relative POSIX path"),
        ("a hunk without a file", HUNK, "not a unified diff"),
        ("10,000 digits", good.replace("-2", "-" + "9" * 10_000), "not a unified diff"),
        ("over 32 bits", good.replace("-2 ", f"-{2**40} "), "expected no end over"),
        ("after the end", good.replace("-2 ", "-99 "), "starts after the last line"),
        ("a wrong file", good.replace("a.py", "z.py"), "not in the tree"),
        ("NUL", good.replace("a/a.py", "a/a\0.py"), "not in the tree"),
        ("half a surrogate pair", good.replace("a/a.py", "a/\udce9.py"), "half a character"),
    ):
        yield Fault("patches", name, RECORDED, partial(ask, patch=patch), says, name == "combined")
    for name, patch in (
        ("plain", good),
        ("without a git header", good.split("\n", 1)[1]),
        ("CRLF", good.replace("\n", "\r\n")),
        ("with a message", "From: x\nSubject: y\n\n@@@ not a hunk\n---\n" + good),
        ("C-quoted", file_patch(*(f'"{s}/\\303\\244 \\303\\266.py"' for s in "ab"))),
        ("a C-quoted tab", file_patch(*(f'"{s}/tab\\tname.py"' for s in "ab"))),
        ("a C-quoted quote", file_patch(*(f'"{s}/quo\\"te.py"' for s in "ab"))),
        ("spaces", file_patch("a/two words.py\t", "b/two words.py\t")),
        ("times after names", good.replace("--- a/a.py", "--- a/a.py\t2020-01-01 00:00:00")),
        ("no line end", good.rstrip("\n")),
    ):
        check = None if name == "CRLF" else check_second_line
        made = partial(ask, patch=patch)
        yield Fault("patches", name, CORRECT, made, "", name == "C-quoted", check=check)


def check_second_line(sandbox: Sandbox) -> None:
    """Every good patch changes line 2 and nothing else."""
    import pyarrow.parquet as pq

    rows = pq.ParquetFile(sandbox.results / "gold.parquet").read().to_pylist()
    found = [(row["start_line"], row["end_line"]) for row in rows if row["case_id"] == "a2"]
    assert found == [(2, 2)]


def all_faults() -> list[Fault]:
    """Returns every input of this table."""
    return [*paths(), *lines(), *patches()]
