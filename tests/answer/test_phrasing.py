"""Words of a generator that is not there: what was found is said without it."""

from __future__ import annotations

import pytest

from assistant.answer.generator import Generator
from assistant.answer.phrasing import RESTS, Phraser
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Fact


class Shelf:
    """Where the generator should be."""

    def __init__(self) -> None:
        self.asked = 0

    def load(self) -> Generator:
        self.asked += 1
        raise ModelError("model.corrupt", "model.onnx is corrupt")


def test_a_generator_that_cannot_be_loaded_costs_no_answer() -> None:
    shelf = Shelf()
    phraser = Phraser(shelf.load)
    with pytest.raises(AnswerError, match="corrupt"):
        phraser.phrase("how long?", "It is covered for two years.", "Kettle")
    assert phraser.word([Fact(name="minutes", value="5")], "how long", "TimeLeft") == ""


def test_it_is_not_looked_for_at_every_question() -> None:
    shelf = Shelf()
    phraser = Phraser(shelf.load)
    for _ in range(RESTS + 2):
        with pytest.raises(AnswerError):
            phraser.phrase("how long?", "It is covered for two years.", "Kettle")
    assert shelf.asked == 2
