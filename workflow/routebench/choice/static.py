"""Static word vectors from the wheel of wordllama: offline, free, the default (METHODS M).

A stand-in that lets every stage run without a paid model, not a contender. A text's
vector is the mean of its tokens' vectors; a text is embedded alone, so its vector cannot
depend on what is asked beside it. Cosines are rounded to 6 decimals and probabilities
to 9, which hides the last bits in which processors differ.

The defaults of temperature and threshold were chosen on the demo alone, by the study
`static-grid`, and are frozen: no case of a published study had a part in them.
"""

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from routebench.choice.base import (
    Choice,
    ChoiceRequest,
    ModelParameters,
    Relevance,
    RelevanceRequest,
)
from routebench.choice.desk import Desk
from routebench.choice.keys import Request, request_key
from routebench.choice.recorded import Direct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "wordllama-l2_supercat-256"
COSINE_DECIMALS, PROBABILITY_DECIMALS = 6, 9
CACHED_TEXTS = 1 << 16


class Static(ModelParameters):
    """Cosine similarity of static word vectors, made into probabilities."""

    temperature: float = Field(
        default=0.05,
        gt=0,
        description="Divides cosines before the softmax over a menu; lower is more decided.",
    )
    threshold: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="Cosine that stands for `none of these` in the softmax.",
    )
    noise: float = Field(
        default=0.0,
        ge=0,
        description="Standard deviation of Gaussian noise on cosines, seeded by request and "
        "repeat: repeats differ, yet always in the same way.",
    )
    midpoint: float = Field(
        default=0.4,
        ge=-1,
        le=1,
        description="Cosine at which a yes/no question gets probability 0.5.",
    )
    scale: float = Field(
        default=0.1, gt=0, description="Width of the logistic curve of yes/no questions, in cosine."
    )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind, vectors with the version of their wheel, and all parameters."""
        facts = {"kind": "static", "model": MODEL, "version": version("wordllama")}
        return facts | self.model_dump()


PARAMETERS = Static


@cache
def load_vectors() -> Any:
    """Returns wordllama with the weights and the tokenizer of its own wheel.

    Its look-up of bundled files misses the tokenizer's folder, so the package folder is
    also given as the cache; nothing is ever downloaded.
    """
    import wordllama

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


class StaticModel:
    """Answers from word vectors, the same on every run."""

    at_once: ClassVar[int] = 1

    def __init__(self, parameters: Static) -> None:
        self._parameters = parameters
        self._vectors: dict[str, NDArray[np.float64]] = {}

    def choose(self, request: ChoiceRequest) -> Choice:
        """Answers a menu."""
        scores = [*self._cosines(request.state, request.options), self._parameters.threshold]
        *options, none = softmax(self._noisy(scores, request), self._parameters.temperature)
        return Choice(tuple(options), none, MODEL, calls=1)

    def judge(self, request: RelevanceRequest) -> Relevance:
        """Answers yes/no questions; the instruction is left out, as it is in every text."""
        texts = [text for _, text in request.questions]
        scores = self._noisy(self._cosines(request.state, texts), request)
        ids = (name for name, _ in request.questions)
        logits = ((score - self._parameters.midpoint) / self._parameters.scale for score in scores)
        return Relevance(dict(zip(ids, map(logistic, logits), strict=True)), MODEL, calls=1)

    def _cosines(self, state: str, texts: Sequence[str]) -> list[float]:
        import numpy as np

        matrix = np.stack([self._vector(text) for text in texts])
        # Row sums, not a matrix product: a row's value must not depend on the other rows.
        products = (matrix * self._vector(state)).sum(axis=1)
        return [round(value, COSINE_DECIMALS) for value in products.tolist()]

    def _vector(self, text: str) -> "NDArray[np.float64]":
        vector = self._vectors.get(text)
        if vector is None:
            if len(self._vectors) >= CACHED_TEXTS:
                self._vectors.clear()
            vector = self._vectors[text] = unit_vector(text)
        return vector

    def _noisy(self, scores: Sequence[float], request: Request) -> list[float]:
        if not self._parameters.noise:
            return list(scores)
        key = request_key(self._parameters.identity, request)
        source = random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest()))
        return [score + source.gauss(0.0, self._parameters.noise) for score in scores]


def unit_vector(text: str) -> "NDArray[np.float64]":
    """Returns a text's vector of length 1 (256 numbers); zeros where it has no token."""
    import numpy as np

    # Names of files need not be text; the tokenizer takes nothing else.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    vector: NDArray[np.float64] = load_vectors().embed([clean])[0].astype(np.float64)
    length = math.sqrt(math.fsum((vector * vector).tolist()))
    return vector / length if length else vector


def softmax(scores: Sequence[float], temperature: float) -> list[float]:
    """Returns exp(score / temperature) over the sum of all, rounded to 9 decimals."""
    top = max(scores)
    weights = [math.exp((score - top) / temperature) for score in scores]
    total = math.fsum(weights)
    return [round(weight / total, PROBABILITY_DECIMALS) for weight in weights]


def logistic(value: float) -> float:
    """Returns 1 / (1 + exp(-value)), rounded to 9 decimals."""
    # Beyond 700 the exponential overflows; the result is 0 or 1 long before.
    return round(1.0 / (1.0 + math.exp(-max(min(value, 700.0), -700.0))), PROBABILITY_DECIMALS)


def open_source(parameters: Static, desk: Desk) -> Direct:
    """Returns the model itself: its answers are free and always the same, so none is kept."""
    return Direct(StaticModel(parameters))
