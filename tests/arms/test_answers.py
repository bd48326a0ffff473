from routebench.arms.answers import tidy_answer, tidy_ranking
from routebench.arms.base import Answer, Operations, Ranked


def listed(*paths):
    return tuple(Ranked(path, 1.0 / place) for place, path in enumerate(paths, start=1))


def test_unknown_and_repeated_paths_go_and_order_stays():
    ranking, dropped = tidy_ranking(listed("x", "b", "x", "a", "b"), {"a", "b"}, 16)
    assert ([item.path for item in ranking], dropped) == (["b", "a"], 1)
    assert ranking[0].score == 1 / 2


def test_the_cut_comes_after_the_drop():
    ranking, dropped = tidy_ranking(listed("x", "a", "b"), {"a", "b"}, 2)
    assert ([item.path for item in ranking], dropped) == (["a", "b"], 1)


def test_without_a_corpus_every_path_is_known():
    assert tidy_ranking(listed("x", "x", "y"), None, 16) == ((("x", 1.0), ("y", 1 / 3)), 0)


def test_counts_add_up_and_the_rest_of_the_answer_stays():
    answer = Answer(listed("x", "a"), Operations(dropped_paths=2, calls=3))
    tidied = tidy_answer(answer, {"a"}, 16)
    assert tidied.operations == Operations(dropped_paths=3, calls=3)
    assert tidy_answer(tidied, {"a"}, 16) == tidied
