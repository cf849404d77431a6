"""A question, a passage and what a network makes of them in; whether the sentence answers out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.encoder import Embeddings, Scored
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import PassageCandidate
from tests.support.calibrations import READER

HOUSE = "Back door: the key is on the nail inside the cart house, 3 steps up."


class Inclined:
    """A network that sees every sentence as `near` the question, and as `likely` to answer it."""

    calibration = READER

    def __init__(self, near: float, likely: float) -> None:
        self._near, self._likely = near, likely

    def encode(self, texts: Sequence[str]) -> Embeddings:
        rows = np.zeros((len(texts), 2), np.float32)
        rows[:] = self._near, (1 - self._near**2) ** 0.5
        rows[0] = 1, 0
        return rows

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        every = [[found.span() for found in re.finditer(r"\S+", text)] for text in passages]
        each = self._likely / 2
        return [Scored(np.full((len(p), 2), each, np.float32), p, 0.0) for p in every]


def certain(question: str, text: str, *, near: float, likely: float = 2.0) -> bool:
    passage = Passage(title="Sitting", text=text)
    candidate = PassageCandidate(1, passage, Path("/sitting"), 1.0)
    return Reader(Inclined(near, likely)).read(question, [candidate])[0].certain


@pytest.mark.parametrize(
    "question", ["what about upstairs, the whole house i mean", "is the house warm enough"]
)
def test_a_sentence_answers_no_open_question_that_means_another_thing(question: str) -> None:
    assert not certain(question, HOUSE, near=0.37)


def test_it_does_where_it_means_the_same_and_says_its_words() -> None:
    assert certain("what is on the nail in the cart house", HOUSE, near=0.6)


def test_what_holds_the_kind_that_is_asked_for_needs_to_be_less_alike() -> None:
    assert certain("how many steps up is the house", HOUSE, near=0.37)
    assert not certain("how much money is in the house", HOUSE.replace("3 ", ""), near=0.37)
