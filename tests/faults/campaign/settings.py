"""Study files and a config.yaml of wrong shape; what the command line gives."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import yaml

from campaign import study
from campaign.faults import CORRECT, REFUSED, Fault
from campaign.sandbox import Sandbox

SECTIONS = (
    *("dataset", "cohort", "repositories", "corpus", "arms", "models", "limits", "context"),
    *("statistics", "reporting", "comparisons", "k"),
)
WRONG = {"a number": 7, "text": "x", "true": True, "NaN": float("nan")}


def text_of(change: dict[str, Any]) -> str:
    """Returns the study with some of its top keys changed."""
    return yaml.safe_dump({**study.study_values(), **change}, sort_keys=False)


def write(sandbox: Sandbox, text: str | bytes) -> None:
    """Writes the study file."""
    content = text if isinstance(text, bytes) else text.encode()
    sandbox.path("study.yaml").write_bytes(content)


def change(sandbox: Sandbox, **values: Any) -> None:
    """Changes top keys of the study file."""
    write(sandbox, text_of(values))


def deepen(sandbox: Sandbox, section: str, **values: Any) -> None:
    """Adds keys to a section of the study file."""
    given = study.study_values().get(section) or {}
    write(sandbox, text_of({section: {**given, **values}}))


def turn(sandbox: Sandbox, act: Callable[[str], str | bytes]) -> None:
    """Changes the text of the study file."""
    write(sandbox, act(sandbox.path("study.yaml").read_text()))


def shapes() -> Iterator[Fault]:
    """A section that is no section."""
    for section in SECTIONS:
        for name, value in WRONG.items():
            make = partial(change, **{section: value})
            sample = (section, name) == ("arms", "text")
            yield Fault("study file", f"{section} is {name}", REFUSED, make, section, sample)
        if section not in ("cohort", "limits", "models", "comparisons"):
            make = partial(change, **{section: None})
            yield Fault("study file", f"{section} is empty", REFUSED, make, section)


IN_SECTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "resamples without bound": ("statistics", {"resamples": 10**12}),
    "resamples of 5,000 digits": ("statistics", {"resamples": 10**4000}),
    "resamples of 0": ("statistics", {"resamples": 0}),
    "resamples in words": ("statistics", {"resamples": "many"}),
    "a fraction of resamples": ("statistics", {"resamples": 100.5}),
    "a huge seed": ("statistics", {"seed": float("inf")}),
    "a budget of 0": ("context", {"budgets": [0]}),
    "a negative margin": ("context", {"margin": -1}),
    "a margin beyond 64 bits": ("context", {"margin": 2**70}),
    "best lines beyond 32 bits": ("context", {"best_lines": 2**40}),
    "a limit of NaN": ("limits", {"study": {"usd": float("nan")}}),
    "a negative limit": ("limits", {"study": {"usd": -1}}),
    "a table that is not there": ("reporting", {"tables": ["nothing"]}),
    "a table above the folder": ("reporting", {"tables": ["../../etc/passwd"]}),
    "published values elsewhere": ("reporting", {"published": "../x"}),
    "a file of 0 bytes": ("corpus", {"max_file_bytes": 0}),
    "a rule that is not there": ("corpus", {"rule": "all"}),
    "an address without a name": ("repositories", {"url": "https://x"}),
    "releases that are not there": ("repositories", {"releases": "nothing.yaml"}),
    "a dataset that is not there": ("dataset", {"path": "nothing.jsonl"}),
    "a dataset with braces": ("dataset", {"path": "data/{x}.jsonl"}),
    "a dataset in a NUL": ("dataset", {"path": "data/\0"}),
    "a dataset of 5,000 letters": ("dataset", {"path": "x" * 5000}),
    "a repository named twice over": ("cohort", {"repositories": [["a/b"]]}),
    "a cohort of another dataset": ("cohort", {"ids": ["nothing"]}),
    "a ledger that is not pinned": ("cohort", {"ledger": "nothing"}),
}
AT_THE_TOP: dict[str, dict[str, Any]] = {
    "a study named ..": {"study": ".."},
    "a study above its folder": {"study": "../x"},
    "a study with an escape": {"study": "\x1b[31m"},
    "a study of 5,000 letters": {"study": "s" * 5000},
    "a study without a name": {"study": ""},
    "a study that is a number": {"study": 7},
    "k of nothing": {"k": []},
    "k of 0": {"k": [0]},
    "k beyond 32 bits": {"k": [2**31]},
    "k twice": {"k": [1, 1]},
    "k backwards": {"k": [2, 1]},
    "k of fractions": {"k": [1.5]},
    "results at the root": {"results": "/"},
    "results in a file": {"results": "program.py"},
    "results in a file's folder": {"results": "program.py/x"},
    "results in a NUL": {"results": "x\0"},
    "results in /proc": {"results": "/proc/results"},
    "no arm": {"arms": {}},
    "an arm named ..": {"arms": {"..": {"kind": "fts5"}}},
    "an arm with a slash": {"arms": {"a/b": {"kind": "fts5"}}},
    "an arm that is a number": {"arms": {7: {"kind": "fts5"}}},
    "an arm named as a column": {"arms": {"repo": {"kind": "fts5"}}},
    "arms that differ in case": {"arms": {"A": {"kind": "fts5"}, "a": {"kind": "fts5"}}},
    "an arm of no kind": {"arms": {"a": {}}},
    "an arm of an unknown kind": {"arms": {"a": {"kind": "ftss5"}}},
    "an unknown parameter": {"arms": {"a": {"kind": "fts5", "colour": 1}}},
    "a weight of infinity": {"arms": {"a": {"kind": "fts5", "path_weight": float("inf")}}},
    "a fusion of itself": {"arms": {"a": {"kind": "rrf", "sources": ["a"]}}},
    "a fusion of nothing": {"arms": {"a": {"kind": "rrf", "sources": []}}},
    "a program that is not there": {"arms": {"a": {"kind": "command", "argv": ["no-such"]}}},
    "a program without a name": {"arms": {"a": {"kind": "command", "argv": [""]}}},
    "a program with a NUL": {"arms": {"a": {"kind": "command", "argv": ["a\0"]}}},
    "a script that is a folder": {
        "arms": {"a": {"kind": "command", "argv": ["python3", "workflow/x.py"]}}
    },
    "a million repeats": {"arms": {"a": {"kind": "flat", "model": "static", "repeats": 10**9}}},
    "a comparison of no arm": {"comparisons": [{"arm": "fts5", "against": "nothing"}]},
    "a comparison with itself, unknown": {"comparisons": [{"arm": "x", "against": "x"}]},
    "an unknown key": {"resample": 100},
    "a key that is no text": {None: 1},
    "an unknown key of 1 MB": {"k" * 10**6: 1},
    "an unknown key with an escape": {"\x1b[31m": 1},
    "verify elsewhere": {"verify": "/etc"},
}


def values() -> Iterator[Fault]:
    """Values that are not allowed, or only look so."""
    for name, (section, keys) in IN_SECTIONS.items():
        make = partial(deepen, section=section, **keys)
        sample = name == "resamples without bound"
        yield Fault("study file", name, REFUSED, make, sample=sample)
    for name, keys in AT_THE_TOP.items():
        yield Fault("study file", name, REFUSED, partial(write_tops, keys=keys))


def write_tops(sandbox: Sandbox, keys: dict[Any, Any]) -> None:
    """Writes the study with top keys of any type; comparisons fit the arms."""
    given = {**study.study_values(), **keys}
    if "arms" in keys and "comparisons" not in keys:
        given["comparisons"] = []
    write(sandbox, yaml.safe_dump(given, sort_keys=False))


def texts() -> Iterator[Fault]:
    """Text that is no YAML, or YAML that parsers forgive."""
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
    )
    bad: dict[str, tuple[Callable[[str], str | bytes], str]] = {
        "empty": (lambda t: "", "keys and values"),
        "a comment only": (lambda t: "# nothing\n", "keys and values"),
        "a list": (lambda t: "- a\n", "keys and values"),
        "a word": (lambda t: "hello\n", "keys and values"),
        "two documents": (lambda t: t + "---\n" + t, "not YAML"),
        "an open bracket": (lambda t: t + "x: [1\n", "not YAML"),
        "tabs": (lambda t: t.replace("  ", "\t"), "not YAML"),
        "an unknown alias": (lambda t: t + "x: *nothing\n", "not YAML"),
        "a Python object": (lambda t: t + "x: !!python/object/apply:os.getpid []\n", "not YAML"),
        "control characters": (lambda t: t + "x: \x01\n", "not YAML"),
        "Latin-1": (lambda t: t.encode() + b"# \xe9\n", "not YAML"),
        "UTF-16": (lambda t: t.encode("utf-16"), "not YAML"),
        "random bytes": (lambda t: bytes(range(256)) * 20, "not YAML"),
        "a top key twice": (lambda t: t + "study: other\n", "stands twice"),
        "a deep key twice": (lambda t: t.replace("margin: 1", "margin: 1\n  margin: 2"), "twice"),
        "an arm twice": (lambda t: t.replace("arms:\n", "arms:\n  own: {kind: fts5}\n"), "twice"),
        "a list in itself": (lambda t: t.replace("k:\n", "k: &k\n- *k\n"), "holds itself"),
        "a mapping in itself": (lambda t: t + "limits: &l\n  study: *l\n", "holds itself"),
        "a billion laughs": (lambda t: t + laughs, "values"),
        "20,000 brackets": (lambda t: t + "x: " + "[" * 20_000, "not YAML"),
        "an unhashable key": (lambda t: t + "? [a]\n: 1\n", "not YAML"),
        "a date for a study": (lambda t: t.replace("study: small", "study: 2020-01-01"), "study"),
        "no study": (lambda t: t.replace("study: small\n", ""), "study is missing"),
        "Norway": (lambda t: t.replace("study: small", "study: no"), "study"),
    }
    for name, (act, says) in bad.items():
        make = partial(turn, act=act)
        yield Fault("study file", name, REFUSED, make, says, name in ("a deep key twice", "tabs"))
    good: dict[str, Callable[[str], str | bytes]] = {
        "a byte order mark": lambda t: b"\xef\xbb\xbf" + t.encode(),
        "CRLF": lambda t: t.replace("\n", "\r\n"),
        "anchors": lambda t: t.replace("k:\n", "k: &k\n").replace("margin: 1", "margin: &m 1"),
        "a merge key": lambda t: t.replace("margin: 1", "<<: {margin: 1}"),
        "JSON": lambda t: __import__("json").dumps(yaml.safe_load(t)),
    }
    for name, act in good.items():
        yield Fault("study file", name, CORRECT, partial(turn, act=act))


def places() -> Iterator[Fault]:
    """A study file that is no file."""
    import os

    def put(sandbox: Sandbox, what: Callable[[Any], Any]) -> None:
        path = sandbox.path("study.yaml")
        path.unlink()
        what(path)

    odd: dict[str, Callable[[Any], Any]] = {
        "a folder": lambda path: path.mkdir(),
        "a pipe": os.mkfifo,
        "a link in a circle": lambda path: path.symlink_to(path.name),
        "a device": lambda path: path.symlink_to("/dev/zero"),
        "missing": lambda path: None,
    }
    for name, what in odd.items():
        yield Fault("study file", name, REFUSED, partial(put, what=what), "no such study")


def defaults() -> Iterator[Fault]:
    """A damaged config.yaml, which every study is laid over."""

    def put(sandbox: Sandbox, act: Callable[[str], str | bytes]) -> None:
        path = sandbox.path("config.yaml")
        text = path.read_text()
        path.unlink()
        content = act(text)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    bad: dict[str, Callable[[str], str | bytes]] = {
        "empty": lambda t: "",
        "a list": lambda t: "- a\n",
        "cut": lambda t: t[: len(t) // 2],
        "Latin-1": lambda t: t.encode() + b"# \xe9\n",
        "a key twice": lambda t: t + "\nk: [1]\n",
        "an unknown key": lambda t: t + "\ncolour: 1\n",
        "a wrong value": lambda t: t.replace("cache: cache", "cache: 7"),
    }
    for name, act in bad.items():
        yield Fault("config.yaml", name, REFUSED, partial(put, act=act), "config.yaml")

    def gone(sandbox: Sandbox) -> None:
        sandbox.path("config.yaml").unlink()

    yield Fault("config.yaml", "missing", REFUSED, gone, "config.yaml")


def all_faults() -> list[Fault]:
    """Returns every input of this table."""
    return [f for group in (shapes, values, texts, places, defaults) for f in group()]
