"""What the stages ask a hub for, by way of the bridge: what was said, and what documents say.

A hub that is away, or late, is nobody's fault: there is no reply, and the stage does without.
"""

from __future__ import annotations

import io
import time
import wave
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Generic, TypeVar
from uuid import uuid4

import msgspec

from assistant.core.errors import UNDECODABLE, BridgeError
from assistant.core.messages import SAMPLE_RATE_HZ, Word
from assistant.core.network.exchange import AskHub, Asking, Fetched, HubPath
from assistant.core.settings.hub import HubSettings
from assistant.core.traces.ids import traceparent

OK = 200
LONGEST_SOUND_S = 30.0
"""Seconds of sound that one request may hold."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub has heard."""

    words: tuple[Word, ...] = ()


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub answers; it is `done` where its documents say so."""

    text: str
    done: bool
    title: str = ""
    place: str = ""


T = TypeVar("T", Heard, Answered)


class Awaited(Generic[T]):
    """A reply that comes within `within_s`, or not at all."""

    def __init__(self, socket: Path, asked: AskHub, kind: type[T]) -> None:
        self._kind: type[T] = kind
        self._until_s = time.monotonic() + asked.within_s
        self._asking: Asking | None = None
        with suppress(BridgeError):  # the log of the bridge says why
            self._asking = Asking(socket, asked, asked.within_s)

    @property
    def is_over(self) -> bool:
        """Whether no reply comes any more."""
        return self._asking is None

    def reply(self, wait_s: float | None = None) -> T | None:
        """The reply, for which it is waited so long, else as long as one may come; None for none.

        One that came is given once.
        """
        if self._asking is None:
            return None
        left_s = max(0.0, self._until_s - time.monotonic())
        try:
            answer = self._asking.answer(left_s if wait_s is None else min(wait_s, left_s))
        except BridgeError:
            answer = None
        else:
            if answer is None and self._until_s > time.monotonic():
                return None
        self.close()
        if not isinstance(answer, Fetched) or answer.status != OK:
            return None
        try:
            reply: T = msgspec.json.decode(answer.body, type=self._kind)
        except UNDECODABLE:
            return None
        return reply

    def close(self) -> None:
        """Wait for no reply any more."""
        if self._asking is not None:
            self._asking.close()
            self._asking = None


_MAY_LEAVE: ContextVar[bool] = ContextVar("may_leave", default=False)


@contextmanager
def may_leave(allowed: bool) -> Iterator[None]:
    """Say whether the sound that is recognised meanwhile may leave this device."""
    token = _MAY_LEAVE.set(allowed)
    try:
        yield
    finally:
        _MAY_LEAVE.reset(token)


def _alone() -> str:
    """A room of its own, so that no question goes on from one of another room or device."""
    return uuid4().hex


class Hub:
    """The hub of the settings, at the bridge's `socket`. Asking it takes nobody's time.

    What is asked for an utterance is a part of its trace (`assistant.core.traces.ids.spoken`).
    """

    def __init__(self, settings: HubSettings, socket: Path) -> None:
        self._within_s, self._socket = settings.within_s, socket

    def hear(self, sound: bytes) -> Awaited[Heard] | None:
        """Ask what was said in 16 kHz int16 mono; None where that stays here.

        It leaves this device within `may_leave` alone, and if it is no longer than half a minute.
        """
        if not _MAY_LEAVE.get() or len(sound) > 2 * SAMPLE_RATE_HZ * LONGEST_SOUND_S:
            return None
        with io.BytesIO() as file:
            with wave.open(file, "wb") as written:
                written.setparams((1, 2, SAMPLE_RATE_HZ, 0, "NONE", ""))
                written.writeframes(sound)
            return self._ask("/v1/hear?intents=false", file.getvalue(), Heard)

    def answer(self, question: str) -> Awaited[Answered]:
        """Ask what the documents there say to a question."""
        return self._ask("/v1/answer", self._json({"text": question, "area": _alone()}), Answered)

    def summarise(self, name: str, words: int | None) -> Awaited[Answered]:
        """Ask for a summary of what has a name there."""
        asked = {"name": name, "words": words, "area": _alone()}
        return self._ask("/v1/summarise", self._json(asked), Answered)

    def _json(self, asked: Mapping[str, object]) -> bytes:
        return msgspec.json.encode({**asked, "budget_s": self._within_s})

    def _ask(self, path: HubPath, body: bytes, kind: type[T]) -> Awaited[T]:
        asked = AskHub(path=path, body=body, within_s=self._within_s, traceparent=traceparent())
        return Awaited(self._socket, asked, kind)
