"""What each call asks of the stages, as messages, and what it gives back of theirs."""

from __future__ import annotations

import math
import secrets
import wave
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Protocol

import msgspec

from assistant.answer.generation.stage import CHARACTERS_A_TOKEN
from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError, InputError
from assistant.core.files import in_memory
from assistant.core.layout import ASR
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    Interpretation,
    Message,
    Question,
    Speech,
    Spoken,
    SpokenReply,
    StageFailed,
    Summarise,
    Transcript,
    Utterance,
)
from assistant.hub.observation.figures import StageLoad
from assistant.hub.observation.watch import asking
from assistant.hub.stages import ANSWER, NLU, VOICE
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape
from audio.frames import FRAME_BYTES, frames_of

LONGEST_SOUND_S = 60.0
FRAMES_A_CHUNK = 5
ANSWER_TOKENS = 24
"""Tokens that the generator makes of a sentence, in the middle."""

_NUMBERS, _START = count(1), secrets.token_hex(4)
"""Ids are unlike those of other starts and other hubs, as ids of traces are derived from them."""


class Streams(Protocol):
    """What serves the stages: `RayPool`."""

    def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        """The messages of a reply."""

    async def ready(self) -> bool:
        """Whether every stage has a worker that serves."""

    async def loads(self) -> Mapping[str, StageLoad]:
        """What each stage has to do now."""


class StageError(AssistantError):
    """A stage could not do its work; the code is its own."""


async def interpret(
    streams: Streams, tenant: str, said: Transcript, budget_s: float = math.inf
) -> Interpretation:
    """What a text means; one tenant's rooms are conversations, each with its own worker."""
    shape = RequestShape(tokens=len(said.text) // CHARACTERS_A_TOKEN + 1, key=_talk(tenant, said))
    request = PoolRequest(messages=(said,), shape=shape)
    async with aclosing(_replies(streams, NLU, request, budget_s, tenant)) as replies:
        async for message in replies:
            if isinstance(message, Interpretation):
                return message
    raise StageError("nlu.nothing", "understanding gave nothing")


async def answer(
    streams: Streams, tenant: str, asked: Question, budget_s: float = math.inf
) -> AsyncGenerator[SpokenReply, None]:
    """The answer to a question, or a summary, a sentence at a time.

    Where there is no time for the generator's words, it is what was found as it stands there.
    """
    shape = RequestShape(
        tokens=ANSWER_TOKENS,
        prompt_tokens=len(asked.text) // CHARACTERS_A_TOKEN,
        key=_talk(tenant, asked),
    )
    extracted = msgspec.structs.replace(asked, wording="none")
    request = PoolRequest(messages=(asked,), shape=shape, lighter=(extracted,))
    last: SpokenReply | None = None
    async with aclosing(_replies(streams, ANSWER, request, budget_s, tenant)) as replies:
        async for message in replies:
            if isinstance(message, SpokenReply):
                last = message
                yield message
    if last is None:
        raise StageError("answer.nothing", "there was no answer, not even that there is none")


def question_of(text: str, area: str = "") -> Question:
    """A question to the documents."""
    return Question(utterance_id=new_id(), text=text, area=area)


def summary_of(name: str, words: int | None = None, area: str = "") -> Question:
    """The wish for a summary of what `name` names."""
    task = Summarise(name=name, words=words)
    return Question(utterance_id=new_id(), text=name, task=task, area=area)


async def speak(streams: Streams, tenant: str, text: str, budget_s: float = math.inf) -> bytes:
    """A text that is spoken, as a WAV file of 16-bit mono."""
    shape = RequestShape(tokens=len(text) // CHARACTERS_A_TOKEN + 1)
    said = SpokenReply(utterance_id=new_id(), text=text)
    request = PoolRequest(messages=(said,), shape=shape)
    spoken = [
        message
        async for message in _replies(streams, VOICE, request, budget_s, tenant)
        if isinstance(message, Speech)
    ]
    if not any(speech.samples for speech in spoken):
        raise StageError("voice.nothing", "nothing of this text can be spoken")
    with BytesIO() as file:
        with wave.open(file, "wb") as written:
            written.setparams((1, 2, spoken[0].rate_hz, 0, "NONE", ""))
            written.writeframes(b"".join(speech.samples for speech in spoken))
        return file.getvalue()


async def hear(
    streams: Streams, tenant: str, chunks: tuple[AudioChunk, ...], budget_s: float = math.inf
) -> Transcript:
    """What is said in a sound."""
    seconds = sum(len(chunk.samples) for chunk in chunks) / 2 / SAMPLE_RATE_HZ
    end = Utterance(
        utterance_id=chunks[-1].utterance_id,
        revision=0,
        wake_word="",
        duration_s=seconds,
        speech_s=seconds,
        speech_ended_at_s=boottime_s(),
        area=chunks[-1].area,
    )
    shape = RequestShape(tokens=math.ceil(10 * seconds))
    request = PoolRequest(messages=(*chunks, end), shape=shape)
    async with aclosing(_replies(streams, ASR, request, budget_s, tenant)) as replies:
        async for message in replies:
            if isinstance(message, Transcript):
                return message
    raise StageError("asr.nothing", "recognition gave nothing")


def text_of(text: str, area: str = "") -> Transcript:
    """A text that is typed in place of being said."""
    return Transcript(utterance_id=new_id(), revision=0, text=text, engine="text", area=area)


def sound_of(content: bytes, area: str = "") -> tuple[AudioChunk, ...]:
    """A WAV or FLAC file as chunks of one utterance; raises `InputError` for anything else."""
    name, sound = new_id(), bytearray()
    with in_memory(content) as path:
        try:
            for frame in frames_of(Path(path)):
                sound += frame
                if len(sound) > 2 * SAMPLE_RATE_HZ * LONGEST_SOUND_S:
                    told = f"the sound is longer than {LONGEST_SOUND_S:.0f} s"
                    raise InputError("hub.sound", told)
        except InputError as error:
            what = error.message.removeprefix(f"{path}: ")
            raise InputError(error.code, what) from error
    size = FRAMES_A_CHUNK * FRAME_BYTES
    return tuple(
        AudioChunk(utterance_id=name, sequence=number, samples=piece, area=area)
        for number, piece in enumerate(_pieces(bytes(sound), size))
    )


def new_id() -> str:
    """The id of an utterance, by which the log knows it."""
    return f"hub-{_START}-{next(_NUMBERS)}"


def _pieces(sound: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(sound), size):
        yield sound[start : start + size]


def _talk(tenant: str, said: Spoken) -> str:
    return f"{tenant}/{said.area}"


async def _replies(
    streams: Streams, stage: str, request: PoolRequest, budget_s: float, tenant: str
) -> AsyncGenerator[Message, None]:
    """The messages of a reply; raises `StageError` for a failure among them."""
    with asking(stage, request.utterance_id, tenant):
        async with aclosing(streams.stream(stage, request, budget_s, tenant)) as messages:
            async for message in messages:
                if isinstance(message, StageFailed):
                    raise StageError(message.code, message.message, message.part)
                yield message
