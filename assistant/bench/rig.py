"""The real daemon with files instead of a sound card, in a state directory of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.control.client import ControlClient
from assistant.core.errors import ControlError
from assistant.core.layout import CONTROL_SOCKET
from audio.frames import Samples

STARTUP_S = 180.0
STOP_S = 10.0
LOOK_EVERY_S = 0.02
SERVING = {"ready", "degraded"}
HOPELESS_RESTARTS = 3


@dataclass(frozen=True)
class Rig:
    """A daemon that listens; `ready_s` is how long its start took.

    After `wake_s` of that it waited for a wake word.
    """

    process: subprocess.Popen[bytes]
    control: ControlClient
    microphone: Path
    state_dir: Path
    ready_s: float
    wake_s: float = 0.0

    @property
    def config(self) -> Path:
        """The settings' file."""
        return self.microphone.with_name("config.toml")

    @property
    def log(self) -> Path:
        """Everything that the daemon's processes wrote."""
        return self.microphone.with_name("log")

    def play(self, sound: Samples) -> None:
        """Speak `sound` (16 kHz mono) into the microphone; returns up to 2 s before its end."""
        with self.microphone.open("wb") as fifo:
            fifo.write(sound.tobytes())


@contextlib.contextmanager
def running_daemon(
    home: str = "", settings: str = "", cache: Path | None = None, models: Path | None = None
) -> Iterator[Rig]:
    """Start `assistant run` in a `home` (YAML) with further `settings` (TOML); stop it at the end.

    Without a `cache` of earlier starts it is the very first. It has what was pulled into the folder
    `models`. Raises `ControlError` with the log's last line when it does not start listening.
    """
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as name:
        folder = Path(name)
        began_s = time.monotonic()
        process = _start(folder, home, settings, cache or folder / "cache", models)
        try:
            control = ControlClient(folder / "runtime" / CONTROL_SOCKET)
            wake_s = _await(process, control, folder, {"audio"}) - began_s
            ready_s = _await(process, control, folder) - began_s
            yield Rig(process, control, folder / "microphone", folder / "state", ready_s, wake_s)
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start(
    folder: Path, home: str, settings: str, cache: Path, models: Path | None
) -> subprocess.Popen[bytes]:
    (folder / "home.yaml").write_text(home, "utf-8")
    config = folder / "config.toml"
    config.write_text(
        f'[storage]\nstate = "{folder}/state"\ncache = "{cache}"\n'
        f'runtime = "{folder}/runtime"\nmodels = "{models.absolute() if models else ""}"\n'
        f'[audio]\ninput = "fifo:{folder}/microphone"\noutput = "folder:{folder}/replies"\n'
        f'[home]\nfile = "{folder}/home.yaml"\n{settings}',
        "utf-8",
    )
    command = (sys.executable, "-m", "assistant", "run", "--config", str(config))
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _await(
    process: subprocess.Popen[bytes],
    control: ControlClient,
    folder: Path,
    awaited: Collection[str] = (),
) -> float:
    """The time at which all processes serve, or those `awaited`."""
    deadline_s = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline_s and process.poll() is None:
        with contextlib.suppress(ControlError):
            processes = control.ask("status")["processes"]
            states = {p["state"] for p in processes if not awaited or p["name"] in awaited}
            if states and states <= SERVING:
                return time.monotonic()
            if any(p["restarts"] >= HOPELESS_RESTARTS for p in processes):
                break
        time.sleep(LOOK_EVERY_S)
    reason = _reason((folder / "log").read_text("utf-8", "replace").splitlines())
    raise ControlError("bench.not_ready", f"the daemon did not come to listen; it said: {reason}")


def _reason(log: list[str]) -> str:
    """What a process reported at its end, or else the last line."""
    return next((line for line in reversed(log) if " CRITICAL " in line), (log or ["nothing"])[-1])
