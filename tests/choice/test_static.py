"""Static word vectors: the same answer whatever else is asked, wherever it is asked."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from routebench.choice.base import ChoiceRequest, RelevanceRequest
from routebench.choice.static import Static, StaticModel, logistic, softmax, unit_vector

ROOT = Path(__file__).parents[2]
STATE = "User question: the parser crashes on empty arguments"
OPTIONS = tuple(f"path: - [{name}.py]({name}.py)" for name in ("parser", "banana", "zebra"))


def menu(options: tuple[str, ...] = OPTIONS, repeat: int = 0) -> ChoiceRequest:
    return ChoiceRequest(STATE, "Choose.", options, repeat)


def test_the_nearest_option_is_the_most_probable() -> None:
    choice = StaticModel(Static()).choose(menu())
    assert choice.probabilities[0] == max(choice.probabilities)
    assert sum(choice.probabilities) + choice.none == pytest.approx(1, abs=1e-8)
    assert (choice.calls, choice.input_tokens, choice.cost_usd, choice.seconds) == (1, 0, 0.0, 0.0)


def test_softmax_by_hand() -> None:
    # exp(0) = 1 and exp(-ln 3) = 1/3: shares 3/4 and 1/4.
    assert softmax([0.0, -1.0986122886681098], 1.0) == [0.75, 0.25]
    # Half the temperature squares the ratio: 9/10 and 1/10.
    assert softmax([0.0, -1.0986122886681098], 0.5) == [0.9, 0.1]


def test_logistic_by_hand() -> None:
    assert logistic(0.0) == 0.5
    assert logistic(1.0986122886681098) == 0.75
    assert (logistic(1e9), logistic(-1e9)) == (1.0, 0.0)


def test_none_enters_the_softmax_as_the_threshold() -> None:
    # An option without a token has cosine 0, as has the threshold: one half each.
    choice = StaticModel(Static(threshold=0.0)).choose(menu(("",)))
    assert (choice.probabilities, choice.none) == ((0.5,), 0.5)


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    texts = [f"path: - [{n}](x/{n * 'é'}.py)" * (1 + n % 9) for n in range(400)]
    random.Random(0).shuffle(texts)
    together = StaticModel(Static(temperature=0.1)).choose(menu(tuple(texts)))
    used = StaticModel(Static(temperature=0.1))
    for text in texts[::7]:
        used.choose(menu((text, "other")))
    assert used.choose(menu(tuple(texts))) == together


def test_a_vector_does_not_depend_on_its_batch() -> None:
    import numpy as np

    from routebench.choice.static import load_vectors

    texts = [f"option {n} " * (1 + n % 40) for n in range(200)]
    batched = load_vectors().embed(texts, norm=True).astype(float)
    alone = np.stack([unit_vector(text) for text in texts])
    assert np.abs(batched - alone).max() < 1e-6


def test_noise_differs_by_repeat_and_never_by_run() -> None:
    noisy = Static(noise=0.1)
    first, second = (StaticModel(noisy).choose(menu(repeat=repeat)) for repeat in (0, 1))
    assert first.probabilities != second.probabilities
    assert StaticModel(noisy).choose(menu(repeat=1)) == second
    plain = StaticModel(Static())
    assert plain.choose(menu(repeat=0)) == plain.choose(menu(repeat=1))


def test_answers_are_the_same_in_another_process() -> None:
    code = (
        "from routebench.choice.base import ChoiceRequest as R;"
        "from routebench.choice.static import Static, StaticModel as M;"
        f"print(M(Static(noise=0.1)).choose(R({STATE!r}, 'Choose.', {OPTIONS!r})).probabilities)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "workflow",
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == str(StaticModel(Static(noise=0.1)).choose(menu()).probabilities)


def test_yes_no_questions_get_a_squashed_similarity() -> None:
    questions = (("a", "parser of arguments"), ("b", "banana"), ("c", ""))
    relevance = StaticModel(Static(midpoint=0.0, scale=0.1)).judge(
        RelevanceRequest(STATE, questions)
    )
    assert relevance.probabilities["a"] > relevance.probabilities["b"]
    assert relevance.probabilities["c"] == 0.5


def test_odd_texts_have_an_answer() -> None:
    choice = StaticModel(Static()).choose(
        ChoiceRequest("", "", ("", "\udcff.py", "\0", "x" * 9000))
    )
    assert len(choice.probabilities) == 4


def test_thousands_of_options_a_second() -> None:
    model = StaticModel(Static())
    model.choose(menu())
    start = time.perf_counter()
    for part in range(20):
        model.choose(menu(tuple(f"Source file: src/{part}/module_{n}.py" for n in range(200))))
    assert 4000 / (time.perf_counter() - start) > 1000
