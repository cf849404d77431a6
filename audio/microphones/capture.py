"""The microphones: a source of frames from devices and FIFOs, which survives the devices' loss."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.errors import AudioError
from assistant.core.messages import DeviceChanged, Frame, Message
from audio.devices import DEVICES
from audio.microphones.fifo import FifoFeed
from audio.microphones.microphone import Microphone

FIFO = "fifo:"
LOOK_EVERY_S = 0.1
TRY_EVERY_S, TRY_LATER_S = 0.2, 0.4
"""Seconds between two attempts to open a microphone, for the first minute and after it.

Listing the devices costs 22 ms of processor (measured: PulseAudio, eight devices).
"""
SOON_S = 60.0
SLEPT_S = 1.0
"""Seconds between two looks after which this process was stopped, or the machine slept."""
TOLD_AFTER_S = 1.0
"""Seconds without sound after which a microphone is gone; a server starts again in less."""
BACKLOG = 512
TOGETHER = 2
"""Frames that are read together while nobody is heard.

In silence a wake-up of the loop costs more than what is done with a frame: by twos the process took
3.0 % of a core in place of 5.0. A wake word is noticed 32 ms later at most.
"""
CLOSES_S = 2.0
"""Most seconds to wait until the devices are closed; a driver that hangs may take for ever."""

Deliver = Callable[[int, Message], None]
"""Takes a microphone's number, and its frame or news of it."""
Clock = Callable[[], float]


class Feed(Protocol):
    """Where frames come from."""

    def run(self, deliver: Deliver, stopped: threading.Event) -> None:
        """Deliver frames, and news when a device comes or goes, until `stopped`."""


