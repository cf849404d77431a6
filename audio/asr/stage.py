"""The recognition stage: sound in while the person speaks, the transcript when they are done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from assistant.core.messages import AudioChunk, Message, Transcript, Utterance
from audio.asr.recognizer import Recognizer


class AsrStage:
    """Transcribes one utterance at a time; a new one takes the place of one that never ended."""

    consumes: ClassVar[tuple[type[Message], ...]] = (AudioChunk, Utterance)

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self._hearing = ""

    def feed(self, message: Message) -> Iterator[Message]:
        """Hand a chunk on, or give the transcript of an utterance that is over."""
        if isinstance(message, AudioChunk):
            if message.utterance_id != self._hearing:
                self._recognizer.start()
                self._hearing = message.utterance_id
            self._recognizer.feed(np.frombuffer(message.samples, np.int16))
        elif isinstance(message, Utterance) and message.utterance_id == self._hearing:
            self._hearing = ""
            heard = self._recognizer.finish()
            text = heard.text.removeprefix(message.wake_word).strip()
            yield Transcript(
                utterance_id=message.utterance_id,
                revision=message.revision,
                text=text,
                words=heard.words,
                alternatives=heard.alternatives,
                engine=heard.engine,
            )

    def deadline_s(self) -> float | None:
        """Never: nothing here waits."""
        return None
