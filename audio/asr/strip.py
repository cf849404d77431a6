"""Removes the wake word from the beginning of what was heard."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz

from audio.asr.recognizer import Recognition

_ALIKE = 80.0  # "hey jervis", "hay jarvis"; but not "a computer game"
_SPELLINGS = {"ok": "okay", "o.k.": "okay", "k": "okay", "hay": "hey", "hi": "hey"}
_WORDS_BEFORE = 2  # the pre-roll may hold the end of what was said before


def without_wake_word(heard: Recognition, wake_word: str) -> Recognition:
    """Drop everything up to and including `wake_word` where it stands near the beginning.

    Spelling need not be exact; an utterance that does not begin with it, or "" for `wake_word`,
    comes back as it is.
    """
    texts = [word.text for word in heard.words] or heard.text.split()
    end = _end_of(texts, wake_word.lower().split())
    return msgspec.structs.replace(
        heard,
        text=" ".join(texts[end:]),
        words=heard.words[end:],
        alternatives=_distinct(heard.alternatives, wake_word, " ".join(texts[end:])),
    )


def begins_with(heard: Recognition, wake_words: Sequence[str]) -> str:
    """The one of `wake_words` that the text begins with; "" without any, or if nothing follows."""
    words = heard.text.split()
    for wake_word in wake_words:
        phrase = wake_word.lower().split()
        begin = _canonical(words[: len(phrase)])
        if len(words) > len(phrase) and fuzz.ratio(begin, _canonical(phrase)) >= _ALIKE:
            return wake_word
    return ""


def _distinct(alternatives: Sequence[str], wake_word: str, text: str) -> tuple[str, ...]:
    stripped = []
    for alternative in alternatives:
        words = alternative.split()
        stripped.append(" ".join(words[_end_of(words, wake_word.lower().split()) :]))
    return tuple(other for other in dict.fromkeys(stripped) if other and other != text)


def _end_of(words: Sequence[str], phrase: Sequence[str]) -> int:
    """How many words to drop; 0 when the phrase is not there."""
    if not phrase:
        return 0
    wanted = _canonical(phrase)
    for start in range(min(_WORDS_BEFORE, len(words)) + 1):
        # One word may be heard as two, or two as one.
        sizes = (len(phrase), len(phrase) + 1, max(1, len(phrase) - 1))
        scores = [
            (fuzz.ratio(_canonical(words[start : start + size]), wanted), -n, size)
            for n, size in enumerate(sizes)
            if start + size <= len(words)
        ]
        score, _, size = max(scores, default=(0.0, 0, 0))
        # With words before it, some must follow it too: "turn on the computer" is a command.
        if score >= _ALIKE and (start == 0 or start + size < len(words)):
            return start + size
    return 0


def _canonical(words: Sequence[str]) -> str:
    return "".join(_SPELLINGS.get(word, word) for word in words)
