"""What is asked of the daemon for a peer: the words of a sound, a voice, the answer to a text."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import TypeVar

from assistant.core.clock import boottime_s
from assistant.core.errors import RoomsError
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    Commit,
    Message,
    Speech,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
)
from assistant.rooms.daemon import Daemon

M = TypeVar("M", bound=Message)
SAMPLE_BYTES = 2
CHUNK_BYTES = SAMPLE_RATE_HZ * SAMPLE_BYTES // 10
"""Bytes of sound that are passed on together: a tenth of a second."""
LONGEST_S = 60.0
"""Seconds of sound that are heard of one utterance; what follows is dropped."""
ANSWERS_S = 30.0
"""Seconds within which the daemon answers, each part of a long reply anew."""


class Hearing:
    """One utterance of a peer, whose sound is passed on as it comes."""

    def __init__(self, daemon: Daemon, peer: str) -> None:
        self._daemon, self._peer, self._id = daemon, peer, new_id()
        self._sound = bytearray()
        self._sequence, self._bytes = 0, 0

    def take(self, samples: bytes) -> None:
        """Pass on samples, 16 kHz mono of 16 bits; those after `LONGEST_S` are dropped."""
        if self._bytes < LONGEST_S * SAMPLE_RATE_HZ * SAMPLE_BYTES:
            self._bytes += len(samples)
            self._sound += samples
            while len(self._sound) >= CHUNK_BYTES:
                self._pass_on(CHUNK_BYTES)

    async def words(self) -> str:
        """What was said, "" for nothing; raises `RoomsError` where it cannot be recognised."""
        if not self._bytes:
            return ""
        with self._daemon.asking(self._id) as answers:
            self.end()
            return (await _next(answers, Transcript)).text

    def end(self) -> None:
        """Have what was said recognised, be it that nobody waits for the words any more."""
        if not self._bytes:
            return
        self._pass_on(len(self._sound) // SAMPLE_BYTES * SAMPLE_BYTES)
        length_s = self._bytes / SAMPLE_BYTES / SAMPLE_RATE_HZ
        self._daemon.send(
            Utterance(
                utterance_id=self._id,
                revision=0,
                wake_word="",
                duration_s=round(length_s, 3),
                speech_s=round(length_s, 3),
                speech_ended_at_s=boottime_s(),
                dictated=True,
                peer=self._peer,
            )
        )

    def _pass_on(self, size: int) -> None:
        samples = bytes(self._sound[:size])
        del self._sound[:size]
        self._daemon.send(
            AudioChunk(
                utterance_id=self._id, sequence=self._sequence, samples=samples, peer=self._peer
            )
        )
        self._sequence += 1


async def spoken(daemon: Daemon, text: str, peer: str) -> AsyncIterator[Speech]:
    """A text in the daemon's voice, sentence by sentence; raises `RoomsError` where it has none."""
    name = new_id()
    with daemon.asking(name) as answers:
        daemon.send(SpokenReply(utterance_id=name, text=text, peer=peer))
        while True:
            part = await _next(answers, Speech)
            yield part
            if part.last:
                return


async def replied(daemon: Daemon, text: str, peer: str) -> tuple[SpokenReply, ...]:
    """The replies to a text that was said; raises `RoomsError` where none comes in time.

    What a peer says is a conversation of its own, as what is said in a room is.
    """
    name = new_id()
    with daemon.asking(name) as answers:
        said = Transcript(
            utterance_id=name, revision=0, text=text, engine="text", area=peer, peer=peer
        )
        daemon.send(said, Commit(utterance_id=name, revision=0))
        replies = [await _next(answers, SpokenReply)]
        while replies[-1].more:
            replies.append(await _next(answers, SpokenReply))
        return tuple(replies)


def new_id() -> str:
    """A short, unique id for an utterance of a peer."""
    return f"peer-{uuid.uuid4().hex[:12]}"


async def _next(answers: asyncio.Queue[Message], wanted: type[M]) -> M:
    while True:
        try:
            async with asyncio.timeout(ANSWERS_S):
                message = await answers.get()
        except TimeoutError as error:
            raise RoomsError("rooms.unanswered", "the daemon does not answer") from error
        if isinstance(message, StageFailed):
            raise RoomsError("rooms.failed", f"{message.stage} failed ({message.code})")
        if isinstance(message, wanted):
            return message
