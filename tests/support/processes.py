"""Processes for the supervisor's tests, and a supervisor to run them under (`python processes.py`).

Light on purpose: every test imports this file in several processes.
"""

from __future__ import annotations

import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from assistant.core.errors import AudioError, ConfigError
from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.core.messages import Reload
from assistant.supervision.channel import encode
from assistant.supervision.heartbeat import Heartbeat
from assistant.supervision.logs import set_up
from assistant.supervision.process import Patience, ProcessSpec
from assistant.supervision.sdnotify import Notifier
from assistant.supervision.supervisor import Supervisor

BEAT_S = 0.02
DEADLINE_S = 60.0

T = TypeVar("T")


def until(what: Callable[[], T]) -> T:
    """The first true value of `what`, which is asked again and again until the deadline."""
    end_s = time.monotonic() + DEADLINE_S
    while not (value := what()):
        assert time.monotonic() < end_s, "deadline passed"
        time.sleep(0.01)
    return value


class Plan(msgspec.Struct):
    """What the supervisor under test is to run."""

    processes: list[ProcessSpec]
    patience: Patience
    preload: list[str] = []


def works(heartbeat: Heartbeat, *_: str) -> None:
    """Beat for ever."""
    while True:
        heartbeat.beat()
        time.sleep(BEAT_S)


def toils(heartbeat: Heartbeat) -> None:
    """Beat for ever, each time after a tenth of a second of work."""
    while True:
        heartbeat.beat()
        until_s = time.process_time() + 0.1
        while time.process_time() < until_s:
            pass


def stubborn(heartbeat: Heartbeat) -> None:
    """Beat for ever, deaf to SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    works(heartbeat)


def crashes(_: Heartbeat) -> None:
    """Fail at once."""
    raise AudioError("audio.none", "no microphone is attached; plug one in")


def breaks(_: Heartbeat) -> None:
    """Fail as a library in C does."""
    signal.raise_signal(signal.SIGSEGV)


def has_wrong_settings(heartbeat: Heartbeat, unless: str) -> None:
    """Refuse the settings, unless there is that file."""
    if not Path(unless).exists():
        raise ConfigError("wake.unknown_keyword", 'no engine listens for "xyzzy"')
    works(heartbeat)


def crashes_until(heartbeat: Heartbeat, file: str) -> None:
    """Fail at once until `file` exists."""
    if not Path(file).exists():
        sys.exit(3)
    works(heartbeat)


def hangs(_: Heartbeat) -> None:
    """Never beat."""
    time.sleep(3600)


def hangs_later(heartbeat: Heartbeat) -> None:
    """Beat once and no more."""
    heartbeat.beat("degraded", "no network")
    time.sleep(3600)


def leaks(heartbeat: Heartbeat, what: str, asked: str = "obeys") -> None:
    """Hold ever more memory, or files; ends when asked to, unless it `ignores` that."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN if asked == "ignores" else lambda *_: sys.exit(0))
    held: list[object] = []
    while True:
        held.append(b"\1" * 2_000_000 if what == "memory" else socket.socket())
        heartbeat.beat()
        time.sleep(BEAT_S)


def chatters(heartbeat: Heartbeat) -> None:
    """Say what is no beat, and work."""
    assert heartbeat.line is not None
    heartbeat.line.send(b"hello?")
    works(heartbeat)


def asks(heartbeat: Heartbeat) -> None:
    """Have the supervisor reload, as the control process does, and work."""
    assert heartbeat.line is not None
    heartbeat.beat()
    heartbeat.line.send(encode(Reload()))
    works(heartbeat)


def publishes(heartbeat: Heartbeat, file: str) -> None:
    """Be the control process: append all news to `file`, one JSON value a line."""
    assert heartbeat.line is not None
    with Path(file).open("ab", buffering=0) as log:
        while True:
            heartbeat.beat()
            try:
                log.write(heartbeat.line.recv(LARGEST_PACKET_BYTES) + b"\n")
            except BlockingIOError:
                time.sleep(BEAT_S)


def main() -> int:
    """Supervise as the plan on the command line says."""
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    set_up("supervisor", "info")
    Path(sys.argv[2]).write_text(",".join(sys.modules))
    return Supervisor(
        plan.processes, plan.preload, patience=plan.patience, notifier=Notifier.from_environment()
    ).run()


if __name__ == "__main__":
    sys.exit(main())
