"""Repositories: links, hostile names, deep and wide trees, damaged stores.

The issue a2 asks about a repository of its own; the other two must not notice.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from campaign import datasets
from campaign.faults import CORRECT, RECORDED, Fault
from campaign.gold import REPOSITORY
from campaign.objects import FILE, FOLDER, LINK, MODULE, PROGRAM, Objects
from campaign.sandbox import Sandbox

TEXT = b"def write(lines, quuxbuffer):\n    return lines\n"
NO_COMMIT = "0123456789" * 4
# Commits of a repository with the gold file a.py and something odd beside it.
Maker = Callable[[Objects], str]


def ask(
    sandbox: Sandbox,
    make: Maker,
    gold: str = "a.py",
    after: Callable[[Path], None] | None = None,
) -> None:
    """Makes the repository, asks about it and then damages it."""
    folder = sandbox.folder / "repositories" / "gamma"
    commit = make(Objects(folder))
    if after:
        after(folder)
    rows = datasets.read_rows(sandbox)
    rows[1] = {**rows[1], **REPOSITORY, "commit": commit, "gold": [gold]}
    path = datasets.use(sandbox, "faulty.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def beside(objects: Objects, *more: tuple[str, bytes, bytes]) -> str:
    """Commits a.py and entries with a content each."""
    objects.start()
    entries = [(mode, objects.blob(content), name) for mode, content, name in more]
    return objects.commit_files({b"a.py": TEXT}, entries)


def raw(objects: Objects, build: Callable[[Objects], list[tuple[str, str, bytes]]]) -> str:
    """Commits a.py and entries that exist already, in the order given."""
    objects.start()
    entries = [(FILE, objects.blob(TEXT), b"a.py"), *build(objects)]
    return objects.commit(objects.tree(entries))


def links() -> Iterator[Fault]:
    """Links and submodules are names, never followed."""
    for name, target in (
        ("to itself", b"link.py"),
        ("absolute", b"/etc/passwd"),
        ("outside", b"../../../../etc/passwd"),
        ("to a folder", b"."),
        ("to nothing", b"nothing"),
        ("with an endless target", b"x/" * 50_000),
        ("with a NUL", b"a\0b"),
    ):
        make = partial(link_to, target=target)
        yield Fault("links", name, CORRECT, partial(ask, make=make), sample=name == "outside")
        gold = partial(ask, make=make, gold="link.py")
        yield Fault("links", f"{name}, as gold", RECORDED, gold, "outside common searchable")
    make = partial(raw, build=lambda o: [(MODULE, "1" * 40, b"module")])
    yield Fault("links", "a submodule", CORRECT, partial(ask, make=make))
    gitmodules = partial(beside_one, mode=FILE, content=b'[submodule "x"]\n\turl = --evil\n')
    make = partial(gitmodules, name=b".gitmodules")
    yield Fault("links", "a hostile .gitmodules", CORRECT, partial(ask, make=make))


def link_to(objects: Objects, target: bytes) -> str:
    """Commits a link beside a.py."""
    return beside(objects, (LINK, target, b"link.py"))


def beside_one(objects: Objects, mode: str, content: bytes, name: bytes) -> str:
    """Commits one entry beside a.py."""
    return beside(objects, (mode, content, name))


def names() -> Iterator[Fault]:
    """Names of files that are hostile to what shows them."""
    hostile = {k: v.replace("/", "-").replace("\0", "") for k, v in datasets.HOSTILE.items()}
    for name, text in hostile.items():
        file = f"quuxbuffer {text}.py"
        make = partial(beside_one, mode=FILE, content=TEXT, name=file.encode())
        yield Fault("file names", name, CORRECT, partial(ask, make=make), sample=name == "html")
        if "\\" not in file:
            expect, says = (RECORDED, "expected file") if "\n" in file else (CORRECT, "")
            gold = partial(ask, make=make, gold=file)
            yield Fault("file names", f"{name}, as gold", expect, gold, says)
    for name, text in (
        ("not UTF-8", b"quuxbuffer-\xff\xfe.py"),
        ("a backslash", b"quux\\buffer.py"),
        ("255 bytes", b"q" * 252 + b".py"),
        ("a leading dash", b"-rf.py"),
        ("a leading space", b" a.py"),
        ("a star", b"*.py"),
        ("a device of Windows", b"con.py"),
        ("a decomposed letter", "a\u0308.py".encode()),
    ):
        make = partial(beside_one, mode=FILE, content=TEXT, name=text)
        yield Fault("file names", name, CORRECT, partial(ask, make=make))
    make = partial(beside_one, mode=FILE, content=TEXT, name=b"q" * 4000)
    long = partial(ask, make=make)
    yield Fault("file names", "4,000 bytes", RECORDED, long, "a part is longer than 255 bytes")
    make = partial(beside_one, mode=FILE, content=TEXT, name=b"A.PY")
    yield Fault("file names", "another in capitals", CORRECT, partial(ask, make=make))


def trees() -> Iterator[Fault]:
    """Trees that no checkout could make, deep ones and wide ones."""

    def entry(mode: str, name: bytes) -> Maker:
        return partial(raw, build=lambda o: [(mode, o.blob(TEXT), name)])

    for name, make in (
        ("up", entry(FILE, b"..")),
        ("dot", entry(FILE, b".")),
        (".git", entry(FILE, b".git")),
        (".GIT", entry(FILE, b".GIT")),
        ("a slash in a name", entry(FILE, b"x/../../a.py")),
        ("an absolute name", entry(FILE, b"/tmp/owned.py")),
        ("a mode that git does not know", entry("100600", b"b.py")),
        ("a program", entry(PROGRAM, b"b.py")),
    ):
        yield Fault("trees", name, CORRECT, partial(ask, make=make), sample=name == "up")
    twice = partial(raw, build=lambda o: [(FILE, o.blob(b"other\n"), b"a.py")])
    yield Fault("trees", "the gold file twice", RECORDED, partial(ask, make=twice), "outside comm")
    yield Fault(
        "trees", "a file and a folder", RECORDED, partial(ask, make=collide), "in its place"
    )
    yield Fault("trees", "10,000 folders deep", RECORDED, partial(ask, make=deep), "nested in more")
    yield Fault("trees", "150 folders deep", CORRECT, partial(ask, make=partial(deep, levels=150)))
    yield Fault(
        "trees", "10,000 folders", CORRECT, partial(ask, make=partial(wide, folders=10_000))
    )
    yield Fault(
        "trees",
        "100,000 files",
        CORRECT,
        partial(ask, make=partial(wide, files=100_000)),
        seconds=400,
    )
    bomb = partial(ask, make=bomb_tree)
    yield Fault("trees", "10^10 files by shared trees", RECORDED, bomb, "its tree takes over")
    yield Fault(
        "trees", "no file at all", RECORDED, partial(ask, make=empty_tree), "not in the tree"
    )


def collide(objects: Objects) -> str:
    """Commits a file and a folder of one name."""
    objects.start()
    text = objects.blob(TEXT)
    inner = objects.tree([(FILE, text, b"quuxbuffer.py")])
    return objects.commit(objects.tree([(FILE, text, b"a.py"), (FOLDER, inner, b"a.py")]))


def deep(objects: Objects, levels: int = 10_000) -> str:
    """Commits a file below many folders."""
    objects.start()
    text = objects.blob(TEXT)
    if levels > 1000:
        return deep_by_import(objects, levels)
    tree = objects.tree([(FILE, text, b"quuxbuffer.py")])
    for _ in range(levels):
        tree = objects.tree([(FOLDER, tree, b"d")])
    return objects.commit(objects.tree([(FILE, text, b"a.py"), (FOLDER, tree, b"d")]))


def deep_by_import(objects: Objects, levels: int) -> str:
    """Commits the same in one process."""
    return import_files(objects, {"a.py": TEXT, "d/" * levels + "quuxbuffer.py": TEXT})


def wide(objects: Objects, *, folders: int = 100, files: int = 0) -> str:
    """Commits many folders with a file each, or with many together."""
    objects.start()
    count = files or folders
    found = {f"d{n % folders:05}/f{n}.py": b"x\n" for n in range(count)}
    return import_files(objects, {"a.py": TEXT, **found})


def import_files(objects: Objects, files: dict[str, bytes]) -> str:
    """Commits files by one stream."""
    marks: dict[bytes, int] = {}
    stream = bytearray()
    for content in files.values():
        if content not in marks:
            marks[content] = len(marks) + 1
            stream += b"blob\nmark :%d\ndata %d\n%s\n" % (marks[content], len(content), content)
    stream += b"commit refs/heads/main\ncommitter x <x@x> 0 +0000\ndata 1\nx\n"
    for name, content in files.items():
        stream += b"M 100644 :%d %s\n" % (marks[content], name.encode())
    objects.git("fast-import", "--quiet", content=bytes(stream) + b"\n")
    return objects.git("rev-parse", "main")


def bomb_tree(objects: Objects) -> str:
    """Commits ten levels of trees that name the one below ten times."""
    objects.start()
    text = objects.blob(TEXT)
    tree = objects.tree([(FILE, text, b"f%d" % n) for n in range(10)])
    for _ in range(9):
        tree = objects.tree([(FOLDER, tree, b"d%d" % n) for n in range(10)])
    return objects.commit(objects.tree([(FILE, text, b"a.py"), (FOLDER, tree, b"d")]))


def empty_tree(objects: Objects) -> str:
    """Commits nothing."""
    objects.start()
    return objects.commit(objects.tree([]))


def contents() -> Iterator[Fault]:
    """Contents that are hard to read."""
    for name, content in (
        ("one line of 30 MB", b"quuxbuffer " * (30_000_000 // 11)),
        ("65 MB", b"x\n" * (65 << 19)),
        ("UTF-16", "quuxbuffer".encode("utf-16")),
        ("Latin-1", b"quuxbuffer \xe9"),
        ("NUL", b"quuxbuffer\0"),
        ("a byte order mark", b"\xef\xbb\xbfquuxbuffer\n"),
        ("CR line ends", b"quuxbuffer\rtwo\r"),
        ("a million empty lines", b"\n" * 1_000_000),
        ("a pointer of Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
        ("a page that ends its script", b"</script><script>alert(1)</script> quuxbuffer"),
        ("half a UTF-8 letter", b"quuxbuffer \xc3"),
        ("a letter of the last plane", "quuxbuffer \U0010ffff".encode()),
    ):
        make = partial(beside_one, mode=FILE, content=content, name=b"b.py")
        yield Fault("contents", name, CORRECT, partial(ask, make=make), sample=name == "NUL")
        if name in ("65 MB", "UTF-16", "Latin-1", "NUL", "half a UTF-8 letter"):
            gold = partial(ask, make=make, gold="b.py")
            yield Fault("contents", f"{name}, as gold", RECORDED, gold, "outside common searchable")


def commits() -> Iterator[Fault]:
    """Commits that are not there, or are something else."""

    def no_commit(objects: Objects) -> str:
        objects.start()
        return NO_COMMIT

    def as_object(objects: Objects, what: str) -> str:
        commit = beside(objects)
        if what == "tag":
            objects.git("tag", "-a", "-m", "x", "v1")
            return objects.git("rev-parse", "v1")
        return objects.git("rev-parse", f"{commit}{what}")

    def missing(objects: Objects) -> str:
        beside(objects)
        return NO_COMMIT

    def unnamed(objects: Objects) -> str:
        commit = beside(objects)
        objects.git("update-ref", "-d", "refs/heads/main")
        return commit

    for name, make in (("an empty repository", no_commit), ("a missing commit", missing)):
        yield Fault(
            "commits", name, RECORDED, partial(ask, make=make), "does not have", "mis" in name
        )
    for name, what in (("a tree", "^{tree}"), ("a file", ":a.py")):
        make = partial(as_object, what=what)
        yield Fault("commits", f"the id of {name}", RECORDED, partial(ask, make=make), "a2: ")
    yield Fault(
        "commits", "the id of a tag", CORRECT, partial(ask, make=partial(as_object, what="tag"))
    )
    yield Fault("commits", "on no branch", CORRECT, partial(ask, make=unnamed))


def loose(folder: Path, kind: str) -> Path:
    """Returns the loose object of a kind: blob, tree or commit."""
    objects = Objects(folder)
    name = {"blob": "main:a.py", "tree": "main^{tree}", "commit": "main"}[kind]
    oid = objects.git("rev-parse", name)
    return folder / ".git" / "objects" / oid[:2] / oid[2:]


def overwrite(path: Path, content: bytes) -> None:
    """Writes a file that git made read only."""
    path.chmod(0o644)
    path.write_bytes(content)


def stores() -> Iterator[Fault]:
    """Damaged objects and packs; other places for objects."""

    def lose(folder: Path, kind: str) -> None:
        loose(folder, kind).unlink()

    def damage(folder: Path, kind: str, turn: Callable[[bytes], bytes]) -> None:
        path = loose(folder, kind)
        overwrite(path, turn(path.read_bytes()))

    turns: dict[str, Callable[[bytes], bytes]] = {
        "empty": lambda b: b"",
        "cut": lambda b: b[: len(b) // 2],
        "of random bytes": lambda b: os.urandom(0) + bytes(range(200)),
    }
    for kind in ("blob", "tree", "commit"):
        gone = partial(ask, make=beside, after=partial(lose, kind=kind))
        yield Fault("stores", f"a {kind} is gone", RECORDED, gone, "a2: ", kind == "blob")
        for name, turn in turns.items():
            after = partial(damage, kind=kind, turn=turn)
            made = partial(ask, make=beside, after=after)
            yield Fault("stores", f"a {kind} is {name}", RECORDED, made, "a2: ")
    for name, after, expect in pack_damages():
        yield Fault("stores", name, expect, partial(ask, make=beside, after=after))
    for name, after, expect in store_settings():
        yield Fault("stores", name, expect, partial(ask, make=beside, after=after))


def pack_damages() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Yields what can happen to a pack."""

    def repack(folder: Path, suffix: str, turn: Callable[[bytes], bytes] | None) -> None:
        Objects(folder).git("gc", "--quiet")
        (path,) = (folder / ".git" / "objects" / "pack").glob(f"*.{suffix}")
        path.chmod(0o644)
        if turn:
            overwrite(path, turn(path.read_bytes()))
        else:
            path.unlink()

    yield "packed", partial(repack, suffix="idx", turn=lambda b: b), CORRECT
    yield "a pack is cut", partial(repack, suffix="pack", turn=lambda b: b[:40]), RECORDED
    yield "a pack is gone", partial(repack, suffix="pack", turn=None), RECORDED
    yield "a pack is zeros", partial(repack, suffix="pack", turn=lambda b: bytes(len(b))), RECORDED
    yield "an index is cut", partial(repack, suffix="idx", turn=lambda b: b[:100]), RECORDED
    yield "an index is gone", partial(repack, suffix="idx", turn=None), RECORDED


