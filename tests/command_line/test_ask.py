import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from routebench.command_line import ask
from routebench.corpus import checkout

ROOT = Path(__file__).parents[2]


@pytest.fixture
def asked(run, repository, issue):
    """Asks the small repository."""

    def call(*arguments):
        return run("ask", "--repo", repository, "--issue", issue, *arguments)

    return call


def evidence(ran):
    """What speaks for each file, without weights and what is 0."""
    return {
        file["path"]: [
            {key: value for key, value in found.items() if value and key not in ("weight", "kind")}
            for found in file["evidence"]
        ]
        for file in json.loads(ran.out)["files"]
    }


def test_ranked_files_with_their_reasons(asked, commit_files, repository):
    ran = asked()
    assert (ran.status, ran.err) == (0, "")
    commit = json.loads(asked("--json").out)["commit"]
    lines = ran.out.splitlines()
    assert lines[0] == f"fts5: 3 of 4 files at {commit[:12]}"
    # "frob_nicate" is two tokens to FTS5, in a row in "frob_nicate" and in "frob nicate".
    assert lines[2].startswith("  1.  src/parser.py  (")
    assert lines[3] == "      frob_nicate (2x), parser (path + 1x)"


def test_counts_of_fts5_are_those_of_its_tokens(asked):
    assert evidence(asked("--json")) == {
        "src/parser.py": [
            {"text": "frob_nicate", "in_content": 2},
            {"text": "parser", "in_path": 1, "in_content": 1},
        ],
        "docs/parser/guide.md": [{"text": "parser", "in_path": 1}],
        "src/names.py": [{"text": "parser", "in_content": 2}],
    }


def test_weights_add_up_to_the_score(asked):
    for arm in ("fts5", "bm25", "basename", "ripgrep", "fts5-full", "path-fts5"):
        for file in json.loads(asked("--arm", arm, "--json").out)["files"]:
            total = sum(found["weight"] for found in file["evidence"])
            assert total == pytest.approx(file["score"], rel=1e-6), arm


def test_reasons_of_the_other_lexical_arms(asked):
    # R9: Python files; `_` joins a word, so the comment holds none; `PARSER` is one too.
    assert evidence(asked("--arm", "bm25", "--json")) == {
        "src/parser.py": [
            {"text": "frob_nicate", "in_content": 1},
            {"text": "parser", "in_path": 1, "in_content": 1},
        ],
        "src/names.py": [{"text": "parser", "in_content": 2}],
    }
    assert evidence(asked("--arm", "basename", "--json")) == {
        "src/parser.py": [{"text": "parser", "in_name": 1, "in_path": 1}],
        "docs/parser/guide.md": [{"text": "parser", "in_path": 1}],
    }
    assert evidence(asked("--arm", "ripgrep", "--json")) == {
        "src/parser.py": [
            {"text": "parser", "in_path": 1, "lines": 1},
            {"text": "frob_nicate", "lines": 1},
        ],
        "src/names.py": [{"text": "parser", "lines": 1}],
    }


def test_a_walk_is_told_from_the_root(asked):
    ran = asked("--arm", "tree", "--json")
    steps = {path: [step["text"] for step in found] for path, found in evidence(ran).items()}
    assert steps["src/parser.py"] == ["src", "src/parser.py"]
    assert all("probability" in step for step in evidence(ran)["src/parser.py"])
    assert "guide.md" in asked("--arm", "tree").out
    assert "round 1: " in asked("--arm", "flat").out


def test_several_arms_are_fused_by_rank(asked):
    ran = asked("--arm", "basename", "--arm", "ripgrep", "--json")
    # basename: parser.py, guide.md; ripgrep: parser.py, names.py.
    found = {file["path"]: file["score"] for file in json.loads(ran.out)["files"]}
    assert list(found.items()) == [
        ("src/parser.py", 2 / 61),
        ("docs/parser/guide.md", 1 / 62),
        ("src/names.py", 1 / 62),
    ]
    assert evidence(ran)["src/names.py"] == [{"text": "ripgrep", "rank": 2}]
    assert json.loads(ran.out)["arm"] == "basename+ripgrep"


