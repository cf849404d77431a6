"""PortAudio, shared by microphone and loudspeaker.

It lists the devices once, when it starts. To see a device that was plugged in later it must be
restarted, which ends all open streams. So all streams are opened and closed here.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import AudioError

DEFAULT = "default"
# A sound server offers 32 channels where there are one or two.
MOST_CHANNELS = 2
HARDWARE = (Path("/dev/snd"), Path("/proc/asound/cards"))
"""What changes when a sound card comes or goes."""

Kind = Literal["input", "output"]


@dataclass(frozen=True)
class Device:
    """A device as PortAudio lists it."""

    index: int
    name: str
    rate_hz: int
    claimed_channels: int
    """Channels that it says it has, which may be more than there are."""
    default: bool = False
    """Whether it is the system's."""

    @property
    def channels(self) -> int:
        """Channels to open it with."""
        return min(self.claimed_channels, MOST_CHANNELS)


class SoundDevices:
    """The one PortAudio of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Any, Kind] = {}
        self._seen = _hardware()
        self.stale = False
        """Whether a device was missing from a list that may be old."""

    def find(self, name: str, kind: Kind) -> list[Device]:
        """The devices of which the name contains `name`, one with that very name first.

        "default" is every device, the system's first. Raises `AudioError` that names the devices
        there are.
        """
        devices = self._listed(kind)
        if name == DEFAULT:
            found = sorted(devices, key=lambda device: not device.default)
        else:
            wanted = name.casefold()
            found = [device for device in devices if wanted in device.name.casefold()]
            found.sort(key=lambda device: device.name.casefold() != wanted)
        if not found:
            there = ", ".join(device.name for device in devices) or "none"
            message = f'no {kind} device is called "{name}"; set audio.{kind} to one of: {there}'
            raise AudioError("audio.no_device", message)
        return found

    def open(self, kind: Kind, device: Device, **settings: Any) -> Any:
        """A started stream of int16; raises `AudioError`."""
        sound = _portaudio()
        make = sound.InputStream if kind == "input" else sound.OutputStream
        with self._lock:
            try:
                stream = make(
                    device=device.index,
                    samplerate=device.rate_hz,
                    channels=device.channels,
                    dtype="int16",
                    **settings,
                )
                stream.start()
            except (sound.PortAudioError, ValueError) as error:
                message = f"{device.name} cannot be opened: {error}"
                raise AudioError("audio.cannot_open", message) from error
            self._open[stream] = kind
        return stream

    def write(self, stream: Any, block: NDArray[np.int16]) -> None:
        """Play `block`, of shape (n, channels), when there is room; raises `AudioError`."""
        try:
            stream.write(block)
        except _portaudio().PortAudioError as error:
            raise AudioError("audio.lost", f"the loudspeaker went away: {error}") from error

    def silence(self, stream: Any) -> None:
        """Discard what was written and not played yet; raises `AudioError`."""
        try:
            stream.abort()
            stream.start()
        except _portaudio().PortAudioError as error:
            raise AudioError("audio.lost", f"the loudspeaker went away: {error}") from error

    def close(self, stream: Any) -> None:
        """Close a stream, even if its device is gone."""
        with self._lock:
            stream.abort(ignore_errors=True)
            stream.close(ignore_errors=True)
            self._open.pop(stream, None)

    @property
    def playing(self) -> bool:
        """Whether a loudspeaker is open."""
        return "output" in self._open.values()

    @property
    def changed(self) -> bool:
        """Whether a sound card has come or gone since the devices were listed."""
        return _hardware() != self._seen

    def refresh(self) -> bool:
        """List the devices again; False when a stream is open, which this would end.

        Raises `AudioError` when PortAudio does not start, as with a faulty .asoundrc.
        """
        sound = _portaudio()
        with self._lock:
            if self._open:
                return False
            self.stale = False
            self._seen = _hardware()
            try:
                if sound._initialized:
                    sound._terminate()
                sound._initialize()
            except sound.PortAudioError as error:
                message = f"PortAudio does not start again: {error}"
                raise AudioError("audio.no_portaudio", message) from error
        return True

    def _listed(self, kind: Kind) -> list[Device]:
        sound = _portaudio()
        try:
            with self._lock:
                chosen = sound.default.device[kind]
                return [
                    Device(
                        index=int(device["index"]),
                        name=device["name"],
                        rate_hz=int(device["default_samplerate"]),
                        claimed_channels=int(device[f"max_{kind}_channels"]),
                        default=device["index"] == chosen,
                    )
                    for device in sound.query_devices()
                    if device[f"max_{kind}_channels"] > 0
                ]
        except (sound.PortAudioError, ValueError) as error:
            raise AudioError("audio.no_device", f"no {kind} device: {error}") from error


def _hardware() -> tuple[str, ...]:
    """The sound cards and their devices, as the kernel shows them."""
    nodes, cards = HARDWARE
    seen: list[str] = []
    with suppress(OSError):
        seen += sorted(os.listdir(nodes))
    with suppress(OSError):
        seen.append(cards.read_text("utf-8", "replace"))
    return tuple(seen)


def _portaudio() -> ModuleType:
    # Importing it starts PortAudio, whose threads must not exist before the daemon forks.
    try:
        import sounddevice
    except OSError as error:
        message = f"PortAudio is missing ({error}): install the package libportaudio2"
        raise AudioError("audio.no_portaudio", message) from error
    return sounddevice


DEVICES = SoundDevices()
