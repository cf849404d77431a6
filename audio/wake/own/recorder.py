"""Records examples from the microphone: a phrase each, until the silence after it."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from types import TracebackType

import numpy as np

from assistant.core.errors import AudioError
from assistant.core.messages import AudioChunk, Commit, DeviceChanged, Frame
from assistant.core.settings.hearing import ListeningSettings
from audio.frames import Samples
from audio.listener import Listener
from audio.microphones.capture import Capture

PATIENCE_S = 10.0
"""Seconds in which somebody must have spoken."""


class ExampleRecorder:
    """The microphones `inputs`, open while it is a context."""

    def __init__(self, inputs: Sequence[str], settings: ListeningSettings) -> None:
        self._inputs, self._settings = inputs, settings

    def __enter__(self) -> ExampleRecorder:
        self._capture = Capture(self._inputs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._capture.close()

    def record(self) -> Samples:
        """The next that is spoken; nothing where nobody speaks for ten seconds.

        Raises `AudioError` where there is no microphone.
        """
        listener = Listener(self._settings, None)
        ends_s = time.monotonic() + PATIENCE_S
        self._capture.read()  # what was said before the question is no answer to it
        said: list[bytes] = []
        while time.monotonic() < ends_s or said:
            select.select([self._capture], [], [], 0.2)
            for message in self._capture.read():
                if isinstance(message, DeviceChanged) and not message.present:
                    raise AudioError("audio.no_device", f"no microphone: {message.detail}")
                if not isinstance(message, Frame):
                    continue
                for heard in listener.feed(message):
                    if isinstance(heard, AudioChunk):
                        said.append(heard.samples)
                    elif isinstance(heard, Commit):
                        return np.frombuffer(b"".join(said), np.int16)
        return np.zeros(0, np.int16)
