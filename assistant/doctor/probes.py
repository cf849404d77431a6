"""Probes of the machine as it is now, for `assistant doctor`."""

from __future__ import annotations

import importlib.util
import math
import os
import select
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from assistant.control.client import ControlClient
from assistant.core.errors import AudioError, ControlError
from assistant.core.messages import DeviceChanged, Frame
from audio.devices import DEVICES
from audio.frames import FRAME_S
from audio.loudspeaker import open_loudspeaker
from audio.microphones.capture import FIFO, Capture
from audio.tts.select import Tiers
from skills.later.evidence import Evidence, clock_evidence, kernel_synchronised

SILENCE_DBFS = -120.0
LISTEN_S, WITHIN_S = 1.0, 8.0


@dataclass(frozen=True)
class Microphone:
    """The level of a microphone."""

    rms_dbfs: float
    by_daemon: bool = False
    """Whether the running daemon measured it."""
    devices: str = ""
    """The devices that were chosen, and why others were passed over."""


@dataclass(frozen=True)
class SpeechProbe:
    """The synthesis of one sentence by `engine`."""

    engine: str
    worked_s: float
    """Seconds that the synthesis took."""
    sound_s: float
    """Seconds that the sentence lasts."""
    refusals: Mapping[str, str] = field(default_factory=dict)
    """Engine → why it could not be used, and the remedy."""


@dataclass(frozen=True)
class FolderProbe:
    """A folder that exists or will be made; `fault` says why nothing can be written there."""

    path: Path
    free_bytes: int
    fault: str = ""


@dataclass(frozen=True)
class Session:
    """Number of sound cards, whether this user may use them, and running sound servers."""

    cards: int
    permitted: bool
    servers: tuple[str, ...] = ()


def microphone(inputs: Sequence[str]) -> Microphone:
    """Listen to the microphones of `inputs` for a second; raises `AudioError`."""
    for name in inputs:
        if not name.startswith(FIFO):
            DEVICES.find(name, "input")
    capture = Capture(inputs)
    frames: list[bytes] = []
    why = f"no sound came within {WITHIN_S:.0f} s"
    try:
        end_s = time.monotonic() + WITHIN_S
        while len(frames) * FRAME_S < LISTEN_S and time.monotonic() < end_s:
            select.select([capture], [], [], max(0.0, end_s - time.monotonic()))
            for message in capture.read():
                if isinstance(message, DeviceChanged) and not message.present:
                    # A sound server may need a second attempt to wake its device.
                    why = message.detail
                elif isinstance(message, Frame):
                    frames.append(message.samples)
    finally:
        capture.close()
    if not frames:
        raise AudioError("audio.silent", why)
    samples = np.frombuffer(b"".join(frames), np.int16).astype(np.float64) / 32768
    rms = float(np.sqrt(np.mean(samples**2)))
    level_dbfs = 20 * math.log10(rms) if rms > 0 else SILENCE_DBFS
    return Microphone(level_dbfs, devices=capture.described)


def microphone_of_daemon(socket: Path) -> Microphone:
    """The level that the running daemon measures; raises `ControlError` when none runs."""
    devices = ""
    for event in ControlClient(socket).follow("watch", WITHIN_S):
        if event.get("type") == "Status":
            details = {one["name"]: one["detail"] for one in event["processes"]}
            devices = details.get("audio", "")
        elif event.get("type") == "Level":
            return Microphone(float(event["rms_dbfs"]), by_daemon=True, devices=devices)
    raise ControlError("control.silent", f"the daemon at {socket} hears nothing")


def loudspeaker(device: str) -> int:
    """Open and close `device`, and return its rate in Hz; raises `AudioError`."""
    opened = open_loudspeaker(device)
    opened.close()
    return opened.rate_hz


def speech(voice: Tiers) -> SpeechProbe:
    """Time `voice` as it synthesises a sentence; raises `SpeakingError`."""
    began_s = time.perf_counter()
    samples = voice.synthesise("The doctor is listening to my voice.")
    worked_s = time.perf_counter() - began_s
    return SpeechProbe(voice.name, worked_s, samples.duration_s, voice.refusals)


def installed(package: str) -> bool:
    """Whether the Python package could be imported."""
    return importlib.util.find_spec(package) is not None


def folder(path: Path) -> FolderProbe:
    """Try to write to `path`, or to where it would be made."""
    there = next(p for p in (path, *path.parents) if os.path.exists(p))
    try:
        with TemporaryFile(dir=there) as file:
            file.write(b"x")
    except OSError as error:
        return FolderProbe(path, shutil.disk_usage(there).free, error.strerror or str(error))
    return FolderProbe(path, shutil.disk_usage(there).free)


def clock() -> Evidence:
    """Ask systemd about network time, which sees more than the daemon, and then as that does."""
    told = _output("timedatectl", "show", "--property=NTPSynchronized", "--value")
    return clock_evidence(synchronised=lambda: told == "yes" or kernel_synchronised())


def unit() -> str:
    """The state of `assistant.service`, as systemd calls it; "" when there is no such unit."""
    state = _output("systemctl", "show", "--property=LoadState,ActiveState", "assistant.service")
    values = dict(line.split("=", 1) for line in state.splitlines() if "=" in line)
    return values.get("ActiveState", "") if values.get("LoadState") == "loaded" else ""


def session() -> Session:
    """Look for sound cards and for the sockets of sound servers."""
    devices = list(Path("/dev/snd").glob("pcm*")) if Path("/dev/snd").is_dir() else []
    permitted = all(os.access(device, os.R_OK | os.W_OK) for device in devices)
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"))
    sockets = {"PipeWire": runtime / "pipewire-0", "PulseAudio": runtime / "pulse" / "native"}
    servers = tuple(name for name, socket in sockets.items() if socket.exists())
    # A card has several PCM devices, named pcmC<card>D<device><direction>.
    return Session(len({d.name.split("D")[0] for d in devices}), permitted, servers)


def spare_memory_bytes() -> int:
    """The kernel's estimate of the memory available without swapping."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
