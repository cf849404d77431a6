"""Outputs for sound: a device, a folder of WAV files, or none. All take real time."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import numpy as np
import soundfile

from assistant.core.errors import AudioError
from assistant.core.files import replace_file
from audio.devices import DEVICES
from audio.frames import Samples

FOLDER = "folder:"
NOWHERE = "none"
FILE_RATE_HZ = 22_050
DEVICE_LATENCY_S = 0.08
LONGEST_NAME = 200


class Loudspeaker(Protocol):
    """Takes mono int16 of `rate_hz`; what is written is heard `latency_s` later."""

    rate_hz: int
    latency_s: float

    def write(self, samples: Samples, utterance_id: str) -> None:
        """Play `samples`, and return when there is room for more; raises `AudioError`."""

    def finish(self, utterance_id: str) -> None:
        """The reply is over, played or not."""

    def abort(self) -> None:
        """Stop playing at once."""

    def close(self) -> None:
        """Release the device."""


def open_loudspeaker(output: str) -> Loudspeaker:
    """The loudspeaker of the setting `audio.output`; raises `AudioError` when there is none."""
    if output == NOWHERE:
        return SilentLoudspeaker()
    if output.startswith(FOLDER):
        return FolderLoudspeaker(Path(output.removeprefix(FOLDER)).expanduser())
    return DeviceLoudspeaker(output)


class DeviceLoudspeaker:
    """A sound card's output."""

    def __init__(self, name: str) -> None:
        try:
            device = DEVICES.find(name, "output")[0]
            self._stream: Any = DEVICES.open("output", device, latency=DEVICE_LATENCY_S)
        except AudioError:
            DEVICES.stale = True
            raise
        self.rate_hz, self._channels = device.rate_hz, device.channels
        self.latency_s = float(self._stream.latency)

    def write(self, samples: Samples, utterance_id: str) -> None:
        """Play `samples`, and return when there is room for more."""
        block = np.repeat(samples[:, np.newaxis], self._channels, axis=1)
        DEVICES.write(self._stream, np.ascontiguousarray(block))

    def finish(self, utterance_id: str) -> None:
        """Nothing is kept."""

    def abort(self) -> None:
        """Fall silent at once."""
        DEVICES.silence(self._stream)

    def close(self) -> None:
        """Let go of the device."""
        DEVICES.close(self._stream)


class SilentLoudspeaker:
    """Takes as long as a device would."""

    rate_hz = FILE_RATE_HZ
    latency_s = 0.0

    def __init__(self) -> None:
        self._due_s = time.monotonic()

    def write(self, samples: Samples, utterance_id: str) -> None:
        """Let the time of `samples` pass."""
        now_s = time.monotonic()
        self._due_s = max(self._due_s, now_s - 0.1) + len(samples) / self.rate_hz
        time.sleep(max(0.0, self._due_s - now_s))

    def finish(self, utterance_id: str) -> None:
        """Nothing is kept."""

    def abort(self) -> None:
        """Nothing sounds."""

    def close(self) -> None:
        """Nothing is held."""


class FolderLoudspeaker(SilentLoudspeaker):
    """Writes each reply to `<utterance_id>.wav`, whole or not at all."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AudioError("audio.folder", f"{folder}: {error.strerror}") from error
        self._folder = folder
        self._replies: dict[str, list[Samples]] = {}

    def write(self, samples: Samples, utterance_id: str) -> None:
        """Keep what belongs to a reply, and let its time pass."""
        if utterance_id:
            self._replies.setdefault(utterance_id, []).append(samples)
        super().write(samples, utterance_id)

    def finish(self, utterance_id: str) -> None:
        """Write the reply's file."""
        blocks = self._replies.pop(utterance_id, None)
        if blocks is None:
            return
        # An id is whatever a message says; none names a file outside the folder.
        target = self._folder / f"{quote(utterance_id, safe='')[:LONGEST_NAME]}.wav"
        wav = io.BytesIO()
        soundfile.write(wav, np.concatenate(blocks), self.rate_hz, format="WAV")
        try:
            replace_file(target, wav.getvalue(), durable=False)
        except OSError as error:
            raise AudioError("audio.folder", f"{target}: cannot be written: {error}") from error
