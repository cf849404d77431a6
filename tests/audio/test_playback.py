"""Replies to a folder, to nowhere and to a loudspeaker that is not there, in real time."""

from __future__ import annotations

import select
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.core.messages import (
    DeviceChanged,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
)
from audio.earcons import DONE, FAILED, HEARD, earcon
from audio.frames import Samples
from audio.heard_replies import HeardReplies
from audio.loudspeaker import SilentLoudspeaker
from audio.own_voice import OwnVoice
from audio.playback import Playback

PATIENCE_MS = 60_000


@pytest.fixture
def opened() -> Iterator[Callable[..., Playback]]:
    players: list[Playback] = []

    def make(
        output: str, own_voice: OwnVoice | None = None, heard_replies: HeardReplies | None = None
    ) -> Playback:
        players.append(Playback(output, own_voice, heard_replies))
        return players[-1]

    yield make
    for player in players:
        player.close()


def sentence(
    utterance_id: str = "u1", seconds: float = 0.1, last: bool = True, once: bool = False
) -> Speech:
    times_s = np.arange(round(8_000 * seconds)) / 8_000
    tone = (8_000 * np.sin(2 * np.pi * 440 * times_s)).astype(np.int16)
    return Speech(
        utterance_id=utterance_id,
        sequence=0,
        samples=tone.tobytes(),
        rate_hz=8_000,
        text="",
        last=last,
        listen=last,
        once=once,
    )


def news(player: Playback, until: type[Message]) -> list[Message]:
    """What the player tells, up to the first message of that type."""
    poll = select.poll()
    poll.register(player.fileno(), select.POLLIN)
    told: list[Message] = []
    while not any(isinstance(message, until) for message in told):
        assert poll.poll(PATIENCE_MS), f"nothing more after {told}"
        told += player.read()
    return told


