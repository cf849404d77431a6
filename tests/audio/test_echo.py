"""What the loudspeaker plays is taken out of what the microphone hears; a person is not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.canceller import EchoCanceller
from audio.echo import LEAST_PROMINENCE, SteadyClock, echo_place
from audio.frames import FRAME_BYTES, FRAME_S, FRAME_SAMPLES, Samples
from audio.own_voice import OwnVoice
from tests.audio.test_listener import Scripted

FRAMES = 150
DELAY_S = 0.05


def voice_like(seed: int) -> Samples:
    """Noise that comes and goes four times a second, as syllables do."""
    count = FRAMES * FRAME_SAMPLES
    syllables = 1.0 + np.sin(np.arange(count) * 2 * np.pi * 4 / SAMPLE_RATE_HZ)
    noise = np.random.default_rng(seed).normal(0.0, 2000.0, count)
    return (noise * syllables).astype(np.int16)


def delayed(samples: Samples, by_s: float) -> Samples:
    silence = np.zeros(round(by_s * SAMPLE_RATE_HZ), np.int16)
    return np.concatenate([silence, samples])[: len(samples)]


def heard(
    own_voice: OwnVoice, played: Samples, microphone: Samples, start_s: float, told_late_s: float
) -> Iterator[Samples]:
    own_voice.plays(played, start_s + told_late_s)
    for n, samples in enumerate(np.split(microphone, FRAMES)):
        frame = Frame(samples=samples.tobytes(), at_s=start_s + (n + 1) * FRAME_S)
        own_voice.step(frame.at_s)
        yield np.frombuffer(own_voice.removed_from(frame), np.int16)


def level_db(samples: Samples) -> float:
    return float(10 * np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-9))


def learnt() -> OwnVoice:
    own_voice = OwnVoice(cancellers=[EchoCanceller()])
    first = voice_like(1)
    list(heard(own_voice, first, delayed(first, DELAY_S), 10.0, told_late_s=0.0))
    return own_voice


@pytest.mark.parametrize("told_late_s", [-0.03, 0.0, 0.03])
def test_an_echo_is_taken_out_however_late_its_start_is_told(told_late_s: float) -> None:
    played = voice_like(2)
    echo = delayed(played, DELAY_S)
    left = np.concatenate(list(heard(learnt(), played, echo, 30.0, told_late_s)))
    settled = slice(len(echo) // 4, None)
    assert level_db(left[settled]) < level_db(echo[settled]) - 20.0


def test_a_person_is_left_in_and_known_for_one() -> None:
    own_voice = learnt()
    played, person = voice_like(3), voice_like(4)
    person[: len(person) // 2] = 0
    microphone = delayed(played, DELAY_S) // 4 + person
    left = np.concatenate(list(heard(own_voice, played, microphone, 30.0, 0.0)))
    assert level_db(left[-20_000:]) == pytest.approx(level_db(person[-20_000:]), abs=2.0)
    assert not own_voice.said("stop", 30.0 + FRAMES * FRAME_S)


@pytest.mark.parametrize(("below_db", "echo"), [(6.0, False), (12.0, False), (120.0, True)])
def test_whoever_speaks_below_the_echo_is_told_from_it_also_over_the_same_word(
    below_db: float, echo: bool
) -> None:
    own_voice = OwnVoice([Scripted({FRAMES - 10: "stop"})], cancellers=[EchoCanceller()])
    first = voice_like(1)
    list(heard(own_voice, first, delayed(first, DELAY_S), 10.0, told_late_s=0.0))
    played, person = voice_like(12), voice_like(13)
    person[: -FRAME_SAMPLES * 20] = 0
    microphone = delayed(played, DELAY_S) + (person * 10 ** (-below_db / 20)).astype(np.int16)
    list(heard(own_voice, played, microphone, 30.0, told_late_s=0.0))
    assert own_voice.said("stop", 30.0 + (FRAMES - 5) * FRAME_S) is echo


def test_until_the_echo_is_found_only_what_the_reply_itself_says_is_an_echo() -> None:
    for scripted, echo in (({}, False), ({5: "stop"}, True)):
        own_voice = OwnVoice([Scripted(scripted)], cancellers=[EchoCanceller()])
        frames = heard(own_voice, voice_like(14), voice_like(15), 30.0, told_late_s=0.0)
        for _ in range(10):
            next(frames)
        assert own_voice.said("stop", 30.0 + 10 * FRAME_S) is echo


def test_a_room_is_known_after_a_second() -> None:
    own_voice = OwnVoice(cancellers=[EchoCanceller()])
    played = voice_like(16)
    echo = delayed(played, DELAY_S)
    left = np.concatenate(list(heard(own_voice, played, echo, 30.0, told_late_s=0.0)))
    second = slice(SAMPLE_RATE_HZ, 2 * SAMPLE_RATE_HZ)
    assert level_db(left[second]) < level_db(echo[second]) - 20.0


def test_the_room_is_not_forgotten_while_a_person_talks() -> None:
    own_voice = learnt()
    played, person = voice_like(17), voice_like(18)
    echo = delayed(played, DELAY_S)
    left = np.concatenate(list(heard(own_voice, played, echo // 2 + person // 2, 30.0, 0.0)))
    later = slice(len(left) // 2, None)
    assert level_db((left - person // 2)[later]) < level_db((echo // 2)[later]) - 15.0


def test_an_echo_that_is_gone_is_not_put_into_what_a_person_says() -> None:
    own_voice = learnt()
    played = voice_like(10)
    half = FRAMES // 2 * FRAME_SAMPLES
    microphone = delayed(played, DELAY_S)
    microphone[half:] = person = voice_like(11)[half:]
    left = np.concatenate(list(heard(own_voice, played, microphone, 30.0, 0.0)))
    assert level_db(left[half:] - person) < level_db(person) - 10.0


def test_an_echo_alone_is_no_person() -> None:
    own_voice = learnt()
    played = voice_like(5)
    list(heard(own_voice, played, delayed(played, DELAY_S), 30.0, 0.0))
    assert own_voice.said("whatever it sounds like", 30.0 + FRAMES * FRAME_S)
    assert not own_voice.said("whatever it sounds like", 40.0)


def test_an_echo_that_stutters_is_no_person_and_is_taken_out_again() -> None:
    own_voice = learnt()
    played = voice_like(9)
    echo = delayed(played, DELAY_S)
    late = delayed(played, DELAY_S + 0.07)
    half = len(echo) // 512 // 2 * 512
    microphone = np.concatenate([echo[:half], late[half:]])
    frames = heard(own_voice, played, microphone, 30.0, told_late_s=0.0)
    left = []
    for n, frame in enumerate(frames, 1):
        left.append(frame)
        assert own_voice.said("stop", 30.0 + n * FRAME_S) or n * FRAME_SAMPLES <= half + 8_000
    settled = slice(-16_000, None)
    assert level_db(np.concatenate(left)[settled]) < level_db(echo[settled]) - 20.0


def test_the_sound_stays_as_it_is_where_nothing_is_played() -> None:
    own_voice = OwnVoice(cancellers=[EchoCanceller()])
    samples = voice_like(6)[:FRAME_SAMPLES].tobytes()
    assert own_voice.removed_from(Frame(samples=samples, at_s=5.0)) == samples


def test_the_clock_runs_evenly_where_word_of_frames_does_not_come_so() -> None:
    clock = SteadyClock()
    clock.tell(100.0)
    late = np.random.default_rng(0).uniform(0.0, 0.016, 300)
    told = [clock.tell(100.0 + n * FRAME_S + late[n - 1]) for n in range(1, 301)]
    assert np.count_nonzero(np.abs(np.diff(told) - FRAME_S) > 1e-9) <= 1
    assert clock.tell(500.0) == 500.0


def test_an_echo_is_found_to_the_sample_and_something_else_is_not() -> None:
    played = voice_like(7).astype(np.float32)
    reflections = np.zeros(1000, np.float32)
    reflections[[0, 160, 480, 900]] = 1.0, -0.4, 0.3, 0.2
    echo = np.convolve(played[700:9000], reflections)[:8300].astype(np.float32)
    place, prominence = echo_place(0.1 * echo, played[:12_000])
    assert place == 700
    assert prominence > LEAST_PROMINENCE
    other = voice_like(8).astype(np.float32)
    assert echo_place(other[:8300], played[:12_000])[1] < LEAST_PROMINENCE


def test_frames_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="not a frame"):
        EchoCanceller().cancel(bytes(FRAME_BYTES), bytes(FRAME_BYTES // 2))
