"""Conversations of a home as sequences to learn from."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from models.training.understanding.pairs import UNSCORED, Conversation, Household, Sequences
from nlu.rewriter.prompt import Turn
from tests.support.scripted_rewriter import tokenizer
from tests.support.stand_ins import HOME

AT = datetime(2028, 1, 17, 18, 5)
CONVERSATIONS = (
    Conversation(
        "a",
        "bedroom",
        AT,
        (Turn("I can't see the page", "turn on the Reading Lamp"), Turn("ta, off", "turn it off")),
    ),
    Conversation("b", "kitchen", AT, (Turn("coffee", "turn on the Coffee Machine"),)),
)
HOUSEHOLD = Household("house", HOME, CONVERSATIONS)


@pytest.mark.parametrize("seed", range(3))
def test_a_sequence_is_the_names_and_conversations_that_each_follow_them(seed: int) -> None:
    pieces = tokenizer()
    (packed,) = Sequences(pieces, 2000).round([HOUSEHOLD], random.Random(seed))
    size = len(packed.ids)
    assert size == len(packed.labels) == len(packed.places) == packed.shared + sum(packed.lengths)
    names = pieces.decode(packed.ids[: packed.shared])
    assert "reading lamp" in names
    assert "coffee machine" in names
    starts = [packed.shared, packed.shared + packed.lengths[0]]
    assert [packed.places[start] for start in starts] == [packed.shared] * 2
    for start, length in zip(starts, packed.lengths, strict=True):
        text = pieces.decode(packed.ids[start : start + length])
        assert text.startswith("\nnew talk")


def test_what_is_to_be_written_alone_is_learned() -> None:
    pieces = tokenizer()
    (packed,) = Sequences(pieces, 2000).round([HOUSEHOLD], random.Random(0))
    pairs = list(zip(packed.ids, packed.labels, strict=True))
    assert all(label in (UNSCORED, piece) for piece, label in pairs)
    written = pieces.decode([piece for piece, label in pairs if label != UNSCORED])
    assert sorted(written.splitlines()) == [
        " turn it off",
        " turn on the coffee machine",
        " turn on the reading lamp",
    ]


def test_a_conversation_is_whole_however_long_a_sequence_may_be() -> None:
    packed = Sequences(tokenizer(), 10).round([HOUSEHOLD], random.Random(0))
    assert [len(one.lengths) for one in packed] == [1, 1]
