"""A network of words is walked in the pieces of any vocabulary."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pytest

from assistant.core.constrained.constraint import Places, Way
from assistant.core.constrained.piece_network import PieceNetwork
from assistant.core.constrained.word_network import compile_network
from assistant.core.speakable import ANYTHING

PUNCTUATION = ord(".")
ROOM = "\u4e00"
"""The word of a class."""


def letters(text: str) -> list[int]:
    """The pieces of a text: its letters."""
    return list(map(ord, text))


def text_of(pieces: Sequence[int]) -> str:
    return "".join(map(chr, pieces))


def forms(phrase: str) -> Iterator[str]:
    yield f" {phrase}"
    if phrase == "two":
        yield " 2"


def network(
    sentences: dict[str, float], classes: dict[str, dict[str, float]] | None = None
) -> PieceNetwork:
    return PieceNetwork(
        compile_network(sentences, strict=(ANYTHING, 2 * ANYTHING)),
        classes or {},
        letters,
        text_of,
        forms,
        [PUNCTUATION],
    )


def walked(known: PieceNetwork, text: str) -> Places:
    places = known.start()
    for piece in letters(text):
        places = known.accept(places, piece)
    return places


def ending(known: PieceNetwork, text: str) -> Way | None:
    return known.ending(walked(known, text))


def test_a_sentence_ends_where_it_does_and_costs_what_it_is_rare() -> None:
    known = network({"go on": 3, "go up": 1})
    often, rarely = ending(known, " go on"), ending(known, " go up")
    assert often is not None
    assert rarely is not None
    assert known.text(often) == "go on"
    assert often.price == pytest.approx(math.log(0.75), abs=0.01)
    assert rarely.price < often.price
    assert ending(known, " go") is None
    assert not walked(known, " go in")


def test_the_options_are_the_pieces_that_may_follow_at_the_price_of_the_best() -> None:
    known = network({"go on": 3, "go up": 1})
    options = known.options(walked(known, " go "))
    found = dict(zip(map(chr, options.pieces), options.prices, strict=True))
    assert found.keys() == {"o", "u"}
    assert found["o"] == pytest.approx(math.log(0.75), abs=0.01)


def test_a_phrase_may_be_written_in_several_forms() -> None:
    known = network({"take two": 1})
    for text in (" take two", " take 2"):
        way = ending(known, text)
        assert way is not None
        assert known.text(way) == "take two"


def test_a_class_has_any_of_its_phrases_and_their_ending() -> None:
    known = network(
        {f"light the {ROOM}": 1, f"the {ROOM}'s light": 1}, {ROOM: {"hall": 3, "living room": 1}}
    )
    ways = [ending(known, f" light the {room}") for room in ("hall", "living room")]
    hall, living = ways
    assert hall is not None
    assert living is not None
    assert hall.price - living.price == pytest.approx(math.log(3))
    assert ending(known, " the living room's light") is not None
    assert not walked(known, " light the attic")


def test_a_sign_may_stand_between_words_once_and_not_first() -> None:
    known = network({"go on": 1})
    assert ending(known, " go. on.") is not None
    assert not walked(known, ". go on")
    assert not walked(known, " go.. on")


def test_anything_may_stand_where_the_sentences_say_so_and_costs_by_the_piece() -> None:
    known = network({f"add {ANYTHING} here": 1, f"note {2 * ANYTHING}": 1})
    assert known.opened(walked(known, " add")) > -math.inf
    assert known.opened(known.start()) == -math.inf
    short, long = ending(known, " add x here"), ending(known, " add xyz here")
    assert short is not None
    assert long is not None
    assert known.text(long) == "add xyz here"
    assert short.price > long.price
    assert ending(known, " add here") is None


def test_without_a_word_nothing_was_said() -> None:
    known = network({"go": 1})
    assert known.ending(known.start()) is None
