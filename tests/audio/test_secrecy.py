"""What is said after the question for a secret is one, until that has its reply."""

from __future__ import annotations

import msgspec

from assistant.core.messages import AudioChunk, PlaybackEnded, Speech, Utterance
from audio.secrecy import ASKED_FOR_S, Secrecy
from tests.audio.test_listener import Conversation, listener
from tests.support.voices import silence, speech


def sentence(of: str, *, secret: bool = False, at_s: float = 0.0) -> Speech:
    return Speech(
        utterance_id=of,
        sequence=0,
        samples=b"",
        rate_hz=16_000,
        text="",
        last=True,
        secret=secret,
        at_s=at_s,
    )


def test_what_follows_the_question_is_a_secret_and_the_next_is_not() -> None:
    heard = Conversation(listener())
    heard.hear(silence(0.5)).feed(sentence("q", secret=True, at_s=heard.now_s))
    heard.feed(PlaybackEnded(utterance_id="q", listen=True, at_s=heard.now_s))
    heard.hear(silence(0.3), speech("one two three four"), silence(2))
    heard.feed(sentence("u1", at_s=heard.now_s))
    heard.feed(PlaybackEnded(utterance_id="u1", listen=True, at_s=heard.now_s))
    heard.hear(silence(0.3), speech("turn on the light"), silence(2))
    secret = {m.utterance_id: m.secret for m in heard.of(AudioChunk, Utterance)}  # type: ignore[attr-defined]
    assert secret == {"u1": True, "u2": False}


def test_a_ring_in_between_gives_nothing_away() -> None:
    secrecy = Secrecy()
    secrecy.observe(sentence("q", secret=True))
    secrecy.observe(sentence("ring"))
    assert secrecy.covers("u1", "ring", 5.0)


def test_it_is_one_with_the_wake_word_too_and_for_each_try() -> None:
    secrecy = Secrecy()
    secrecy.observe(sentence("q", secret=True))
    assert secrecy.covers("u1", "", 5.0)
    secrecy.observe(sentence("u1", secret=True, at_s=8.0))  # it was wrong, and is asked for again
    assert secrecy.covers("u2", "u1", 12.0)
    secrecy.observe(sentence("u2", at_s=14.0))
    assert not secrecy.covers("u3", "", 15.0)


def test_an_answer_to_a_question_that_was_played_late_is_one() -> None:
    secrecy = Secrecy()
    secrecy.observe(sentence("q", secret=True))
    assert secrecy.covers("u1", "q", ASKED_FOR_S + 60)


def test_nobody_is_secret_without_a_question_or_long_after_it() -> None:
    secrecy = Secrecy()
    assert not secrecy.covers("u0", "", 1.0)
    secrecy.observe(sentence("q"))
    assert not secrecy.covers("u1", "q", 1.0)
    secrecy.observe(msgspec.structs.replace(sentence("r"), secret=True))
    assert not secrecy.covers("u2", "", ASKED_FOR_S + 1)