class Capture:
    """Implements `core.stage.Source`: the frames of `inputs` ("default", names, "fifo:PATH").

    While it is `paused` no device is open, and none is looked for.
    """

    def __init__(
        self, inputs: Sequence[str], clock: Clock = boottime_s, paused: bool = False
    ) -> None:
        self._arrived: deque[tuple[int, Message]] = deque(maxlen=BACKLOG * len(inputs))
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._gone: set[int] = set()
        self.microphones = len(inputs)
        self.frames_total = 0
        self.opening = False
        """Whether it goes on after a pause, and nothing has come from a microphone yet."""
        self.unhurried = False
        """Whether frames may wait for each other: nobody is being heard, and nothing is played."""
        self._feeds: list[Feed] = [
            FifoFeed(name.removeprefix(FIFO), clock, number)
            for number, name in enumerate(inputs)
            if name.startswith(FIFO)
        ]
        devices = {n: name for n, name in enumerate(inputs) if not name.startswith(FIFO)}
        self._devices = DeviceFeed(devices, clock)
        if devices:
            self._feeds.append(self._devices)
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._stopped.set()
        if not paused:
            self._start()

    @property
    def present(self) -> int:
        """How many microphones there are, by the last news."""
        return self.microphones - len(self._gone)

    @property
    def described(self) -> str:
        """The devices that were chosen, and why others were passed over."""
        return self._devices.described

    def fileno(self) -> int:
        """Readable when something has arrived."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """The frames and the news that have arrived; never blocks."""
        with suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        return list(self._drain())

    @property
    def paused(self) -> bool:
        """Whether no device is to be open."""
        return self._stopped.is_set()

    @property
    def is_closed(self) -> bool:
        """Whether no device is open, nor being opened."""
        return not any(thread.is_alive() for thread in self._threads)

    def pause(self) -> None:
        """Close the devices, and forget what has come from them and was not read."""
        self._stop()
        self._arrived.clear()

    def resume(self) -> None:
        """Open the devices again; not while one of before the pause hangs."""
        if self.paused and self.is_closed:
            self.opening = True
            self._start()

    def close(self) -> None:
        """Release the devices."""
        self._stop()
        os.close(self._signal)

    def _start(self) -> None:
        self._stopped.clear()
        self._threads = [
            threading.Thread(
                target=feed.run, args=(self._deliver, self._stopped), name="capture", daemon=True
            )
            for feed in self._feeds
        ]
        for thread in self._threads:
            thread.start()

    def _stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(timeout=CLOSES_S)

    def _drain(self) -> Iterator[Message]:
        while self._arrived:
            number, message = self._arrived.popleft()
            self.opening = False
            self.frames_total += isinstance(message, Frame)
            if isinstance(message, DeviceChanged):
                (self._gone.discard if message.present else self._gone.add)(number)
                others = self.present - message.present
                message = msgspec.structs.replace(message, others=others)
            yield message

    def _deliver(self, number: int, message: Message) -> None:
        if not self._stopped.is_set():
            self._arrived.append((number, message))
            waits = self.unhurried and isinstance(message, Frame)
            if not waits or len(self._arrived) >= TOGETHER * max(1, self.present):
                os.eventfd_write(self._signal, 1)


class DeviceFeed:
    """Sound cards' microphones by their numbers, each opened again whenever it has come back.

    One thread looks after all of them: to see a device that was plugged in PortAudio must be
    restarted, for which all must be closed.
    """

    def __init__(self, names: Mapping[int, str], clock: Clock) -> None:
        self._names, self._clock = names, clock
        self._watched: list[_Watched] = []
        self._tried_at_s = float("-inf")

    @property
    def described(self) -> str:
        """The devices that were chosen, and why others were passed over."""
        return "; ".join(w.microphone.described for w in self._watched if w.microphone.chosen)

    def run(self, deliver: Deliver, stopped: threading.Event) -> None:
        """Deliver frames from PortAudio's threads, which this thread watches."""
        now_s = self._clock()
        self._watched = self._watched or [
            _Watched(Microphone(name, number, partial(deliver, number), self._clock), number, now_s)
            for number, name in self._names.items()
        ]
        for watched in self._watched:
            watched.wake(now_s)
        self._open_missing(stopped)
        while not stopped.is_set():
            began_s = self._clock()
            if stopped.wait(LOOK_EVERY_S):
                break
            now_s = self._clock()
            for watched in self._watched:
                if now_s - began_s > SLEPT_S:
                    watched.wake(now_s)
                watched.microphone.look(now_s)
            self._open_missing(stopped)
            for watched in self._watched:
                for news in watched.news(self._clock()):
                    deliver(watched.number, news)
        for watched in self._watched:
            watched.microphone.close()

    def _open_missing(self, stopped: threading.Event) -> None:
        missing = [w for w in self._watched if not w.microphone.is_open]
        # A loudspeaker that is open lets go for this as soon as its reply is over.
        DEVICES.stale = DEVICES.stale or (bool(missing) and DEVICES.changed)
        if DEVICES.stale and not DEVICES.playing:
            missing = self._watched
            self._list_again()
        elif self._clock() - self._tried_at_s < self._pause_s(missing):
            return
        for watched in missing:
            if stopped.is_set():
                break
            taken = {w.microphone.chosen for w in self._watched if w.microphone.is_open}
            watched.open(taken, stopped)
        if missing:
            self._tried_at_s = self._clock()

    def _pause_s(self, missing: Iterable[_Watched]) -> float:
        soon = any(self._clock() - watched.heard_at_s < SOON_S for watched in missing)
        return TRY_EVERY_S if soon else TRY_LATER_S

    def _list_again(self) -> None:
        for watched in self._watched:
            watched.microphone.close()
        with suppress(AudioError):  # who opens a device next is told why there are none
            DEVICES.refresh()


class _Watched:
    """A microphone, and what was last told of it."""

    def __init__(self, microphone: Microphone, number: int, now_s: float) -> None:
        self.microphone, self.number = microphone, number
        self.heard_at_s = now_s
        self._present: bool | None = None
        self._fault = ""

    def wake(self, now_s: float) -> None:
        """Begin anew: after a pause, or a sleep, from which some drivers come back dumb."""
        self.microphone.close()
        self.heard_at_s = now_s

    def open(self, taken: Collection[str], stopped: threading.Event) -> None:
        """Open the microphone, if need be after the devices were listed again."""
        try:
            try:
                self.microphone.open(taken, stopped)
            except AudioError:
                if stopped.is_set() or not DEVICES.refresh():
                    raise
                self.microphone.open(taken, stopped)
        except AudioError as error:
            self._fault = error.message
        else:
            self._fault = ""

    def news(self, now_s: float) -> Iterator[DeviceChanged]:
        """What has changed since the last call, if anything has."""
        heard_at_s = self.microphone.heard_at_s
        if heard_at_s > self.heard_at_s:
            if self._present is False:
                yield self._changed(True, self.microphone.chosen, now_s)
            self._present, self.heard_at_s = True, heard_at_s
        elif self._present is not False and now_s - self.heard_at_s > TOLD_AFTER_S:
            self._present = False
            yield self._changed(False, self._fault or "no more sound came from it", now_s)

    def _changed(self, present: bool, detail: str, at_s: float) -> DeviceChanged:
        return DeviceChanged(device="microphone", present=present, detail=detail, at_s=at_s)
