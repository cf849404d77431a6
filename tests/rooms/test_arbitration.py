"""Of several rooms that hear the same, one answers."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.rooms.base.arbitration import DEVICE, Contender, Contest
from audio.clearness import Clearness, Heard, compare
from audio.frames import FRAME_SAMPLES
from tests.support.voices import speech


def heard(text: str, less_db: float = 0.0, late_frames: int = 0) -> Heard:
    """What a microphone hears of a sentence in steady noise, `late_frames` after its end."""
    said = speech(text)
    noise = np.random.default_rng(round(less_db))
    clearness = Clearness()
    for frame in [*[bytes(2 * FRAME_SAMPLES)] * 90, *said, *[b""] * late_frames]:
        samples = np.frombuffer(frame or bytes(2 * FRAME_SAMPLES), np.int16)
        there = samples * 10 ** (-less_db / 20) + noise.normal(0, 20, FRAME_SAMPLES)
        clearness.hear(np.clip(there, -32768, 32767).astype(np.int16).tobytes())
    return clearness.heard()


def contest(**rooms: float) -> Contest:
    """A contest of rooms that hear "computer" so many decibels less, the first being the first."""
    contenders = [
        Contender(room=room, utterance_id=f"u-{room}", heard=heard("computer", less_db))
        for room, less_db in rooms.items()
    ]
    made = Contest("computer", 0.0, 0.0, contenders[0])
    for other in contenders[1:]:
        made.note(other)
    return made


def test_the_clearest_answers_and_the_others_are_silent() -> None:
    made = contest(hall=12.0, kitchen=0.0, bedroom=9.0)
    assert made.decide((), None).room == "kitchen"
    assert {one.room for one in made.losers()} == {"hall", "bedroom"}
    assert "kitchen" in str(made)


def test_a_louder_microphone_hears_no_better() -> None:
    """The gain raises the noise as well."""
    near, far = heard("computer"), heard("computer", 12.0)
    assert near.clearness_db - far.clearness_db == pytest.approx(12.0, abs=4.0)
    clearness = Clearness()
    for frame in [*[bytes(2 * FRAME_SAMPLES)] * 90, *speech("computer")]:
        samples = np.frombuffer(frame, np.int16) * 0.1
        noise = np.random.default_rng(3).normal(0, 2, FRAME_SAMPLES)
        clearness.hear((samples + noise).astype(np.int16).tobytes())
    assert clearness.heard().clearness_db > far.clearness_db + 6


def test_of_equal_rooms_the_one_that_asked_answers_then_the_last_used() -> None:
    assert contest(hall=0.0, kitchen=0.0).decide(("kitchen",), "hall").room == "kitchen"
    assert contest(hall=0.0, kitchen=0.0).decide((), "kitchen").room == "kitchen"


def test_who_noticed_nothing_may_hear_best() -> None:
    made = contest(hall=12.0)
    made.note(Contender(room=DEVICE, heard=heard("computer")))
    chosen = made.decide((), None)
    assert (chosen.room, chosen.utterance_id) == (DEVICE, "")
    assert [one.room for one in made.losers()] == ["hall"]


def test_other_talk_elsewhere_is_no_part_of_it() -> None:
    made = contest(hall=9.0)
    talk = "the price of bread will not be raised until the spring"
    made.note(Contender(room="kitchen", heard=heard(talk)))
    assert made.decide((), None).room == "hall"


def test_two_who_call_in_two_rooms_are_both_answered() -> None:
    made = contest(hall=0.0)
    other = Contender(
        room="kitchen",
        utterance_id="other",
        heard=heard("the tide is high in the harbour, computer"),
    )
    made.note(other)
    assert made.decide((), None).room == "hall"
    assert not list(made.losers())


def test_one_that_notices_it_later_is_known_by_its_sound() -> None:
    made = contest(hall=0.0)
    made.decide((), None)
    late = heard("computer", 9.0, late_frames=15)
    same = Contender(room="kitchen", utterance_id="late", heard=late, at_s=15 * 0.032)
    assert made.takes_in(same)
    assert not made.takes_in(Contender(room="kitchen", utterance_id="x", heard=heard("good night")))


def test_a_satellite_that_tells_nothing_is_taken_at_its_moment() -> None:
    made = contest(hall=0.0)
    made.note(Contender(room="kitchen", utterance_id="plain"))
    assert made.decide((), None).room == "hall"
    assert [one.room for one in made.losers()] == ["kitchen"]


def test_nothing_was_heard_before_there_is_sound() -> None:
    assert Clearness().heard() == (0.0, b"")


@pytest.mark.parametrize("more", [1, 3, 4, 4_001, 100_000])
def test_an_imprint_of_another_length_is_compared_by_its_end(more: int) -> None:
    one = heard("computer")
    longer = Heard(one.clearness_db, bytes(more) + one.imprint)
    assert compare(one, longer).alike == pytest.approx(1.0)
    assert compare(one, Heard(one.clearness_db, one.imprint[:more])).alike <= 1.01


def test_an_imprint_that_is_too_short_is_of_nothing() -> None:
    assert compare(heard("computer"), Heard(9.0, b"abc")).alike == 0.0
