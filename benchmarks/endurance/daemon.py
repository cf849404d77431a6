"""The real daemon for long attacks: it keeps its folder and is restarted when it has died.

Without a sound card: a FIFO is the microphone and a folder the loudspeaker.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from assistant.control.client import ControlClient
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.errors import ControlError
from assistant.core.layout import CONTROL_SOCKET
from assistant.core.messages import BargeIn, Commit, Message, Transcript, Utterance
from assistant.serving.processes import STAGES, consumers

STARTUP_S = 90.0
STOP_S = 10.0
LOOK_EVERY_S = 0.05
OURS = "hark-"
PROC = Path("/proc")


class Daemon:
    """The daemon in `folder`, with further `settings` (TOML); it dies with this process."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.folder, self.log = folder, folder / "log"
        self.runtime, self.state, self.replies = (
            folder / name for name in ("runtime", "state", "replies")
        )
        self.microphone = folder / "microphone"
        self.control = ControlClient(self.runtime / CONTROL_SOCKET)
        self.config = folder / "config.toml"
        folder.mkdir(parents=True, exist_ok=True)
        self.runtime.mkdir(mode=0o700, exist_ok=True)
        self.config.write_text(
            f'[storage]\nstate = "{self.state}"\ncache = "{folder}/cache"\n'
            f'runtime = "{self.runtime}"\n'
            f'[audio]\ninput = "fifo:{self.microphone}"\noutput = "folder:{self.replies}"\n'
            f"{settings}",
            "utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        if self._process is None:
            raise ControlError("bench.not_started", "the daemon was not started")
        return self._process.pid

    def keep_up(self) -> bool:
        """Start it unless it runs, as systemd would; whether that was necessary."""
        if self._process is not None and self._process.poll() is None:
            return False
        command = (
            sys.executable,
            "-m",
            "benchmarks.endurance.untiring",
            str(self.config),
            str(os.getpid()),
        )
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        return True

    def stop(self) -> None:
        """Stop it in an orderly way."""
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_S)
            self._process.kill()
            self._process.wait()

    def processes(self) -> dict[str, int]:
        """The present processes' ids by name, with the supervisor and the zygote."""
        found = {"supervisor": self.pid}
        for zygote in _children(self.pid):
            found["zygote"] = zygote
            named = ((_name(pid), pid) for pid in _children(zygote))
            found |= {name: pid for name, pid in named if name not in ("", "zygote")}
        return found

    def tracebacks(self) -> tuple[str, ...]:
        """The last line of each traceback in the log; there should be none."""
        text = self.log.read_text("utf-8", "replace")
        return tuple(re.findall(r"^Traceback.*\n(?:[ \t].*\n|\n)*(.*)$", text, re.MULTILINE))

    def await_ready(self) -> None:
        """Wait until every process serves; raises `ControlError`."""
        until_s = time.monotonic() + STARTUP_S
        while time.monotonic() < until_s:
            with suppress(ControlError):
                told = self.control.ask("status")["processes"]
                if told and {p["state"] for p in told} <= {"ready", "degraded"}:
                    return
            time.sleep(LOOK_EVERY_S)
        raise ControlError("bench.not_ready", f"the daemon does not come to serve; see {self.log}")


class Ear:
    """Sends texts to the daemon as its listener would, and receives what it says of `wanted`.

    What it sends is shown to those who watch only where the daemon knows a process of that `name`.
    """

    def __init__(
        self, runtime: Path, wanted: tuple[type[Message], ...], name: str = "bench"
    ) -> None:
        with ExitStack() as opening:
            address = opening.enter_context(closing(Address(runtime)))
            self._bus = opening.enter_context(
                closing(Bus(name, address, (*STAGES, "control"), consumers(), wanted))
            )
            self._open = opening.pop_all()

    def say(self, utterance_id: str, text: str, timed: bool = False) -> float:
        """Have `text` understood and acted on; gives the time (CLOCK_BOOTTIME) at which it was
        sent.

        With `timed` the daemon measures its times, as where somebody has spoken.
        """
        at_s = boottime_s()
        if timed:
            self._bus.send(
                Utterance(
                    utterance_id=utterance_id,
                    revision=0,
                    wake_word="",
                    duration_s=0.0,
                    speech_s=0.0,
                    speech_ended_at_s=at_s,
                    at_s=at_s,
                )
            )
        self._bus.send(Transcript(utterance_id=utterance_id, revision=0, text=text, at_s=at_s))
        self._bus.send(Commit(utterance_id=utterance_id, revision=0, at_s=at_s))
        return at_s

    def cut(self, utterance_id: str) -> None:
        """End the reply to `utterance_id`, and everything that waits to be played after it."""
        self._bus.send(BargeIn(utterance_id=utterance_id, at_s=boottime_s()))

    def hear(self, until_s: float) -> Iterator[Message]:
        """The messages that come until CLOCK_MONOTONIC is at `until_s`."""
        while (left_s := until_s - time.monotonic()) > 0:
            yield from self._bus.receive(left_s)

    def close(self) -> None:
        """Stop receiving."""
        self._open.close()


def _children(pid: int) -> list[int]:
    with suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in (PROC / f"{pid}/task/{pid}/children").read_text().split()]
    return []


def _name(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        name = (PROC / f"{pid}/comm").read_text().strip()
        return name.removeprefix(OURS) if name.startswith(OURS) else ""
    return ""
