"""The audio stage while it is muted: what it closes, what it tells, and what does not open it."""

from __future__ import annotations

from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import get_type_hints

import pytest

from assistant.core.messages import (
    Frame,
    Message,
    MuteChanged,
    NothingHeard,
    PlaybackEnded,
    Tick,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from assistant.skill import Context
from audio.earcons import FAILED, HEARD, MUTED, UNMUTED, earcon
from audio.frames import FRAME_S, Samples
from audio.listener import Listener
from audio.microphones.capture import TOGETHER
from audio.mute.mute import Mute
from audio.mute.switch import MuteSwitch
from audio.stage import LOOK_EVERY_S, LOOK_MUTED_EVERY_S, AudioStage
from benchmarks.hostile.mutation import samples
from tests.audio.test_listener import Scripted
from tests.support.voices import silence, speech

SOON_S = 2 * LOOK_MUTED_EVERY_S


class Microphones:
    """Devices that are open or not, or of which one `hangs`."""

    def __init__(self, paused: bool = False, hangs: bool = False) -> None:
        self.paused, self._hangs = paused, hangs

    @property
    def is_closed(self) -> bool:
        return self.paused and not self._hangs

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False


class Player:
    """Keeps which earcons it was to play; a reply is no matter here."""

    def __init__(self) -> None:
        self.earcons: list[str] = []

    def play(self, speech: object) -> None:
        pass

    def earcon(self, samples: Samples) -> None:
        names = {"heard": HEARD, "failed": FAILED, "muted": MUTED, "unmuted": UNMUTED}
        sounds = {earcon(tones).tobytes(): name for name, tones in names.items()}
        self.earcons.append(sounds[samples.tobytes()])

    def lower(self, lowered: bool) -> None:
        self.lowered = lowered

    def stop(self) -> None:
        pass


class Room:
    """A stage with its switch; time passes with what it hears."""

    def __init__(
        self, folder: Path, muted: bool = False, noticed_at_frame: int = 0, hangs: bool = False
    ) -> None:
        self.switch = MuteSwitch(folder / "state", folder)
        if muted:
            self.switch.mute()
        self.microphones, self.player = Microphones(muted, hangs), Player()
        self._engine = Scripted({noticed_at_frame: "computer"})
        self.rebuild()
        self.at_s = 0.0

    def rebuild(self) -> None:
        ids = (f"u{n}" for n in count(1))
        listener = Listener(ListeningSettings(), self._engine, new_id=lambda: next(ids))
        mute = Mute(self.switch, self.microphones)
        self.stage = AudioStage(listener, self.player, mute=mute)

    def hear(self, frames: list[bytes]) -> list[Message]:
        told: list[Message] = []
        for frame in frames:
            self.at_s += FRAME_S
            told += self.stage.feed(Frame(samples=frame, at_s=self.at_s))
        return told

    def look(self) -> list[Message]:
        """Time passes without any sound, as the worker lets it pass."""
        due_s = self.stage.deadline_s()
        assert due_s is not None
        assert due_s <= self.at_s + SOON_S
        self.at_s = max(due_s, self.at_s)
        return list(self.stage.feed(Tick(at_s=self.at_s)))


def test_within_two_frames_the_microphones_are_closed_before_anybody_is_told(
    tmp_path: Path,
) -> None:
    room = Room(tmp_path)
    room.hear(silence(1.0))
    room.switch.mute()
    assert TOGETHER * FRAME_S < LOOK_EVERY_S < 0.1
    for message in room.stage.feed(Frame(samples=silence(0.1)[0], at_s=room.at_s + FRAME_S)):
        assert room.microphones.paused
        assert message == MuteChanged(muted=True)
        break
    else:
        raise AssertionError("nothing was told")


def test_it_is_noticed_without_any_sound_and_both_are_heard_as_sounds(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.look()
    room.switch.mute()
    assert room.look() == [MuteChanged(muted=True)]
    assert room.look() == []
    room.switch.unmute()
    assert room.look() == [MuteChanged(muted=False)]
    assert not room.microphones.paused
    assert room.player.earcons == ["muted", "unmuted"]


def test_while_sound_comes_nothing_wakes_the_loop_between_frames(tmp_path: Path) -> None:
    room = Room(tmp_path)
    for frame in silence(0.5):
        room.hear([frame])
        due_s = room.stage.deadline_s()
        assert due_s is not None
        assert room.at_s + TOGETHER * FRAME_S < due_s <= room.at_s + LOOK_EVERY_S


def test_of_a_microphone_that_does_not_close_nobody_is_told_that_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room(tmp_path, hangs=True, noticed_at_frame=10)
    room.switch.mute()
    assert [*room.look(), *room.hear(silence(1.0))] == []
    assert room.player.earcons == []
    assert "(audio.hung)" in caplog.messages[-1]


def test_who_was_being_listened_to_is_told_as_silence_and_committed_to_nothing(
    tmp_path: Path,
) -> None:
    room = Room(tmp_path, noticed_at_frame=40)
    told = room.hear(silence(1.3) + speech("turn on the light")[:20])
    assert any(isinstance(message, Woke) for message in told)
    room.switch.mute()
    assert room.hear(silence(0.1)) == [
        NothingHeard(utterance_id="u1"),
        MuteChanged(muted=True),
    ]
    assert room.look() == []


def test_what_was_heard_before_is_no_part_of_what_is_said_after(tmp_path: Path) -> None:
    heard = {}
    for muted in (False, True):
        room = Room(tmp_path, noticed_at_frame=80)
        room.hear(speech("this is nobody's business but ours")[:60])
        if muted:
            room.switch.mute()
            room.look()
            room.switch.unmute()
            room.look()
        room.at_s = 60 * FRAME_S
        told = room.hear(speech("computer"))
        heard[muted] = sum(len(getattr(m, "samples", b"")) for m in told)
    assert heard[True] < heard[False]


def test_a_question_ends_when_it_was_asked_and_no_reply_opens_the_ear(tmp_path: Path) -> None:
    room = Room(tmp_path, muted=True)
    ended = PlaybackEnded(utterance_id="r", listen=True, at_s=1.0)
    assert list(room.stage.feed(ended)) == [ended, NothingHeard(utterance_id="r")]
    follow_up = PlaybackEnded(utterance_id="s", at_s=2.0)
    assert list(room.stage.feed(follow_up)) == [follow_up]
    room.switch.unmute()
    assert not any(isinstance(message, Woke) for message in [*room.look(), *room.look()])


def test_frames_that_were_on_their_way_are_not_listened_to(tmp_path: Path) -> None:
    room = Room(tmp_path, muted=True, noticed_at_frame=10)
    assert room.hear(silence(1.0)) == []
    # The control: the same frames are listened to where nothing is muted.
    assert Room(tmp_path / "other", noticed_at_frame=10).hear(silence(1.0))


def test_a_stage_that_is_rebuilt_stays_muted(tmp_path: Path) -> None:
    room = Room(tmp_path, muted=True)
    room.rebuild()
    assert room.look() == []
    assert room.microphones.paused


def test_no_message_opens_it_whatever_the_sender(tmp_path: Path) -> None:
    """All that any process can send; the switch alone, which no skill is handed, does."""
    room = Room(tmp_path, muted=True)
    messages = [m for m in samples() if not isinstance(m, (Frame, Tick))]
    assert MuteChanged in {type(message) for message in messages}
    for message in [*messages, MuteChanged(muted=False)]:
        list(room.stage.feed(message))
        room.look()
        assert room.microphones.paused, message
    room.switch.unmute()
    room.look()
    assert not room.microphones.paused


def test_no_skill_is_handed_the_switch_or_a_way_to_it() -> None:
    handed = {field.name: get_type_hints(Context)[field.name] for field in fields(Context)}
    offered = {f"{name}.{member}" for name, kind in handed.items() for member in dir(kind)}
    assert "timers.start" in offered
    offered -= {"sensors.mute", "sensors.muted"}  # what is told of sensors, not the microphone
    assert not [name for name in offered if "mute" in name.casefold() or "microphone" in name]
