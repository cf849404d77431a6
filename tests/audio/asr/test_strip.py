"""The wake word and the command in one breath: the command is left."""

from __future__ import annotations

import pytest

from assistant.core.messages import Word
from audio.asr.recognizer import Recognition, recognition
from audio.asr.strip import begins_with, without_wake_word


def said(text: str, *alternatives: str) -> Recognition:
    words = tuple(
        Word(text=word, start_s=n, end_s=n + 1, confidence=0.9)
        for n, word in enumerate(text.split())
    )
    return recognition(words, "test", *alternatives)


@pytest.mark.parametrize(
    ("text", "wake_word", "left"),
    [
        ("computer turn on the light", "computer", "turn on the light"),
        ("hey jarvis what time is it", "hey jarvis", "what time is it"),
        ("hay jervis what time is it", "hey jarvis", "what time is it"),
        ("ok nabu stop", "okay nabu", "stop"),
        ("and then computer stop", "computer", "stop"),
        ("hey jar vis stop", "hey jarvis", "stop"),
        ("turn on the light", "computer", "turn on the light"),
        ("turn the computer", "computer", "turn the computer"),
        ("turn off the office computer", "computer", "turn off the office computer"),
        ("computer", "computer", ""),
        ("computer stop", "", "computer stop"),
        ("", "computer", ""),
    ],
)
def test_what_is_left(text: str, wake_word: str, left: str) -> None:
    heard = without_wake_word(said(text), wake_word)
    assert heard.text == left
    assert [word.text for word in heard.words] == left.split()


def test_alternatives_lose_it_too() -> None:
    heard = without_wake_word(
        said("computer turn on", "computer turn off", "computer turn on"), "computer"
    )
    assert heard.alternatives == ("turn off",)


@pytest.mark.parametrize(
    ("text", "wake_word"),
    [
        ("computer what time is it", "computer"),
        ("hay jarvis stop", "hey jarvis"),
        ("computer", ""),
        ("my computer is slow", ""),
        ("", ""),
    ],
)
def test_the_wake_word_that_a_text_begins_with(text: str, wake_word: str) -> None:
    assert begins_with(said(text), ("hey jarvis", "computer")) == wake_word
