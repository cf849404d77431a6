"""The microphone: a FIFO paced by the clock, and a sound card that goes away and comes back."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.core.clock import boottime_s
from assistant.core.messages import DeviceChanged, Frame, Message
from audio.frames import FRAME_BYTES, FRAME_S, SILENCE
from audio.microphones.capture import TOGETHER, Capture
from tests.support.hearing import Hearing
from tests.support.virtual_sound import VirtualSound, virtual_sound

PATIENCE_MS = 60_000


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that have no processor for a while are neither behind nor taken to hang."""
    monkeypatch.setattr("audio.microphones.fifo.BEHIND_S", PATIENCE_MS / 1000)
    monkeypatch.setattr("audio.microphones.capture.CLOSES_S", PATIENCE_MS / 1000)


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
    capture = Capture([f"fifo:{fifo}"])
    messages = heard(capture, lambda so_far: len(so_far) >= 12)
    capture.close()
    times_s = [message.at_s for message in messages]
    assert set(sounds(messages)) == {SILENCE}
    assert np.diff(times_s) == pytest.approx([FRAME_S] * (len(times_s) - 1))
    assert capture.frames_total == len(messages)


def test_in_no_hurry_frames_are_read_together(tmp_path: Path) -> None:
    capture = Capture([f"fifo:{tmp_path / 'mic'}"], paused=True)
    poll = select.poll()
    poll.register(capture, select.POLLIN)

    def frames_read() -> list[int]:
        """How many frames are read after each of four that arrive."""
        counts = []
        for number in range(4):
            capture._stopped.clear()
            capture._deliver(0, Frame(samples=SILENCE, at_s=float(number)))
            counts.append(len(list(capture.read())) if poll.poll(0) else 0)
        return counts

    assert frames_read() == [1, 1, 1, 1]
    capture.unhurried = True
    assert frames_read() == [0, TOGETHER, 0, TOGETHER]
    capture._deliver(0, Frame(samples=SILENCE, at_s=0.0))
    capture._deliver(0, DeviceChanged(device="microphone", present=False))  # news never waits
    assert poll.poll(0)
    capture.close()


def test_writers_come_and_go_and_may_write_ahead(fifo: Path) -> None:
    capture = Capture([f"fifo:{fifo}"])
    written = [bytes([n]) * FRAME_BYTES for n in range(1, 9)]
    for part in (written[:5], [*written[5:], b"\x09\x09"]):
        with fifo.open("wb") as writer:
            writer.write(b"".join(part))
    messages = heard(capture, lambda so_far: any(s.startswith(b"\x09") for s in sounds(so_far)))
    capture.close()
    spoken = [samples for samples in sounds(messages) if samples != SILENCE]
    assert spoken[:8] == written
    assert spoken[8] == b"\x09\x09" + SILENCE[2:]