def store_settings() -> Iterator[tuple[str, Callable[[Path], None], str]]:
    """Yields what a source can say of itself."""

    def write(folder: Path, name: str, text: str) -> None:
        path = folder / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def borrow(folder: Path) -> None:
        lender = folder.with_name("lender")
        shutil.move(folder / ".git" / "objects", lender)
        (folder / ".git" / "objects" / "info").mkdir(parents=True)
        write(folder, "objects/info/alternates", f"{lender}\n")

    def become(folder: Path, what: Callable[[Path], object]) -> None:
        shutil.rmtree(folder)
        what(folder)

    def move_git(folder: Path) -> None:
        shutil.move(folder / ".git", folder.with_name("store"))
        (folder / ".git").write_text("gitdir: ../store\n")

    def replace(folder: Path) -> None:
        objects = Objects(folder)
        objects.git("replace", objects.git("rev-parse", "main:a.py"), objects.blob(b"other\n"))

    nowhere = partial(write, name="objects/info/alternates", text="/nowhere\n")
    yield "objects elsewhere", borrow, CORRECT
    yield "objects elsewhere, nowhere", nowhere, CORRECT
    broken = "[core\nrepositoryformatversion = zero\n"
    yield "a broken configuration", partial(write, name="config", text=broken), RECORDED
    version = "[core]\nrepositoryformatversion = 99\n"
    yield "a format of the future", partial(write, name="config", text=version), RECORDED
    yield "a HEAD that says nothing", partial(write, name="HEAD", text="ref: refs/x\n"), CORRECT
    yield "a damaged HEAD", partial(write, name="HEAD", text="\0\0"), RECORDED
    hook = "[uploadpack]\npackObjectsHook = touch /tmp/owned; false\n[core]\nbare = false\n"
    yield "a hook in its configuration", partial(write, name="config", text=hook), CORRECT
    yield "a .git that is a file", move_git, CORRECT
    yield "replaced objects", replace, CORRECT
    yield "an empty folder", partial(become, what=lambda p: p.mkdir()), RECORDED
    yield "a file", partial(become, what=lambda p: p.write_text("x")), RECORDED
    yield "a pipe", partial(become, what=os.mkfifo), RECORDED
    yield "missing", shutil.rmtree, RECORDED
    yield "a link in a circle", partial(become, what=lambda p: p.symlink_to(p)), RECORDED
    yield "SHA-256", partial(become, what=sha256), RECORDED


def sha256(folder: Path) -> None:
    """Makes a repository with other ids."""
    beside_format(Objects(folder))


def beside_format(objects: Objects) -> None:
    """Commits a file under ids of 64 digits."""
    objects.start("--object-format=sha256")
    (objects.folder / "a.py").write_bytes(TEXT)
    objects.git("add", "a.py")
    objects.git("commit", "--quiet", "-m", "x")


def all_faults() -> list[Fault]:
    """Returns every input of this table."""
    groups = (links, names, trees, contents, commits, stores)
    return [fault for group in groups for fault in group()]
