"""What is asked of the daemon for a peer: the words of a sound, a voice, the answer to a text."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from assistant.core.clock import boottime_s
from assistant.core.errors import RoomsError
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Asked,
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
from audio.tts.apology import words_for

M = TypeVar("M", bound=Message)
SAMPLE_BYTES = 2
CHUNK_BYTES = SAMPLE_RATE_HZ * SAMPLE_BYTES // 10
"""Bytes of sound that are passed on together: a tenth of a second."""
ASKED_FOR_S = 65.0
"""Seconds in which a question for a secret may be answered; the skills take an answer for 60."""
LONGEST_TEXT = 5000
"""Most characters of a text that is said, or to be spoken."""
LONGEST_S = 60.0
"""Seconds of sound that are heard of one utterance; what follows is dropped."""
_WORDS = re.compile(r"[a-z]+('[a-z]+)?( [a-z]+('[a-z]+)?)*")
MOST_NAMES, LONGEST_NAME = 100, 60
"""Most names that may be expected in an utterance, the first ones, and most characters of each."""
BROKEN = "Sorry, something went wrong."
"""What is said of a fault for which the device has no words."""
ANSWERS_S = 30.0
"""Seconds within which the daemon answers, each part of a long reply anew."""


class _FailedError(RoomsError):
    """A stage has failed."""

    def __init__(self, failed: StageFailed) -> None:
        super().__init__("rooms.failed", f"{failed.stage} failed ({failed.code})")
        self.failed = failed


class Peer:
    """Who speaks over the network: the name for the daemon, and whether a secret was asked for.

    What is said next may then be the secret.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._secret_until_s = float("-inf")

    @property
    def secret(self) -> bool:
        """Whether what is said now is to be kept from all others."""
        return boottime_s() <= self._secret_until_s

    def heard(self, reply: SpokenReply) -> None:
        """Note the last reply."""
        asked = boottime_s() + ASKED_FOR_S
        self._secret_until_s = asked if reply.secret else float("-inf")


class Hearing:
    """One utterance of a peer, whose sound is passed on as it comes.

    It may be one of the `names` alone, which nobody here need know.
    """

    def __init__(self, daemon: Daemon, peer: Peer, names: Iterable[str] = ()) -> None:
        self._daemon, self._peer, self._id = daemon, peer, new_id()
        self._follows = ""
        if answers := tuple(islice(_speakable(names), MOST_NAMES)):
            self._follows = f"{self._id}-names"  # as if they were the answers to a question
            self._daemon.send(Asked(utterance_id=self._follows, answers=answers))
        self._secret = peer.secret
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
                secret=self._secret,
                peer=self._peer.name,
            )
        )

    def _pass_on(self, size: int) -> None:
        samples = bytes(self._sound[:size])
        del self._sound[:size]
        self._daemon.send(
            AudioChunk(
                utterance_id=self._id,
                sequence=self._sequence,
                samples=samples,
                follows=self._follows,
                secret=self._secret,
                peer=self._peer.name,
            )
        )
        self._sequence += 1


async def spoken(daemon: Daemon, text: str, peer: Peer) -> AsyncIterator[Speech]:
    """A text in the daemon's voice, sentence by sentence; raises `RoomsError` where it has none."""
    name = new_id()
    with daemon.asking(name) as answers:
        daemon.send(SpokenReply(utterance_id=name, text=text, peer=peer.name))
        while True:
            part = await _next(answers, Speech)
            yield part
            if part.last:
                return


async def replies_to(daemon: Daemon, text: str, peer: Peer) -> AsyncIterator[SpokenReply]:
    """The replies to a text that was said; raises `RoomsError` where none comes in time.

    What a peer says is a conversation of its own, as what is said in a room is. Where a stage
    fails, the last reply is what the device says of that.
    """
    name = new_id()
    with daemon.asking(name) as answers:
        said = Transcript(
            utterance_id=name,
            revision=0,
            text=text,
            engine="text",
            secret=peer.secret,
            area=peer.name,
            peer=peer.name,
        )
        daemon.send(said, Commit(utterance_id=name, revision=0))
        while True:
            try:
                reply = await _next(answers, SpokenReply)
            except _FailedError as error:
                yield _apology(error.failed)
                return
            if not reply.more:
                peer.heard(reply)
                yield reply
                return
            yield reply


def require_short(text: str) -> str:
    """The text itself; raises `RoomsError` for one over `LONGEST_TEXT`."""
    if len(text) > LONGEST_TEXT:
        raise RoomsError("rooms.text", f"a text has {LONGEST_TEXT} characters at most")
    return text


def new_id() -> str:
    """A short, unique id for an utterance of a peer."""
    return f"peer-{uuid.uuid4().hex[:12]}"


def _speakable(names: Iterable[str]) -> Iterator[str]:
    """The names that consist of words alone, as a recogniser takes them."""
    for name in names:
        said = " ".join(name.casefold().split())
        if len(said) <= LONGEST_NAME and _WORDS.fullmatch(said):
            yield said


def _apology(failed: StageFailed) -> SpokenReply:
    """What the device says of a stage that failed: of a command that is known, and is not done."""
    words = words_for(failed) or BROKEN
    return SpokenReply(utterance_id=failed.utterance_id, text=words, intent="", done=False)


async def _next(answers: asyncio.Queue[Message], wanted: type[M]) -> M:
    while True:
        try:
            async with asyncio.timeout(ANSWERS_S):
                message = await answers.get()
        except TimeoutError as error:
            raise RoomsError("rooms.unanswered", "the daemon does not answer") from error
        if isinstance(message, StageFailed):
            raise _FailedError(message)
        if isinstance(message, wanted):
            return message
