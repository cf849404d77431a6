"""The microphone: a source of frames from a device or a FIFO, which survives the device's loss."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from assistant.core.clock import boottime_s
from assistant.core.errors import AudioError
from assistant.core.messages import DeviceChanged, Frame, Message
from audio.devices import DEVICES
from audio.fifo import FifoFeed
from audio.frames import FRAME_S, Framer

FIFO = "fifo:"
LOOK_EVERY_S = 0.2
TRY_EVERY_S = 0.5
LOST_AFTER_S = 1.0
BACKLOG = 512

Deliver = Callable[[Message], None]


class Feed(Protocol):
    """Where frames come from."""

    def run(self, deliver: Deliver, stopped: threading.Event) -> None:
        """Deliver frames, and news when the device comes or goes, until `stopped`."""


class Capture:
    """Implements `core.stage.Source`: the frames of `device` ("default", a name, "fifo:PATH")."""

    def __init__(self, device: str) -> None:
        feed: Feed = (
            FifoFeed(device.removeprefix(FIFO), boottime_s)
            if device.startswith(FIFO)
            else DeviceFeed(device)
        )
        self._arrived: deque[Message] = deque(maxlen=BACKLOG)
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopped = threading.Event()
        self.frames_total = 0
        self.present = True
        """Whether the device is there, by the last news."""
        self._thread = threading.Thread(
            target=feed.run, args=(self._deliver, self._stopped), name="capture", daemon=True
        )
        self._thread.start()

    def fileno(self) -> int:
        """Readable when something has arrived."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """The frames and the news that have arrived; never blocks."""
        with suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        return list(self._drain())

    def close(self) -> None:
        """Release the device."""
        self._stopped.set()
        self._thread.join(timeout=2.0)
        os.close(self._signal)

    def _drain(self) -> Iterator[Message]:
        while self._arrived:
            message = self._arrived.popleft()
            self.frames_total += isinstance(message, Frame)
            if isinstance(message, DeviceChanged):
                self.present = message.present
            yield message

    def _deliver(self, message: Message) -> None:
        if not self._stopped.is_set():
            self._arrived.append(message)
            os.eventfd_write(self._signal, 1)


class DeviceFeed:
    """A sound card's microphone, opened again whenever it has come back."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._called_at_s = 0.0
        self._present: bool | None = None

    def run(self, deliver: Deliver, stopped: threading.Event) -> None:
        """Deliver frames from PortAudio's thread, which this thread watches."""
        stream: Any = None
        looked_at_s = boottime_s()
        pause_s = 0.0
        while not stopped.wait(pause_s):
            now_s = boottime_s()
            if now_s - looked_at_s > LOST_AFTER_S:
                # This process itself was stopped: that no callback came means nothing.
                self._called_at_s = now_s
            looked_at_s = now_s
            if stream is None:
                stream = self._opened(deliver)
            elif not stream.active or now_s - self._called_at_s > LOST_AFTER_S:
                DEVICES.close(stream)
                stream = None
                self._tell(deliver, False, "no more sound came from it")
            elif DEVICES.stale:
                # To find a loudspeaker that was plugged in, PortAudio must be restarted.
                DEVICES.close(stream)
                DEVICES.refresh()
                stream = self._opened(deliver)
            pause_s = LOOK_EVERY_S if stream is not None else TRY_EVERY_S
        if stream is not None:
            DEVICES.close(stream)

    def _opened(self, deliver: Deliver) -> Any:
        try:
            if self._present is False:
                DEVICES.refresh()
            stream = self._open(deliver)
        except AudioError as error:
            self._tell(deliver, False, error.message)
            return None
        self._tell(deliver, True, self._name)
        return stream

    def _open(self, deliver: Deliver) -> Any:
        index, rate_hz, channels = DEVICES.find(self._name, "input")
        framer = Framer(rate_hz, channels)

        def heard(block: Any, count: int, times: Any, status: Any) -> None:
            self._called_at_s = now_s = boottime_s()
            frames = list(framer.push(np.array(block)))
            for left, samples in zip(range(len(frames))[::-1], frames, strict=True):
                deliver(Frame(samples=samples, at_s=now_s - left * FRAME_S))

        self._called_at_s = boottime_s()
        return DEVICES.open(
            "InputStream",
            device=index,
            samplerate=rate_hz,
            channels=channels,
            dtype="int16",
            blocksize=round(rate_hz * FRAME_S),
            callback=heard,
        )

    def _tell(self, deliver: Deliver, present: bool, detail: str) -> None:
        if present is not self._present and (self._present is not None or not present):
            deliver(
                DeviceChanged(
                    device="microphone", present=present, detail=detail, at_s=boottime_s()
                )
            )
        self._present = present
