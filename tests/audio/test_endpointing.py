"""Silence, speech, silence: when an utterance begins and ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.settings.hearing import ListeningSettings
from audio.endpointing import TRANSITIONS, EndpointEvent, Endpointing, Phase
from audio.frames import FRAME_S

SETTINGS = ListeningSettings()


def told(*spans: tuple[float, bool], heard_from_s: float = 0.0) -> tuple[Phase, float, Endpointing]:
    """The microphone opened at 0; each span is (seconds, speech). The verdict, and when it fell."""
    endpointing = Endpointing(SETTINGS, 0.0, heard_from_s=heard_from_s)
    at_s = heard_from_s
    for seconds, speech in spans:
        for _ in range(round(seconds / FRAME_S)):
            at_s += FRAME_S
            endpointing.step(at_s, speech)
            if endpointing.over:
                return endpointing.phase, at_s, endpointing
    return endpointing.phase, at_s, endpointing


def test_nobody_speaks_and_the_microphone_closes_after_five_seconds() -> None:
    phase, at_s, _ = told((10.0, False))
    assert phase is Phase.NOTHING
    assert at_s == pytest.approx(5.0, abs=FRAME_S)


def test_a_sentence_ends_after_seven_tenths_of_silence() -> None:
    phase, at_s, endpointing = told((0.8, False), (1.6, True), (3.0, False))
    assert phase is Phase.ENDED
    assert at_s == pytest.approx(0.8 + 1.6 + 0.7, abs=2 * FRAME_S)
    assert endpointing.speech_s == pytest.approx(1.6, abs=FRAME_S)
    assert endpointing.speech_ended_at_s == pytest.approx(2.4, abs=FRAME_S)


def test_a_short_pause_is_a_person_who_thinks() -> None:
    phase, _, _ = told((1.0, True), (0.6, False), (1.0, True), (0.6, False))
    assert phase is Phase.TRAILING


def test_who_waits_four_seconds_is_still_heard() -> None:
    phase, at_s, _ = told((4.5, False), (1.0, True), (2.0, False))
    assert phase is Phase.ENDED
    assert at_s == pytest.approx(6.2, abs=2 * FRAME_S)


def test_who_never_stops_is_cut_off_after_fifteen_seconds() -> None:
    phase, at_s, _ = told((20.0, True))
    assert phase is Phase.ENDED
    assert at_s == pytest.approx(15.0, abs=FRAME_S)


def test_stop_said_before_the_wake_word_was_noticed_ends_in_time() -> None:
    phase, at_s, _ = told((0.2, False), (0.3, True), (2.0, False), heard_from_s=-0.45)
    assert phase is Phase.ENDED
    assert at_s == pytest.approx(0.05 + 0.7, abs=2 * FRAME_S)


def test_a_click_neither_begins_speech_nor_prolongs_it() -> None:
    assert told((1.0, False), (FRAME_S, True), (3.0, False))[0] is Phase.WAITING
    phase, at_s, _ = told((1.0, True), (0.4, False), (FRAME_S, True), (2.0, False))
    assert phase is Phase.ENDED
    assert at_s == pytest.approx(1.7, abs=2 * FRAME_S)


def test_the_control_a_syllable_does_both() -> None:
    assert told((1.0, False), (0.16, True), (0.1, False))[0] is Phase.TRAILING
    _, at_s, _ = told((1.0, True), (0.4, False), (0.16, True), (2.0, False))
    assert at_s == pytest.approx(1.56 + 0.7, abs=2 * FRAME_S)


@given(pattern=st.binary(min_size=88, max_size=88))
def test_whatever_is_heard_every_microphone_closes(pattern: bytes) -> None:
    heard = np.unpackbits(np.frombuffer(pattern, np.uint8)).astype(bool)  # a bit for each frame
    phase, at_s, _ = told(*((FRAME_S, speech) for speech in heard.tolist()))
    assert phase in (Phase.ENDED, Phase.NOTHING)
    assert at_s <= SETTINGS.longest_s + FRAME_S


def test_over_is_over() -> None:
    assert not [key for key in TRANSITIONS if key[0] in (Phase.ENDED, Phase.NOTHING)]
    assert (Phase.WAITING, EndpointEvent.TOO_LONG) not in TRANSITIONS
