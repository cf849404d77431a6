"""The workers of a batch: recognition and answers, each in as many processes as are wanted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from assistant.answer.answerer import NOTHING_FOUND
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.errors import AnswerError, InputError
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    Found,
    Question,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
)
from assistant.core.messages import Spoken as SpokenMessage
from assistant.core.settings.hub import HubSettings
from assistant.pool.local import LocalPool, LocalStage
from assistant.pool.pool import Pool
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape
from assistant.pool.scaling import ScalingPolicy
from assistant.serving.answering import reading_stage
from audio.asr.stage import AsrStage
from audio.frames import frames_of

WORKERS = min(os.cpu_count() or 1, 4)
"""Processes that answer, unless another number is wished."""
ANSWER_TOKENS = 24
"""Tokens that an answer takes at the median."""
CHUNK_SAMPLES = 20 * SAMPLE_RATE_HZ
"""A queue of the bus holds 256 messages: so many chunks are more than an hour."""


class Reply(NamedTuple):
    """An answer and what it rests on."""

    text: str
    found: Found


class AnswersQuestions(Protocol):
    """Answers questions and writes recordings down; what is asked is worked on until it is read."""

    def answer(self, question: str) -> Callable[[], Reply]:
        """Begin with a question; what is returned waits for its answer."""

    def transcribe(self, recording: Path) -> Callable[[], str]:
        """Begin with a recording; what is returned waits for its text."""


class Workers:
    """The workers, in `pool`."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._numbers = pool, count()

    def answer(self, question: str) -> Callable[[], Reply]:
        """Begin with a question; what is returned waits for its answer, or raises `AnswerError`."""
        name = f"asked-{next(self._numbers)}"
        asked = Question(
            utterance_id=name,
            text=question,
            area=name,  # so that no question goes on from another one
            fallback=NOTHING_FOUND,
            wording="late",  # as nobody waits for it
        )
        shape = RequestShape(tokens=ANSWER_TOKENS)
        stream = self._pool.run("answer", PoolRequest(messages=(asked,), shape=shape))

        def wait() -> Reply:
            *_, last = stream
            if not isinstance(last, SpokenReply):
                raise _fault(last)
            return Reply(last.text, last.found or Found(tier="declined"))

        return wait

    def transcribe(self, recording: Path) -> Callable[[], str]:
        """Begin with a recording; what is returned waits for its text, or raises `AnswerError`."""
        messages = tuple(_said(f"heard-{next(self._numbers)}", recording))
        shape = RequestShape(tokens=len(messages))
        stream = self._pool.run("asr", PoolRequest(messages=messages, shape=shape))

        def wait() -> str:
            *_, last = stream
            if not isinstance(last, Transcript):
                raise _fault(last)
            return last.text

        return wait


def start(config: Config, index: Path, workers: int, recordings: bool) -> LocalPool:
    """The processes of a batch; those of recognition only where there are `recordings`."""
    policy = ScalingPolicy(least=workers, most=workers)
    own = msgspec.structs.replace(config, hub=HubSettings())  # files stay here
    answering = LocalStage(partial(reading_stage, own, index), policy)
    stages = {"answer": answering}
    if recordings:
        hearing = LocalStage(partial(_hearing, config), policy, most_held=2, in_slices=False)
        stages["asr"] = hearing
    return LocalPool(stages, preload=(__name__,))


def _hearing(config: Config) -> AsrStage:
    return Composition(config).asr()


def _said(name: str, recording: Path) -> Iterator[SpokenMessage]:
    """What a listener sends of an utterance that is a whole recording."""
    sound = b"".join(frames_of(recording))
    size = CHUNK_SAMPLES * np.dtype(np.int16).itemsize
    for number, at in enumerate(range(0, len(sound), size)):
        yield AudioChunk(utterance_id=name, sequence=number, samples=sound[at : at + size])
    length_s = len(sound) / (SAMPLE_RATE_HZ * np.dtype(np.int16).itemsize)
    yield Utterance(
        utterance_id=name,
        revision=0,
        wake_word="",
        duration_s=length_s,
        speech_s=length_s,
        speech_ended_at_s=length_s,
        dictated=True,
    )


def check_recording(recording: Path) -> None:
    """Raise `InputError` unless a recording can be opened."""
    frames_of(recording)


def _fault(last: object) -> AnswerError | InputError:
    if isinstance(last, StageFailed):
        return AnswerError(last.code, last.message)
    return AnswerError("batch.reply", f"a worker replied with a {type(last).__name__}")
