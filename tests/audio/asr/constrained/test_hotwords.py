"""The user's own rare words: which are sought, and where they are put."""

from __future__ import annotations

import pytest

from audio.asr.constrained.hotwords import Hotwords, put_right

COMMON = {" milk", " Milk", " two", " Two", " the", " The", " tins", " Tins"}
TEXTS = ["two tins of jackfruit", "Milk", "Saoirse's cello", "the za'atar", "Lindqvist", "O'Connor"]


def encode(text: str) -> list[int]:
    """As whisper does: a common word is one piece."""
    return [1] if text in COMMON else [1, 2]


def test_the_words_that_sound_like_a_part_of_what_was_heard_are_sought() -> None:
    words = Hotwords(lambda: TEXTS, encode)
    assert words.near("remind me to email professor linda quist")[0] == "Lindqvist"
    assert words.near("add jack fruit to the list")[0] == "jackfruit"
    assert words.near("call oh connor")[0] == "O'Connor"
    assert words.near("milk") == []
    assert words.near("turn on the lamp in the hall") == []
    assert words.near("") == []


def test_what_is_new_is_known_at_once() -> None:
    texts = [["milk"]]
    words = Hotwords(lambda: texts[0], encode)
    assert words.near("gotcha young") == []
    texts[0] = ["milk", "gochujang"]
    assert words.near("gotchu jang") == ["gochujang"]


@pytest.mark.parametrize(
    ("text", "heard", "right"),
    [
        ("call jack win at noon", "call joaquin at noon", "call Joaquin at noon"),
        ("note that sersha's cello", "note that saoirse's cello", "note that Saoirse's cello"),
        ("add zatter please", "ad za'atar please", "add za'atar please"),
        ("Add Ready-Go", "add radicchio", "Add radicchio"),
        ("turn it on", "turn it off", "turn it on"),
        ("call mum", "call mum joaquin", "call mum"),
        ("one two three four five", "joaquin", "one two three four five"),
        ("", "joaquin", ""),
    ],
)
def test_only_they_are_taken_and_in_their_place(text: str, heard: str, right: str) -> None:
    assert put_right(text, heard, ["Joaquin", "Saoirse", "za'atar", "radicchio"]) == right