def test_sources_are_asked_for_more_than_k(run, tmp_path, commit_files):
    # basename: alpha.beta 2 + 2, alpha.txt 2 + 1. ripgrep: both terms and the path in
    # za/beta1.txt, one and the path in alpha.txt. Second in both is first fused: 2/62 > 1/61.
    files = {"alpha.beta": "-\n", "alpha.txt": "alpha\n", "za/beta1.txt": "alpha beta\n"}
    commit_files(tmp_path / "three", files)
    (tmp_path / "issue").write_text("alpha beta")
    question = ("ask", "--repo", tmp_path / "three", "--issue", tmp_path / "issue", "-k", 1)
    ran = run(*question, "--arm", "basename", "--arm", "ripgrep", "--json")
    assert [(f["path"], f["score"]) for f in json.loads(ran.out)["files"]] == [
        ("alpha.txt", 2 / 62)
    ]


def test_the_context_is_ready_to_paste(asked):
    ran = asked("--context", "-k", "1")
    assert ran.out == (
        "\n===== src/parser.py =====\n00001: def parse(text):\n"
        "00002:     return frob_nicate(text)\n00003: # parser, frob nicate\n"
    )
    assert ran.err.startswith("routebench: 1 file nominated, 1 shown, ")
    tokens = sum(
        b["tokens"] for b in json.loads(asked("-k", "1", "--json", "--budget", 100).out)["context"]
    )
    assert f" {tokens} of 16,000 tokens" in ran.err
    # One token less than it takes: the block is left out.
    assert asked("--context", "-k", "1", "--budget", tokens - 1).out == ""
    assert asked("--context", "-k", "1", "--budget", tokens).out == ran.out


def test_only_committed_files_are_read_and_changes_are_told(asked, repository):
    (repository / "src/parser.py").write_text("frob_nicate parser " * 50)
    (repository / "new.py").write_text("frob_nicate")
    ran = asked("--json")
    assert "new.py" not in evidence(ran)
    assert evidence(ran)["src/parser.py"][0] == {"text": "frob_nicate", "in_content": 2}
    assert ran.err == (
        "routebench: only committed files are read: the work tree has 1 changed and 1 untracked\n"
    )


def test_another_revision_and_a_bare_repository(
    run, repository, issue, commit_files, run_git, tmp_path
):
    commit_files(repository, {"later.py": "frob_nicate\n"})
    bare = tmp_path / "bare.git"
    run_git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(bare))
    now = run("ask", "--repo", bare, "--issue", issue, "--json")
    before = run("ask", "--repo", bare, "--issue", issue, "--json", "--commit", "HEAD~1")
    assert "later.py" in evidence(now)
    assert "later.py" not in evidence(before)


def test_standard_input(run, repository, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"parser")))
    ran = run("ask", "--repo", repository, "--issue", "-", "--json")
    assert evidence(ran)["docs/parser/guide.md"] == [{"text": "parser", "in_path": 1}]


def test_an_issue_without_a_term_nominates_nothing(run, repository, tmp_path):
    (tmp_path / "short").write_text("?! a b")
    ran = run("ask", "--repo", repository, "--issue", tmp_path / "short")
    assert ran.status == 0
    assert "none fits the issue" in ran.out


