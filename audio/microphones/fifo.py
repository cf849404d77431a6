"""A microphone for tests and demonstrations: a FIFO of 16 kHz mono int16, read in real time."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

from assistant.core.errors import AudioError
from assistant.core.messages import DeviceChanged, Frame, Message
from audio.frames import FRAME_BYTES, FRAME_S

BEHIND_S = 1.0


class FifoFeed:
    """Gives a frame every 32 ms: what was written, as much as there is, or silence.

    Writers may come and go, and write ahead of time: the pace is set here.
    """

    def __init__(self, path: str, clock: Callable[[], float], number: int = 0) -> None:
        self._path, self._clock = Path(path).expanduser(), clock
        self._number = number

    def run(self, deliver: Callable[[int, Message], None], stopped: threading.Event) -> None:
        """Deliver frames until `stopped`."""
        try:
            fifo = _opened(self._path)
        except AudioError as error:
            deliver(self._number, self._absent(error))
            return
        due_s = self._clock() + FRAME_S
        while not stopped.wait(max(0.0, due_s - self._clock())):
            if self._clock() - due_s > BEHIND_S:
                due_s = self._clock()
            frame = Frame(samples=_next(fifo), at_s=due_s, microphone=self._number)
            deliver(self._number, frame)
            due_s += FRAME_S
        os.close(fifo)

    def _absent(self, error: AudioError) -> DeviceChanged:
        return DeviceChanged(
            device="microphone",
            present=False,
            detail=error.message,
            at_s=self._clock(),
        )


def _opened(path: Path) -> int:
    try:
        if not path.exists():
            os.mkfifo(path, 0o600)
        if not stat.S_ISFIFO(path.stat().st_mode):
            raise AudioError("audio.no_fifo", f"{path}: is no FIFO")
        # It is opened for writing too, so that it does not end when a writer leaves.
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise AudioError("audio.no_fifo", f"{path}: {error.strerror}") from error


def _next(fifo: int) -> bytes:
    samples = b""
    while len(samples) < FRAME_BYTES:
        try:
            piece = os.read(fifo, FRAME_BYTES - len(samples))
        except BlockingIOError:
            break
        samples += piece
    return samples.ljust(FRAME_BYTES, b"\0")
