from routebench.evaluation.file_scores import score_files
from routebench.evaluation.line_scores import score_lines
from routebench.evaluation.measures import MEASURES
from routebench.tables import table_schema

KEYS = {"case_id", "repo", "arm", "k", "budget"}
COUNTS = {"gold_files", "returned"}


def test_every_column_of_the_scores_is_declared_once() -> None:
    names = [measure.name for measure in MEASURES]
    assert len(set(names)) == len(names)
    assert set(names) == set(table_schema("scores").names) - KEYS - COUNTS


def test_an_empty_ranking_scores_what_the_declaration_says() -> None:
    files = score_files({"a"}, [], k=8)._asdict()
    lines = score_lines({"a": ((1, 2),)}, {})._asdict()
    computed = {**files, **lines, "context_tokens": 0}
    for measure in MEASURES:
        assert computed[measure.name] == measure.empty_ranking, measure.name
