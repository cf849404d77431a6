"""The microphone: a FIFO paced by the clock, and a sound card that goes away and comes back."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.core.clock import boottime_s
from assistant.core.messages import DeviceChanged, Frame, Message
from audio.capture import Capture
from audio.frames import FRAME_BYTES, FRAME_S, SILENCE
from tests.support.virtual_sound import VirtualSound, virtual_sound

PATIENCE_MS = 10_000


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "microphone"
    os.mkfifo(path)
    return path


def heard(capture: Capture, enough: Callable[[list[Message]], bool]) -> list[Message]:
    """What comes until it is enough."""
    poll = select.poll()
    poll.register(capture.fileno(), select.POLLIN)
    messages: list[Message] = []
    while not enough(messages):
        assert poll.poll(PATIENCE_MS), f"nothing more after {len(messages)} messages"
        messages += capture.read()
    return messages


def sounds(messages: list[Message]) -> list[bytes]:
    return [m.samples for m in messages if isinstance(m, Frame)]


def test_without_a_writer_a_fifo_gives_silence_in_real_time(fifo: Path) -> None:
    capture = Capture(f"fifo:{fifo}")
    messages = heard(capture, lambda so_far: len(so_far) >= 12)
    capture.close()
    times_s = [message.at_s for message in messages]
    assert set(sounds(messages)) == {SILENCE}
    assert np.diff(times_s) == pytest.approx([FRAME_S] * (len(times_s) - 1))
    assert capture.frames_total == len(messages)


def test_writers_come_and_go_and_may_write_ahead(fifo: Path) -> None:
    capture = Capture(f"fifo:{fifo}")
    written = [bytes([n]) * FRAME_BYTES for n in range(1, 9)]
    for part in (written[:5], [*written[5:], b"\x09\x09"]):
        with fifo.open("wb") as writer:
            writer.write(b"".join(part))
    messages = heard(capture, lambda so_far: any(s.startswith(b"\x09") for s in sounds(so_far)))
    capture.close()
    spoken = [samples for samples in sounds(messages) if samples != SILENCE]
    assert spoken[:8] == written
    assert spoken[8] == b"\x09\x09" + SILENCE[2:]


def test_what_is_no_fifo_is_told_as_a_microphone_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    capture = Capture(f"fifo:{tmp_path / 'file'}")
    (told,) = heard(capture, bool)
    capture.close()
    assert isinstance(told, DeviceChanged)
    assert (told.device, told.present) == ("microphone", False)
    assert "is no FIFO" in told.detail


# ── with a sound card of software ───────────────────────────────────────────────────────────

CAPTURING = """
import select, sys
from assistant.core.messages import DeviceChanged, Frame
from assistant.core.clock import boottime_s
from audio.capture import Capture
from audio.vad import dbfs
capture = Capture(sys.argv[1])
poll = select.poll()
poll.register(capture.fileno(), select.POLLIN)
loud = None
while True:
    poll.poll()
    for message in capture.read():
        if isinstance(message, DeviceChanged):
            loud = None
            print(f"{boottime_s():.3f} present={message.present} {message.detail}", flush=True)
        elif loud is not (loud := dbfs(message.samples) > -40):
            print(f"{boottime_s():.3f} {'loud' if loud else 'quiet'}", flush=True)
"""
"""In a process of its own, as PortAudio finds the card by the environment of its process."""


@pytest.fixture(scope="module")
def card() -> Iterator[VirtualSound]:
    with virtual_sound() as sound:
        yield sound


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    wav = tmp_path / "tone.wav"
    soundfile.write(wav, 0.5 * np.sin(np.arange(22_050) / 10), 22_050)
    return wav


class Child:
    """A process that captures from `device`, and what it prints."""

    def __init__(self, card: VirtualSound, device: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CAPTURING, device],
            env=card.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def line(self, wanted: str) -> float:
        """The time at which it printed a line with `wanted`."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if wanted in line:
                return float(line.split()[0])
        raise AssertionError(f"it ended without {wanted}")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(params=["default", "PULSE"])
def child(request: pytest.FixtureRequest, card: VirtualSound) -> Iterator[Child]:
    capturing = Child(card, request.param)
    yield capturing
    capturing.close()


@pytest.mark.e2e
@pytest.mark.timeout(60)
def test_a_microphone_that_comes_back_is_heard_within_two_seconds(
    card: VirtualSound, child: Child, tone: Path
) -> None:
    child.line("quiet")
    card.speak(tone)
    child.line("loud")
    card.unplug_microphone()
    child.line("present=False")
    card.plug_microphone()
    plugged_at_s = boottime_s()
    assert child.line("present=True") - plugged_at_s < 2.0
    card.speak(tone)
    child.line("loud")


@pytest.mark.e2e
@pytest.mark.timeout(60)
def test_a_device_that_does_not_exist_is_told_with_those_that_do(card: VirtualSound) -> None:
    capturing = Child(card, "no such thing")
    capturing.line('no input device is called "no such thing"; set audio.input to one of: pulse')
    capturing.close()