def test_names_cannot_command_the_terminal(run, tmp_path, commit_files):
    evil = "\x1b]0;owned\x07/pars\x1b[31mer\n\u202e.py"
    commit_files(tmp_path / "evil", {evil: "parser \x1b[2J\n"})
    (tmp_path / "issue").write_text("parser")
    arms = [option for arm in ("fts5", "tree", "basename") for option in ("--arm", arm)]
    for arguments in ([], arms, ["--arm", "tree"], ["--json"]):
        ran = run("ask", "--repo", tmp_path / "evil", "--issue", tmp_path / "issue", *arguments)
        assert ran.status == 0
        assert not set("\x1b\x07\u202e") & set(ran.out + ran.err)
    assert (
        r"\x1b]0;owned\x07/pars\x1b[31mer\n\u202e.py"
        in run("ask", "--repo", tmp_path / "evil", "--issue", tmp_path / "issue").out
    )


def test_a_context_is_whole_for_programs_and_harmless_in_a_terminal(
    run, tmp_path, commit_files, monkeypatch
):
    commit_files(tmp_path / "evil", {"a.py": "parser\t\x1b[2J\n"})
    (tmp_path / "issue").write_text("parser")
    arguments = ("ask", "--repo", tmp_path / "evil", "--issue", tmp_path / "issue", "--context")
    assert "00001: parser\t\x1b[2J\n" in run(*arguments).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "00001: parser\t\\x1b[2J\n" in run(*arguments).out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file or directory"),
        (b"", "empty; expected the text of an issue"),
        (b" \n\t", "empty; expected the text of an issue"),
        (b"a\0b", "binary; expected text"),
        (b"caf\xe9", "not UTF-8 (byte 3)"),
        (b"x" * 1_000_001, "over 1,000,000 bytes; expected the text of one issue"),
    ],
)
def test_what_is_no_issue(run, repository, tmp_path, content, says):
    path = tmp_path / "odd"
    if content is not None:
        path.write_bytes(content)
    ran = run("ask", "--repo", repository, "--issue", path)
    assert (ran.status, ran.out, ran.err) == (1, "", f"routebench: --issue {path}: {says}\n")


def test_what_is_no_repository(run, repository, issue, tmp_path, run_git):
    def says(folder, *arguments):
        ran = run("ask", "--repo", folder, "--issue", issue, *arguments)
        assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
        return ran.err

    assert "no such folder; expected a git repository" in says(tmp_path / "none")
    assert "not a git repository; expected a work tree or .git" in says(tmp_path)
    assert f"it is a folder of {repository}, name that one" in says(repository / "src")
    run_git(tmp_path, "init", "--quiet", "empty")
    assert "the repository has no commit" in says(tmp_path / "empty")
    assert "revision 'v9': no such commit in" in says(repository, "--commit", "v9")
    assert "expected a branch, tag or commit" in says(repository, "--commit=--all")
    (repository / ".git" / "HEAD").write_text("nonsense")
    assert "not a git repository" in says(repository)


def test_clones_that_lack_something(run, repository, issue, tmp_path, commit_files, run_git):
    commit_files(repository, {"later.py": "x\n"})
    run_git(repository, "config", "uploadpack.allowFilter", "true")
    url = f"file://{repository}"
    run_git(tmp_path, "clone", "--quiet", "--depth=1", url, "shallow")
    run_git(tmp_path, "clone", "--quiet", "--bare", "--filter=blob:none", url, "partial")
    ran = run("ask", "--repo", tmp_path / "shallow", "--issue", issue, "--commit", "HEAD~1")
    assert "a shallow clone; git fetch --unshallow brings all commits" in ran.err
    ran = run("ask", "--repo", tmp_path / "partial", "--issue", issue)
    assert ": this clone is partial or damaged and lacks " in ran.err
    assert ran.err.endswith("; clone it again without --filter\n")
    assert (ran.status, ran.err.count("\n")) == (1, 1)


def test_a_damaged_object_is_told_by_its_file(asked, repository, run_git):
    blob = run_git(repository, "rev-parse", "HEAD:src/names.py")
    damaged = repository / ".git" / "objects" / blob[:2] / blob[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"junk")
    ran = asked()
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "lacks 1 file, 'src/names.py'; clone it again" in ran.err