def test_a_reply_is_written_whole_to_its_file(
    tmp_path: Path, opened: Callable[..., Playback]
) -> None:
    player = opened(f"folder:{tmp_path / 'replies'}")
    player.play(sentence(seconds=0.2, last=False))
    player.play(sentence(seconds=0.3))
    told = news(player, PlaybackEnded)
    assert [type(message) for message in told] == [PlaybackStarted, PlaybackEnded]
    assert told[1].at_s - told[0].at_s >= 0.45
    assert isinstance(told[1], PlaybackEnded)
    assert (told[1].listen, told[1].interrupted) == (True, False)
    assert [file.name for file in (tmp_path / "replies").iterdir()] == ["u1.wav"]
    sound, rate_hz = soundfile.read(tmp_path / "replies" / "u1.wav")
    assert len(sound) / rate_hz == pytest.approx(0.5, abs=0.05)
    assert np.argmax(np.abs(np.fft.rfft(sound[: rate_hz // 5]))) * 5 == pytest.approx(440, abs=5)


def test_stop_ends_it_at_once(opened: Callable[..., Playback]) -> None:
    own_voice = OwnVoice()
    player = opened("none", own_voice)
    player.play(sentence(seconds=60.0))
    started = news(player, PlaybackStarted)[-1]
    assert own_voice.sounds(started.at_s + 30)
    player.stop()
    (ended,) = news(player, PlaybackEnded)
    assert isinstance(ended, PlaybackEnded)
    assert ended.interrupted
    assert not own_voice.sounds(started.at_s + 30)


def test_without_a_loudspeaker_a_reply_is_acknowledged_and_the_lack_told_once(
    tmp_path: Path, opened: Callable[..., Playback]
) -> None:
    (tmp_path / "file").write_text("")
    player = opened(f"folder:{tmp_path / 'file' / 'below'}")
    player.play(sentence("u1"))
    first = news(player, PlaybackEnded)
    player.play(sentence("u2"))
    second = news(player, PlaybackEnded)
    assert [type(message) for message in first] == [DeviceChanged, PlaybackEnded]
    assert [type(message) for message in second] == [PlaybackEnded]

    (tmp_path / "file").unlink()
    player.play(sentence("u3"))
    third = news(player, PlaybackEnded)
    assert [type(message) for message in third] == [DeviceChanged, PlaybackStarted, PlaybackEnded]
    assert (tmp_path / "file" / "below" / "u3.wav").is_file()


def test_that_a_ring_was_heard_is_on_the_disk_before_it_is_told(
    tmp_path: Path, opened: Callable[..., Playback]
) -> None:
    player = opened("none", heard_replies=HeardReplies(tmp_path / "heard"))
    player.play(sentence("timer-1", once=True))
    player.play(sentence("u1"))
    player.play(sentence("timer-2", seconds=60, once=True))
    told = news(player, PlaybackEnded)
    assert HeardReplies(tmp_path / "heard").names == ("timer-1",)
    while not any(isinstance(m, PlaybackStarted) and m.utterance_id == "timer-2" for m in told):
        told += news(player, PlaybackStarted)
    player.stop()
    news(player, PlaybackEnded)
    assert HeardReplies(tmp_path / "heard").names == ("timer-1", "timer-2")


def test_a_player_that_is_started_anew_does_not_play_a_ring_again(
    tmp_path: Path, opened: Callable[..., Playback]
) -> None:
    HeardReplies(tmp_path / "heard").add("timer-1")
    player = opened("none", heard_replies=HeardReplies(tmp_path / "heard"))
    player.play(sentence("timer-1", once=True))
    player.play(sentence("u1"))
    acknowledged, started, *_ = news(player, PlaybackStarted)
    assert isinstance(acknowledged, PlaybackEnded)
    assert (acknowledged.utterance_id, acknowledged.heard) == ("timer-1", True)
    assert isinstance(started, PlaybackStarted)
    assert started.utterance_id == "u1"


def test_earcons_are_short_and_do_not_click() -> None:
    for tones in (HEARD, DONE, FAILED):
        sound = earcon(tones)
        assert len(sound) <= 0.3 * 16_000
        assert abs(int(sound[0])) + abs(int(sound[-1])) < 100
        assert 1_000 < np.abs(sound).max() < 10_000


@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "a/../../outside", "nul\0", "x" * 5_000]
)
def test_no_reply_is_written_outside_the_folder(
    opened: Callable[..., Playback], tmp_path: Path, name: str
) -> None:
    """An id is what a message says; it killed the player's thread, or overwrote what it named."""
    player = opened(f"folder:{tmp_path / 'replies'}")
    player.play(sentence(name))
    assert isinstance(news(player, PlaybackEnded)[-1], PlaybackEnded)
    (written,) = (tmp_path / "replies").iterdir()
    assert written.suffix == ".wav"
    assert player.alive
    assert [p.name for p in tmp_path.iterdir()] == ["replies"]


class Noted(SilentLoudspeaker):
    """Notes to which reply each block belongs that is played after the first is over."""

    def __init__(self) -> None:
        super().__init__()
        self.over: list[str] = []
        self.after: list[str] = []
        self.played = threading.Event()

    def write(self, samples: Samples, utterance_id: str) -> None:
        if self.over:
            self.after.append(utterance_id)
            self.played.set()
        super().write(samples, utterance_id)

    def finish(self, utterance_id: str) -> None:
        self.over.append(utterance_id)


@pytest.mark.parametrize("interrupted", [False, True])
def test_what_is_played_after_a_reply_is_no_part_of_it(
    opened: Callable[..., Playback], monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    loudspeaker = Noted()
    monkeypatch.setattr("audio.playback.open_loudspeaker", lambda _: loudspeaker)
    player = opened("noted")
    player.play(sentence("u1", seconds=10.0 if interrupted else 0.1))
    if interrupted:
        news(player, PlaybackStarted)
        player.stop()
    assert loudspeaker.played.wait(PATIENCE_MS / 1000)
    assert loudspeaker.over == ["u1"]
    assert "u1" not in loudspeaker.after


class Held(Noted):
    """Plays no further than its first block until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let_go = threading.Event(), threading.Event()

    def write(self, samples: Samples, utterance_id: str) -> None:
        if not self.begun.is_set():
            self.begun.set()
            assert self.let_go.wait(PATIENCE_MS / 1000)
        super().write(samples, utterance_id)


def test_a_reply_that_is_stopped_twice_before_the_player_looks_is_over(
    opened: Callable[..., Playback], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its sound stayed in memory until there was silence: 40 kB for each reply of a busy day."""
    loudspeaker = Held()
    monkeypatch.setattr("audio.playback.open_loudspeaker", lambda _: loudspeaker)
    player = opened("held")
    player.play(sentence("u1", seconds=10.0))
    assert loudspeaker.begun.wait(PATIENCE_MS / 1000)
    player.stop()
    player.stop()
    loudspeaker.let_go.set()
    assert loudspeaker.played.wait(PATIENCE_MS / 1000)
    assert loudspeaker.over == ["u1"]
