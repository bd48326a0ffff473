from math import fsum, log

from routebench.arms import ripgrep
from routebench.arms.base import Resources
from routebench.arms.ripgrep import document_frequency, rank_hits


def ranker(**parameters):
    return ripgrep.create(ripgrep.PARAMETERS(**parameters), Resources(threads=2))


def test_score_is_rarity_plus_path_boost(snapshot_of, issue_of):
    contents = {"src/Parser.py": "parser error", "b.py": "an error", "c.py": "", "d.py": "x"}
    answer = ranker().rank(issue_of("Parser error"), snapshot_of(contents), 16)
    # N=4; df: error 2, parser 1.
    error, parser = 1 + log(5 / 3), 1 + log(5 / 2)
    assert answer.ranking == (
        ("src/Parser.py", fsum([error, parser, 2.0])),
        ("b.py", error),
    )
    assert (answer.operations.calls, answer.operations.tool_errors) == (1, 0)


def test_a_term_in_the_path_alone_is_no_hit(snapshot_of, issue_of):
    snapshot = snapshot_of({"parser.py": "nothing"})
    assert ranker().rank(issue_of("parser"), snapshot, 16).ranking == ()


def test_a_blob_at_two_paths_is_two_files(snapshot_of):
    files = snapshot_of(
        {"a.py": "same", "b.py": "same", "c.py": "other", "same/d.py": "same"}
    ).files
    hits = {files[0].blob: frozenset(["same"])}
    assert document_frequency(files, hits) == {"same": 3}
    assert rank_hits(files, hits, 2.0) == [
        ("same/d.py", 2 + 1 + log(5 / 4)),
        ("a.py", 1 + log(5 / 4)),
        ("b.py", 1 + log(5 / 4)),
    ]


def test_files_of_equal_addends_tie_and_go_by_path(snapshot_of):
    """A sum in set order ranked such files by rounding (METHODS R3)."""
    terms = [f"t{n}x" for n in range(40)]
    texts = {f"{n}.py": str(n) for n in range(12)}
    files = snapshot_of(texts).files
    hits = {f.blob: frozenset(terms[i : i + 20]) for i, f in enumerate(files)}
    again = {f.blob: frozenset(reversed(terms[i : i + 20])) for i, f in enumerate(files)}
    assert rank_hits(files, hits, 2.0) == rank_hits(files, again, 2.0)
    one, other = (frozenset(["abc", "xyz", "foo"]), frozenset(["foo", "xyz", "abc"]))
    tied = rank_hits(files[:2], {files[0].blob: one, files[1].blob: other}, 2.0)
    assert [item.path for item in tied] == ["0.py", "1.py"]
    assert tied[0].score == tied[1].score


def test_whole_issue_by_default_and_a_prefix_on_request(snapshot_of, issue_of):
    snapshot = snapshot_of({"a.py": "late"})
    issue = issue_of("early" + " " * 500 + "late")
    assert len(ranker().rank(issue, snapshot, 16).ranking) == 1
    assert len(ranker(query_characters=500).rank(issue, snapshot, 16).ranking) == 0


def test_at_most_k_paths(snapshot_of, issue_of):
    snapshot = snapshot_of({f"{n}.py": f"word {n}" for n in range(20)})
    assert len(ranker().rank(issue_of("word"), snapshot, 16).ranking) == 16


def test_an_issue_without_terms_gives_an_empty_ranking(snapshot_of, issue_of):
    assert ranker().rank(issue_of("- *"), snapshot_of({"a": "- *"}), 16).ranking == ()


def test_the_kind_needs_the_corpus_and_no_files_on_disk():
    assert ripgrep.PARAMETERS.needs_corpus
    assert not ripgrep.PARAMETERS.needs_files
