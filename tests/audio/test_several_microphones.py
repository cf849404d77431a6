"""Several microphones: the one that hears the wake word most clearly is listened to."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.config import Config
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    Frame,
    Level,
    NothingHeard,
    PlaybackEnded,
    Utterance,
)
from assistant.core.settings.hearing import AudioSettings
from audio.build import make_listener
from audio.canceller import EchoCanceller
from audio.frames import FRAME_S, Framer
from audio.own_voice import OwnVoice
from tests.audio.test_listener import Conversation, joined
from tests.support.voices import silence, speech


def softer(frames: list[bytes], by_db: float) -> list[bytes]:
    """The sound as a microphone further away hears it, with the same noise of its own."""
    noise = np.random.default_rng(1).normal(0, 8, (len(frames), 512))
    sound = 10 ** (-by_db / 20) * joined(frames).reshape(-1, 512) + noise
    return [frame.astype(np.int16).tobytes() for frame in sound]


def both(heard: Conversation, *microphones: list[bytes]) -> Conversation:
    """Feed the frames of several microphones, the first a little earlier."""
    for frames in zip(*microphones, strict=True):
        heard.now_s += FRAME_S
        for number, samples in enumerate(frames):
            at_s = heard.now_s + 0.01 * number
            heard.feed(Frame(samples=samples, at_s=at_s, microphone=number))
    return heard


@pytest.mark.parametrize("near", [0, 1])
def test_the_microphone_that_hears_the_wake_word_most_clearly_is_listened_to(near: int) -> None:
    said = [*silence(3.0), *speech("computer, turn on the light"), *silence(3.0)]
    heard_by = [softer(said, 0.0 if number == near else 24.0) for number in (0, 1)]
    heard = both(Conversation(make_listener(Config(), microphones=2)), *heard_by)
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    sound = b"".join(m.samples for m in heard.of(AudioChunk))  # type: ignore[attr-defined]
    assert sound in b"".join(heard_by[near])
    assert sound not in b"".join(heard_by[1 - near])


@pytest.mark.parametrize("near", [0, 1])
def test_what_is_said_is_said_in_the_area_of_that_microphone(near: int) -> None:
    areas = ("kitchen", "hall")
    config = Config(audio=AudioSettings(input=("one", "two"), areas=areas))
    said = [*silence(3.0), *speech("computer, turn on the light"), *silence(3.0)]
    heard_by = [softer(said, 0.0 if number == near else 24.0) for number in (0, 1)]
    heard = both(Conversation(make_listener(config, microphones=2)), *heard_by)
    (utterance,) = heard.of(Utterance)
    assert isinstance(utterance, Utterance)
    assert utterance.area == areas[near]
    heard.feed(PlaybackEnded(utterance_id=utterance.utterance_id, listen=True, at_s=heard.now_s))
    both(heard, *([*silence(8.0)] for _ in areas))
    (nothing,) = heard.of(NothingHeard)
    assert isinstance(nothing, NothingHeard)
    assert nothing.area == areas[near]


def test_where_the_microphone_that_led_is_gone_another_leads() -> None:
    said = [*silence(3.0), *speech("computer, turn on the light"), *silence(3.0)]
    heard = Conversation(make_listener(Config(), microphones=2))
    both(heard, softer(silence(2.0), 0.0), softer(silence(2.0), 12.0))
    for samples in softer(said, 12.0):
        heard.now_s += FRAME_S
        heard.feed(Frame(samples=samples, at_s=heard.now_s, microphone=1))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    assert isinstance(heard.said[-1][1], Level)


@pytest.mark.parametrize(("cancellers", "least_db", "most_db"), [(2, 10.0, 60.0), (1, 0.0, 0.0)])
def test_each_microphone_loses_its_own_echo(
    cancellers: int, least_db: float, most_db: float
) -> None:
    """The second hears the reply later and softer; without a canceller of its own it keeps it."""
    reply = joined(speech("to begin, say computer, and to end, say stop, and I am quiet at once"))
    own_voice = OwnVoice(cancellers=[EchoCanceller() for _ in range(cancellers)])
    own_voice.plays(reply.astype(np.int16), 0.0)
    microphones = [echo(reply, late_s, db) for late_s, db in ((0.06, 12.0), (0.09, 18.0))]
    left = []
    for number, frames in enumerate(zip(*microphones, strict=True), 1):
        for microphone, samples in enumerate(frames):
            frame = Frame(samples=samples, at_s=number * FRAME_S, microphone=microphone)
            removed = own_voice.removed_from(frame)
            if microphone == 1:
                left.append(removed)
    half = len(left) // 2  # the filter learns meanwhile
    kept_db = level_db(joined(left[half:])) - level_db(joined(microphones[1][half:]))
    assert least_db <= -kept_db <= most_db


def echo(reply: NDArray[np.float32], late_s: float, softer_db: float) -> list[bytes]:
    """The frames of a microphone that hears `reply`."""
    sound = np.zeros(len(reply), np.float32)
    late = round(late_s * SAMPLE_RATE_HZ)
    sound[late:] = 10 ** (-softer_db / 20) * reply[: len(reply) - late]
    return list(Framer(SAMPLE_RATE_HZ, 1).push(sound.astype(np.int16)[:, np.newaxis]))


def level_db(samples: NDArray[np.float32]) -> float:
    return 10 * float(np.log10(np.mean(samples**2) + 1e-9))
