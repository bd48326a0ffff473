from routebench.arms import basename
from routebench.arms.base import Resources
from routebench.arms.basename import path_score


def rank(snapshot, issue, k=16, **parameters):
    return basename.create(basename.PARAMETERS(**parameters), Resources()).rank(issue, snapshot, k)


def test_the_stem_counts_twice_beside_the_path():
    terms = frozenset(["parser", "src", "test"])
    assert path_score("src/parser.py", terms) == 2 * 1 + 2
    assert path_score("src/other.py", terms) == 1
    assert path_score("parser/parser.test.js", terms) == 2 * 2 + 2
    assert path_score("lib/x.c", terms) == 0


def test_tokens_are_whole_words():
    assert path_score("parsers/my_parser.py", frozenset(["parser", "parsers"])) == 1


def test_the_suffix_is_in_the_path_and_not_in_the_stem():
    assert path_score("a.rst", frozenset(["rst"])) == 1


def test_positive_scores_only_ties_by_path(snapshot_of, issue_of):
    contents = dict.fromkeys(["b/cli.py", "a/cli.py", "cli/b.py", "x.py"], "cli")
    assert rank(snapshot_of(contents), issue_of("cli error")).ranking == (
        ("a/cli.py", 3.0),
        ("b/cli.py", 3.0),
        ("cli/b.py", 1.0),
    )


def test_only_the_first_500_characters_are_read(snapshot_of, issue_of):
    snapshot = snapshot_of({"late.py": ""})
    issue = issue_of(" " * 500 + "late")
    assert rank(snapshot, issue).ranking == ()
    assert rank(snapshot, issue, query_characters=None).ranking == (("late.py", 3.0),)


def test_at_most_k_paths_and_none_without_terms(snapshot_of, issue_of):
    snapshot = snapshot_of({f"cli/{n}.py": "" for n in range(20)})
    assert len(rank(snapshot, issue_of("cli"), k=5).ranking) == 5
    assert rank(snapshot, issue_of("")).ranking == ()
