"""Words in, phones of the acoustic model out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr import pronunciation
from audio.asr.pronunciation import PHONES, by_rules, pronounce


def test_the_dictionary_comes_first_with_its_variants() -> None:
    heard = pronounce(["light", "Either"])
    assert heard["light"] == (("L", "AY", "T"),)
    assert set(heard["Either"]) == {("IY", "DH", "ER"), ("AY", "DH", "ER")}


@pytest.mark.parametrize("word", ["ecobee", "zigbee", "nabu", "skål", "-x", "r2d2", "!"])
def test_a_word_outside_it_is_pronounced_all_the_same(word: str) -> None:
    (pronunciations,) = pronounce([word]).values()
    assert pronunciations
    for phones in pronunciations:
        assert phones
        assert PHONES.issuperset(phones)


def test_without_flite_and_espeak_spelling_rules_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pronunciation.shutil, "which", lambda name: None)
    pronunciation._guess.cache_clear()
    assert pronounce(["zigbee"]) == {"zigbee": (by_rules("zigbee"),)}
    pronunciation._guess.cache_clear()


@pytest.mark.parametrize(
    ("word", "phones"),
    [("sheesh", "SH IY SH"), ("quickchip", "K W IH K CH IH P"), ("nabu", "N AE B AH")],
)
def test_the_rules_read_english_spelling(word: str, phones: str) -> None:
    assert " ".join(by_rules(word)) == phones


@given(st.text(max_size=12))
def test_the_rules_never_fail(word: str) -> None:
    phones = by_rules(word)
    assert phones
    assert PHONES.issuperset(phones)
