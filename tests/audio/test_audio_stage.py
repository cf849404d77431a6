"""Listener and player in one stage: what the user hears, and what the other stages are told."""

from __future__ import annotations

import os
from contextlib import closing
from itertools import count
from types import SimpleNamespace

import pytest

from assistant.core.config import Config
from assistant.core.messages import (
    BargeIn,
    DeviceChanged,
    Frame,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    StageFailed,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from audio.build import make_listener, make_own_voice
from audio.earcons import FAILED, HEARD, earcon
from audio.frames import FRAME_S, Samples
from audio.listener import Listener
from audio.playback import Playback
from audio.stage import AudioStage
from tests.audio.test_listener import Scripted
from tests.support.voices import silence, speech


class Player:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.lowered: list[bool] = []

    def play(self, speech: Speech) -> None:
        self.told.append(f"play {speech.utterance_id}")

    def earcon(self, samples: Samples) -> None:
        names = {earcon(HEARD).tobytes(): "heard", earcon(FAILED).tobytes(): "failed"}
        self.told.append(names[samples.tobytes()])

    def lower(self, lowered: bool) -> None:
        if self.lowered[-1:] != [lowered]:
            self.lowered.append(lowered)

    def stop(self) -> None:
        self.told.append("stop")


def stage(noticed_at_frame: int = 0, earcons: bool = True) -> tuple[AudioStage, Player]:
    player = Player()
    ids = (f"u{n}" for n in count(1))
    engine = Scripted({noticed_at_frame: "computer"})
    listener = Listener(ListeningSettings(), engine, new_id=lambda: next(ids))
    return AudioStage(listener, player, earcons), player


def hear(audio: AudioStage, frames: list[bytes]) -> list[Message]:
    return [
        message
        for number, samples in enumerate(frames, 1)
        for message in audio.feed(Frame(samples=samples, at_s=number * FRAME_S))
    ]


def test_only_while_it_waits_for_a_wake_word_microphones_are_in_no_hurry() -> None:
    microphones = SimpleNamespace(unhurried=False)
    engine, player = Scripted({3: "computer"}), Player()
    listener = Listener(ListeningSettings(), engine, new_id=lambda: "u1")
    audio = AudioStage(listener, player, microphones=microphones)
    unhurried = []
    for number, samples in enumerate(silence(0.2), 1):
        list(audio.feed(Frame(samples=samples, at_s=number * FRAME_S)))
        unhurried.append(microphones.unhurried)
    assert unhurried == [True, True, *[False] * (len(unhurried) - 2)]


def test_who_waits_after_the_wake_word_hears_the_earcon_once() -> None:
    audio, player = stage(noticed_at_frame=50)
    hear(audio, silence(4.0))
    assert player.told == ["heard"]


def test_who_speaks_on_is_not_talked_into() -> None:
    audio, player = stage(noticed_at_frame=80)
    hear(audio, silence(2.0) + speech("computer, turn on the light") + silence(2.0))
    assert player.told == []


def test_what_is_played_is_soft_while_somebody_may_speak() -> None:
    audio, player = stage(noticed_at_frame=50)
    hear(audio, silence(12.0))
    assert player.lowered == [False, True, False]


def test_what_is_played_is_as_loud_as_ever_while_only_a_follow_up_may_come() -> None:
    audio, player = stage()
    list(audio.feed(PlaybackEnded(utterance_id="r", heard=True, at_s=0.0)))
    hear(audio, silence(2.0))
    assert player.lowered == [False]


def test_earcons_can_be_switched_off() -> None:
    audio, player = stage(noticed_at_frame=50, earcons=False)
    hear(audio, silence(4.0))
    list(audio.feed(StageFailed(stage="voice", code="voice.none", message="")))
    assert player.told == []


def test_a_voice_that_fails_is_heard_as_a_sound() -> None:
    audio, player = stage()
    list(audio.feed(StageFailed(stage="voice", code="voice.none", message="")))
    list(audio.feed(StageFailed(stage="nlu", code="nlu.internal", message="")))
    assert player.told == ["failed"]


def test_the_wake_word_over_a_reply_stops_the_player_before_anyone_is_told() -> None:
    audio, player = stage(noticed_at_frame=50)
    list(audio.feed(PlaybackStarted(utterance_id="r", at_s=0.5)))
    for number, samples in enumerate(silence(2.0), 1):
        for message in audio.feed(Frame(samples=samples, at_s=number * FRAME_S)):
            if isinstance(message, BargeIn):
                assert player.told == ["stop"]
                return
    raise AssertionError("no barge-in")


def test_someone_elses_barge_in_stops_the_player_too() -> None:
    audio, player = stage()
    list(audio.feed(BargeIn(utterance_id="r")))
    assert player.told == ["stop"]


def test_news_of_the_players_is_passed_on_once_and_opens_the_microphone() -> None:
    audio, _ = stage()
    ended = PlaybackEnded(utterance_id="r", listen=True, at_s=1.0)
    told = list(audio.feed(ended))
    assert told == [ended, Woke(utterance_id="u1", wake_word="")]
    assert list(audio.feed(ended)) == []


def test_only_the_own_devices_are_spoken_for(caplog: pytest.LogCaptureFixture) -> None:
    audio, _ = stage()
    gone = DeviceChanged(device="microphone", present=False, detail="pulled out", at_s=1.0)
    assert list(audio.feed(gone)) == [gone]
    assert list(audio.feed(DeviceChanged(device="broker", present=False, at_s=2.0))) == []
    assert caplog.messages == ["microphone is gone: pulled out (audio.device)"]


def test_a_stage_that_is_closed_leaves_no_file_of_its_engines_open() -> None:
    player = Playback("none")
    own_voice = make_own_voice(Config())
    with closing(player):
        open_files = list[int]()
        for _ in range(3):
            AudioStage(make_listener(Config(), own_voice=own_voice), player).close()
            open_files.append(len(os.listdir("/proc/self/fd")))
    assert open_files[0] == open_files[2]
