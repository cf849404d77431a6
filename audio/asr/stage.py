"""The recognition stage: sound in while the person speaks, the transcript when they are done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import AudioChunk, Message, Transcript, Utterance
from audio.asr.recognizer import Recognizer
from audio.asr.strip import without_wake_word


class AsrStage:
    """Transcribes one utterance at a time; a new one takes the place of one that never ended.

    Speech may go on after an early revision: then the whole utterance is recognised once more.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (AudioChunk, Utterance)

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self._hearing = ""
        self._running = False
        self._heard: list[NDArray[np.int16]] = []

    def feed(self, message: Message) -> Iterator[Message]:
        """Hand a chunk on, or give the transcript of an utterance that is over."""
        if isinstance(message, AudioChunk):
            self._listen(message)
        elif isinstance(message, Utterance) and message.utterance_id == self._hearing:
            yield self._transcribe(message)

    def deadline_s(self) -> float | None:
        """Never: nothing here waits."""
        return None

    def _listen(self, chunk: AudioChunk) -> None:
        if chunk.utterance_id != self._hearing:
            self._hearing, self._running, self._heard = chunk.utterance_id, False, []
        self._heard.append(np.frombuffer(chunk.samples, np.int16))
        self._run(self._heard if not self._running else self._heard[-1:])

    def _run(self, sound: list[NDArray[np.int16]]) -> None:
        if not self._running:
            self._recognizer.start()
            self._running = True
        for samples in sound:
            self._recognizer.feed(samples)

    def _transcribe(self, utterance: Utterance) -> Transcript:
        if not self._running:  # a revision without new sound
            self._run(self._heard)
        self._running = False
        heard = without_wake_word(self._recognizer.finish(), utterance.wake_word)
        return Transcript(
            utterance_id=utterance.utterance_id,
            revision=utterance.revision,
            text=heard.text,
            words=heard.words,
            alternatives=heard.alternatives,
            engine=heard.engine,
        )
