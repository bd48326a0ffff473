"""A choice model behind HTTP that answers badly."""

from typing import Any

import pytest
from campaign import models, pipeline


@pytest.mark.parametrize("place", range(len(list(models.replies())) + 1))
def test_model(
    place: int, sandbox: Any, prepared: Any, record: Any, server: Any, reply: Any
) -> None:
    """A model that answers badly costs no other arm anything."""

    def answer(given: dict[str, Any]) -> None:
        server.answer = lambda body: reply(**given)

    fault = list(models.faults_of(server.url, answer))[place]

    def work() -> None:
        pipeline.open_pipeline().run()

    clean = {k: v for k, v in prepared[1].items() if "fts5/" in k[0] or k[0] == "cases.parquet"}
    record(fault, *pipeline.examine(fault, sandbox, clean, work))
