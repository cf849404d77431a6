"""A process that captures from a virtual sound card and tells of every frame.

It is a process of its own, as PortAudio finds the card by the environment of its process, and so
that it can be stopped as a machine that sleeps stops it. SIGUSR1 lets its clock jump by an hour,
SIGUSR2 pauses it or lets it go on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import NamedTuple

from tests.support.virtual_sound import VirtualSound

CAPTURING = """
import select, signal, sys
from assistant.core.messages import DeviceChanged, Frame
from assistant.core.clock import boottime_s
from audio.microphones.capture import Capture
from audio.vad import dbfs
ahead = [0.0]
signal.signal(signal.SIGUSR1, lambda *_: ahead.append(3600.0))
capture = Capture(sys.argv[1:], lambda: boottime_s() + ahead[-1])
def turn(*_):
    turning.append(True)
turning = []
signal.signal(signal.SIGUSR2, turn)
poll = select.poll()
poll.register(capture.fileno(), select.POLLIN)
while True:
    poll.poll(20)
    while turning:
        (capture.resume if capture.paused else capture.pause)()
        turning.pop()
        print(f"{boottime_s():.3f} {'paused' if capture.paused else 'resumed'} 0 -", flush=True)
    for message in capture.read():
        if isinstance(message, DeviceChanged):
            what = "back" if message.present else "gone"
            told = f"{what} {message.others} {message.detail}"
        else:
            level = "loud" if dbfs(message.samples) > -40 else "quiet"
            told = f"{level} {message.microphone} {capture.described}"
        print(f"{boottime_s():.3f} {told}", flush=True)
"""


class Told(NamedTuple):
    """A line of the process: a frame that is "loud" or "quiet", or a microphone "gone" or "back".

    `number` is the frame's microphone, or how many others there are. `detail` is of the news, or
    which devices were chosen.
    """

    at_s: float
    what: str
    number: int
    detail: str


class Hearing:
    """Captures from `inputs`, as the setting `audio.input` lists them."""

    def __init__(self, card: VirtualSound, *inputs: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CAPTURING, *inputs],
            env=card.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def next(self, *what: str, since_s: float = 0.0, number: int | None = None) -> Told:
        """The next line of that kind, and of that `number`, of those since a time."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            at_s, kind, of, detail = line.rstrip("\n").split(" ", 3)
            told = Told(float(at_s), kind, int(of), detail)
            if kind in what and told.at_s > since_s and number in (None, told.number):
                return told
        raise AssertionError(f"it ended without {what}")

    def stop(self) -> None:
        """Stop the process, as a machine that goes to sleep does."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        os.kill(self._process.pid, signal.SIGCONT)

    def pause(self) -> None:
        """Have the devices closed; returns when they are."""
        os.kill(self._process.pid, signal.SIGUSR2)
        self.next("paused")

    def resume(self) -> None:
        """Have the devices opened again."""
        os.kill(self._process.pid, signal.SIGUSR2)
        self.next("resumed")

    def let_clock_jump(self) -> None:
        """Let an hour pass by its clock."""
        os.kill(self._process.pid, signal.SIGUSR1)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