def test_the_work_tree_of_another_user_is_not_looked_at(asked, repository, monkeypatch):
    # To git, telling what is changed would run the program of this filter.
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/attributes").write_text("* filter=evil")
    ran_file = repository.parent / "ran"
    with (repository / ".git/config").open("a") as config:
        config.write(f'[filter "evil"]\nclean = "touch {ran_file}; cat"\n')
    os.utime(repository / "src/parser.py", (1, 1))
    monkeypatch.setattr(checkout.os, "geteuid", lambda: 12345)
    ran = asked()
    assert ran.status == 0
    assert "the work tree was not looked at" in ran.err
    assert not ran_file.exists()


def test_filters_of_a_work_tree_are_not_run(asked, repository, run_git, tmp_path, commit_files):
    ran_file = tmp_path / "ran"
    commit_files(repository, {".gitattributes": "* filter=x.y\n"})
    for key in ("clean", "process", "smudge"):
        run_git(repository, "config", f"filter.x.y.{key}", f"touch {ran_file}; cat")
    run_git(repository, "config", "filter.x.y.required", "true")
    (repository / "src/names.py").write_text("PARSER = 'PARSER'\n")
    ran = asked()
    assert ran.status == 0
    assert "the work tree has 1 changed and 0 untracked" in ran.err
    assert not ran_file.exists()


def test_a_work_tree_that_cannot_be_looked_at_costs_no_answer(asked, repository, run_git):
    run_git(repository, "config", "filter.a=b.clean", "cat")
    ran = asked()
    assert (ran.status, ran.out.split(":")[0]) == (0, "fts5")
    assert "the work tree was not looked at: " in ran.err
    assert "names a filter that cannot be turned off" in ran.err
    assert ran.err.count("\n") == 1


def test_a_commit_without_files_is_told(run, tmp_path, commit_files, issue):
    commit_files(tmp_path / "r", {"picture.png": "\0"})
    ran = run("ask", "--repo", tmp_path / "r", "--issue", issue)
    assert ran.status == 0
    assert ran.out.endswith("; this commit has no file that studies read.\n")


