"""PortAudio, shared by microphone and loudspeaker.

It lists the devices once, when it starts. To see a device that was plugged in later it must be
restarted, which ends all open streams. So all streams are opened and closed here.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import AudioError

# A sound server offers 32 channels where there are one or two.
MOST_CHANNELS = 2


class SoundDevices:
    """The one PortAudio of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[Any] = []
        self.stale = False
        """Whether a device was missing from a list that may be old."""

    def find(self, name: str, kind: Literal["input", "output"]) -> tuple[int, int, int]:
        """Index, native rate in Hz and channel count of the device whose name contains `name`.

        "default" is the system's. Raises `AudioError` that names the devices there are.
        """
        sound = _portaudio()
        wanted = None if name == "default" else name.casefold()
        try:
            with self._lock:
                if wanted is None:
                    return _described(sound.query_devices(kind=kind), kind)
                devices = [d for d in sound.query_devices() if d[f"max_{kind}_channels"] > 0]
        except (sound.PortAudioError, ValueError) as error:
            raise AudioError("audio.no_device", f"no {kind} device: {error}") from error
        for device in devices:
            if wanted in device["name"].casefold():
                return _described(device, kind)
        there = ", ".join(device["name"] for device in devices) or "none"
        message = f'no {kind} device is called "{name}"; set audio.{kind} to one of: {there}'
        raise AudioError("audio.no_device", message)

    def open(self, kind: Literal["InputStream", "OutputStream"], **settings: Any) -> Any:
        """A started stream; raises `AudioError`."""
        sound = _portaudio()
        with self._lock:
            try:
                stream = getattr(sound, kind)(**settings)
                stream.start()
            except (sound.PortAudioError, ValueError) as error:
                raise AudioError("audio.cannot_open", f"{kind} cannot be had: {error}") from error
            self._open.append(stream)
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
            if stream in self._open:
                self._open.remove(stream)

    def refresh(self) -> bool:
        """List the devices again; False when another stream is open, which this would end."""
        sound = _portaudio()
        with self._lock:
            if self._open:
                return False
            self.stale = False
            sound._terminate()
            sound._initialize()
        return True


def _described(device: Any, kind: str) -> tuple[int, int, int]:
    channels = min(int(device[f"max_{kind}_channels"]), MOST_CHANNELS)
    return int(device["index"]), int(device["default_samplerate"]), channels


def _portaudio() -> ModuleType:
    # Importing it starts PortAudio, whose threads must not exist before the daemon forks.
    try:
        import sounddevice
    except OSError as error:
        message = f"PortAudio is missing ({error}): install the package libportaudio2"
        raise AudioError("audio.no_portaudio", message) from error
    return sounddevice


DEVICES = SoundDevices()
