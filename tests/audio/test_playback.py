"""Replies to a folder, to nowhere and to a loudspeaker that is not there, in real time."""

from __future__ import annotations

import select
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
from audio.own_voice import OwnVoice
from audio.playback import Playback

PATIENCE_MS = 10_000


@pytest.fixture
def opened() -> Iterator[Callable[..., Playback]]:
    players: list[Playback] = []

    def make(output: str, own_voice: OwnVoice | None = None) -> Playback:
        players.append(Playback(output, own_voice))
        return players[-1]

    yield make
    for player in players:
        player.close()


def sentence(utterance_id: str = "u1", seconds: float = 0.1, last: bool = True) -> Speech:
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


def test_earcons_are_short_and_do_not_click() -> None:
    for tones in (HEARD, DONE, FAILED):
        sound = earcon(tones)
        assert len(sound) <= 0.3 * 16_000
        assert abs(int(sound[0])) + abs(int(sound[-1])) < 100
        assert 1_000 < np.abs(sound).max() < 10_000