def open_files() -> list[str]:
    """What this process has open, by the kernel's account."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the one by which the folder was listed
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return links


def test_in_a_pause_the_device_is_closed_and_forgotten(fifo: Path) -> None:
    capture = Capture([f"fifo:{fifo}"])
    heard(capture, bool)
    assert str(fifo) in open_files()
    capture.pause()
    assert (capture.paused, capture.is_closed) == (True, True)
    assert str(fifo) not in open_files()
    assert list(capture.read()) == []
    capture.resume()
    assert capture.opening
    with fifo.open("wb") as writer:
        writer.write(b"\x07" * FRAME_BYTES)
    heard(capture, lambda so_far: b"\x07" * FRAME_BYTES in sounds(so_far))
    assert (capture.paused, capture.opening) == (False, False)
    capture.close()


def test_what_begins_with_a_pause_opens_nothing(fifo: Path) -> None:
    capture = Capture([f"fifo:{fifo}"], paused=True)
    assert capture.is_closed
    assert str(fifo) not in open_files()
    capture.resume()
    heard(capture, bool)
    assert str(fifo) in open_files()
    capture.close()
    assert str(fifo) not in open_files()


def test_what_is_no_fifo_is_told_as_a_microphone_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    capture = Capture([f"fifo:{tmp_path / 'file'}"])
    (told,) = heard(capture, bool)
    capture.close()
    assert isinstance(told, DeviceChanged)
    assert (told.device, told.present) == ("microphone", False)
    assert "is no FIFO" in told.detail


def of(message: Message) -> int | None:
    """The microphone of a frame, None for news."""
    return message.microphone if isinstance(message, Frame) else None


def test_two_microphones_are_one_source(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    paths = [tmp_path / name for name in ("one", "two", "file")]
    capture = Capture([f"fifo:{path}" for path in paths])
    messages = heard(capture, lambda so_far: {0, 1, None} <= {of(m) for m in so_far})
    capture.close()
    told = [(m.present, m.others) for m in messages if isinstance(m, DeviceChanged)]
    assert told == [(False, 2)]
    assert (capture.present, capture.microphones) == (2, 3)


# ── with a sound card of software ───────────────────────────────────────────────────────────

pulse = "type pulse device {}".format
DEVICES = {
    "kitchen": pulse("microphone"),
    "desk": pulse("desk"),
    "output": pulse("loudspeaker.monitor"),
    "plugin": "type null",
}
"""What ALSA lists here beside "pulse" and "default"; "plugin" gives whatever lies in memory."""
FRAME = ("loud", "quiet")
SOON_S = 60.0
"""Seconds for what takes less than one on a machine that does nothing else."""


@pytest.fixture(scope="module")
def card() -> Iterator[VirtualSound]:
    with virtual_sound(DEVICES) as sound:
        yield sound


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    wav = tmp_path / "tone.wav"
    soundfile.write(wav, 0.5 * np.sin(np.arange(22_050) / 10), 22_050)
    return wav


@contextmanager
def hearing(card: VirtualSound, *inputs: str) -> Iterator[Hearing]:
    capturing = Hearing(card, *inputs)
    try:
        yield capturing
    finally:
        capturing.close()


@contextmanager
def humming(card: VirtualSound, microphone: str) -> Iterator[None]:
    """The microphone has some noise, as every one that is no software."""
    sink = f"{microphone}-mouth"
    noise = subprocess.Popen(
        [
            "pacat",
            "--raw",
            f"--device={sink}",
            "/dev/urandom",
            "--volume=10000",
            "--latency-msec=50",
        ],
        env=card.environment,
    )
    try:
        yield
    finally:
        noise.kill()
        noise.wait()


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("default", "default"),
        pytest.param("PULSE", "pulse", marks=pytest.mark.depth),
        pytest.param("kitchen", "kitchen", marks=pytest.mark.depth),
    ],
)
def test_a_microphone_that_comes_back_is_heard_soon(
    card: VirtualSound, name: str, device: str, tone: Path
) -> None:
    with hearing(card, name) as child:
        child.next(*FRAME)
        card.speak(tone)
        child.next("loud")
        card.unplug_microphone()
        assert child.next("gone").number == 0
        card.plug_microphone()
        plugged_at_s = boottime_s()
        assert child.next(*FRAME, since_s=plugged_at_s).at_s - plugged_at_s < SOON_S
        assert child.next("back", since_s=plugged_at_s).detail == device
        card.speak(tone)
        child.next("loud")


@pytest.mark.e2e
def test_a_sound_server_that_starts_again_is_heard_soon(card: VirtualSound, tone: Path) -> None:
    with hearing(card, "default") as child:
        child.next(*FRAME)
        for away_s, news in ((0.2, ("loud",)), (2.0, ("back",))):
            card.kill_server()
            time.sleep(away_s)
            card.start_server()
            there_s = boottime_s()
            card.speak(tone)
            assert child.next(*news, since_s=there_s).at_s - there_s < SOON_S
        card.speak(tone)
        child.next("loud")


@pytest.mark.e2e
@pytest.mark.depth
@pytest.mark.parametrize("sleep", ["stopped", "the clock jumps"])
def test_after_a_sleep_it_hears_soon_and_is_not_taken_for_gone(
    card: VirtualSound, tone: Path, sleep: str
) -> None:
    with hearing(card, "default") as child:
        child.next(*FRAME)
        if sleep == "stopped":
            child.stop()
            time.sleep(2.5)
            child.go_on()
        else:
            child.let_clock_jump()
        awake_s = boottime_s()
        card.speak(tone)
        heard = child.next("loud", "gone", "back", since_s=awake_s)
        assert heard.what == "loud"
        assert heard.at_s - awake_s < SOON_S


@pytest.mark.e2e
@pytest.mark.depth
def test_a_device_that_does_not_exist_is_told_with_those_that_do(card: VirtualSound) -> None:
    with hearing(card, "no such thing") as child:
        told = (
            'no input device is called "no such thing"; set audio.input to one of: pulse, kitchen'
        )
        assert child.next("gone").detail.startswith(told)


@pytest.mark.e2e
@pytest.mark.depth
def test_what_is_no_microphone_is_passed_over_with_the_reason(card: VirtualSound) -> None:
    card.plug_microphone("desk")
    with humming(card, "desk"), hearing(card, "default") as child:
        told = child.next("gone", *FRAME)
        assert told.detail.startswith("desk (")
        for name in ("default", "pulse", "kitchen"):
            assert f"{name}: only digital silence" in told.detail
    # Where nothing else hums, the system's own is taken, which may be muted.
    with hearing(card, "default") as child:
        told = child.next("gone", *FRAME)
        assert told.detail.startswith("default (")
        assert "desk: only digital silence" in told.detail
        assert "plugin: a plugin of ALSA, which claims 128 channels" in told.detail
    with hearing(card, "plugin") as child:
        assert "its sound comes faster than time passes" in child.next("gone").detail
    with hearing(card, "kitchen", "kitchen") as child:
        assert "kitchen: taken already" in child.next("gone").detail
    card.unplug_microphone("desk")


@pytest.mark.e2e
@pytest.mark.depth
def test_of_two_microphones_one_may_go_and_come_back(card: VirtualSound, tone: Path) -> None:
    card.plug_microphone("desk")
    with hearing(card, "kitchen", "desk") as child:
        for number in (0, 1):
            child.next(*FRAME, number=number)
        card.unplug_microphone("desk")
        assert child.next("gone").number == 1
        card.speak(tone)
        child.next("loud", number=0)
        card.plug_microphone("desk")
        plugged_at_s = boottime_s()
        assert child.next(*FRAME, number=1, since_s=plugged_at_s).at_s - plugged_at_s < SOON_S
        card.speak(tone, "desk")
        child.next("loud", number=1)
    card.unplug_microphone("desk")


@pytest.mark.e2e
def test_in_a_pause_nothing_records_and_no_recovery_opens_anything(
    card: VirtualSound, tone: Path
) -> None:
    with hearing(card, "default") as child:
        child.next(*FRAME)
        assert len(card.recorders()) == 1
        child.pause()
        assert card.recorders() == []
        card.unplug_microphone()
        card.plug_microphone()
        card.kill_server()
        card.start_server()
        assert card.recorders() == []
        child.resume()
        on_s = boottime_s()
        card.speak(tone)
        assert child.next("loud", "gone", since_s=on_s).what == "loud"
        assert len(card.recorders()) == 1