@pytest.mark.parametrize("option", ["--repo", "--issue"])
def test_an_empty_name_is_not_the_current_folder(run, repository, issue, option):
    given = {"--repo": repository, "--issue": issue, option: ""}
    ran = run("ask", *(part for pair in given.items() for part in pair))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"routebench: {option}: no name; expected ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--arm", "ftss5"], "arm 'ftss5': no such arm; did you mean fts5? known are rg, fts5,"),
        (["--arm", "command"], "arm 'command': a kind that has no default argv"),
        (["--arm", "archive"], "arm 'archive': of kind archive, which has answers to published"),
        (["--study", "paper", "--arm", "tree"], "arm 'tree': of kind archive"),
        (["--study", "nothing"], "no such study or file; studies are "),
    ],
)
def test_arms_that_cannot_be_asked(asked, arguments, says):
    ran = asked(*arguments)
    assert (ran.status, ran.out) == (1, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_only_arms_that_can_be_asked_are_named(asked):
    known = asked("--arm", "x").err.partition("known are ")[2].strip().split(", ")
    assert {"fts5", "tree+fts5", "bm25", "ripgrep"} <= set(known)
    assert not {"archive", "command", "rerank", "rrf"} & set(known)


@pytest.mark.parametrize("value", ["0", "-3", "x", "1.5", "", "9" * 30])
def test_numbers_start_at_one(asked, value):
    ran = asked(f"-k={value}")
    assert ran.status == 2
    assert "argument -k: expected a number from 1 to 2147483647, not" in ran.err


def test_a_paid_model_without_its_key_is_one_line(asked, tmp_path, monkeypatch):
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    study = tmp_path / "paid.yaml"
    study.write_text(
        "study: paid\narms: {tree: {kind: tree, model: paid}}\ncomparisons: []\n"
        "models: {paid: {kind: typesafe}}\n"
    )
    ran = asked("--study", study, "--arm", "tree")
    assert ran.status == 1
    assert ran.err == (
        "routebench: environment variable TYPESAFE_API_KEY: expected the key of the model\n"
    )


def test_a_program_of_ones_own(asked, tmp_path):
    program = tmp_path / "own.py"
    program.write_text('print(\'["src/names.py", "gone.py"]\')\n')
    study = tmp_path / "own.yaml"
    study.write_text(
        "study: own\ncomparisons: []\n"
        f"arms: {{own: {{kind: command, argv: [{sys.executable}, {program}]}}, "
        f"bad: {{kind: command, argv: [{sys.executable}, -c, 'raise SystemExit(3)']}}}}\n"
    )
    ran = asked("--study", study, "--arm", "own")
    assert ran.out.splitlines()[2:] == [
        "  1.  src/names.py  (1)",
        "      the arm (command) gives no reason",
    ]
    failed = asked("--study", study, "--arm", "bad")
    assert failed.err == "routebench: arm bad failed: program ended with exit code 3\n"
    both = asked("--study", study, "--arm", "bad", "--arm", "own")
    assert both.status == 0
    assert "arm bad failed and was left out: program ended with exit code 3" in both.err


def test_a_study_in_the_folder_it_is_called_from(run, repository, issue, tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text(
        "study: mine\narms: {names: {kind: basename}}\ncomparisons: []\n"
    )
    monkeypatch.chdir(tmp_path)
    ran = run(
        "ask", "--repo", "service", "--issue", "issue.txt", "--study", "mine.yaml", "--arm", "names"
    )
    assert ran.out.startswith("names: 2 of 4 files")


@pytest.fixture
def program(tmp_path, issue):
    """The launcher through a link, from a folder whose modules are not ours."""
    if not (ROOT / ".venv" / ".ready").exists():
        pytest.fail("no environment; make test makes it")
    (tmp_path / "yaml.py").write_text("raise SystemExit('the wrong yaml')")
    (tmp_path / "link").symlink_to(ROOT / "routebench")
    return tmp_path / "link"


def test_the_launcher_works_from_anywhere(program, repository, issue, tmp_path):
    command = f"{program} ask --repo service --issue issue.txt -k 1"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "src/parser.py" in done.stdout


@pytest.mark.parametrize("form", ["--context", "--json", "-k=1"])
def test_a_reader_that_went_away_is_no_error(program, repository, tmp_path, form):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [program, "ask", "--repo", "service", "--issue", "issue.txt", form],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 141
    assert b"Error" not in done.stderr


def test_the_launcher_makes_a_missing_environment(tmp_path):
    shutil.copy(ROOT / "routebench", tmp_path / "routebench")
    (tmp_path / "Makefile").write_text(
        ".venv/.ready:\n\t@echo making; mkdir -p .venv/bin; touch .venv/.ready\n"
        "\t@printf '#!/bin/sh\\necho python \"$$@\"' > .venv/bin/python\n"
        "\t@chmod +x .venv/bin/python\n"
    )
    done = subprocess.run(
        [tmp_path / "routebench", "ask", "two words"],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "python -P -m routebench ask two words\n"
    assert done.stderr == "making\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from routebench.command_line.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'pyarrow', 'pydantic', 'yaml', 'duckdb'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "workflow")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_answer_needs_no_parquet(asked, repository, issue):
    code = (
        "import sys; from routebench.command_line.main import main\n"
        "main(sys.argv[1:])\n"
        "print(sorted({'pyarrow', 'duckdb', 'pandas', 'tiktoken'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "ask", "--repo", repository, "--issue", issue],
        env={"PYTHONPATH": str(ROOT / "workflow"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_default_arm_is_one_of_the_default_study():
    assert f"  {ask.DEFAULT_ARM}: " in (ROOT / "config.yaml").read_text()
