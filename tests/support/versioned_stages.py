"""Stages whose replies show which version of a model they were made with, and a pool of them."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import msgspec

from assistant.core.errors import AnswerError, AssistantError
from assistant.core.failure import report_failure
from assistant.core.messages import (
    Command,
    Interpretation,
    Message,
    Question,
    SpokenReply,
    Transcript,
)
from assistant.hub.observation.figures import StageLoad
from assistant.hub.ray.replica import MakeStage
from assistant.hub.tenants import Tenant
from assistant.pool.admission import BUSY_REPLY
from assistant.pool.pool import BusyError, ClosedError, PoolError
from assistant.pool.requests import PoolRequest
from tests.support.pool_stages import Speller

Made = Mapping[str, MakeStage]
Stages = Collection[str] | None

WORSE, BROKEN, MORTAL = "worse", "broken", "mortal"
"""Versions that never understand, always fail, and take their workers with them."""


class Reader:
    """Understands a text as an intent that is named after its version; "no text" fails in any."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Transcript,)

    def __init__(self, version: str) -> None:
        self.version = version

    def feed(self, message: Message) -> Iterator[Message]:
        match message:
            case Transcript(text="no text"):
                raise AnswerError("nlu.test", "it is none")
            case Transcript(text=text, utterance_id=name):
                if self.version == BROKEN:
                    raise AnswerError("nlu.test", "it fails")
                guessed = (Command(intent=self.version, confidence=0.9),)
                yield Interpretation(
                    utterance_id=name,
                    revision=0,
                    text=text,
                    commands=() if self.version == WORSE else guessed,
                )

    def deadline_s(self) -> float | None:
        return None


class VersionedSpeller(Speller):
    """A `Speller` that finds no answer, fails, or dies, as its version has it."""

    def __init__(self, version: str) -> None:
        super().__init__()
        self._version = version

    def feed(self, message: Message) -> Iterator[Message]:
        if self._version == BROKEN and isinstance(message, Question):
            raise AnswerError("answer.test", "it fails")
        if self._version == MORTAL and isinstance(message, Question):
            os._exit(1)
        for made in super().feed(message):
            if isinstance(made, SpokenReply):
                made = msgspec.structs.replace(made, done=self._version != WORSE)
            yield made


def readers(tenants: Mapping[str, Tenant], pinned: Mapping[str, str]) -> dict[str, MakeStage]:
    """The makers of a pool whose stage "nlu" is a `Reader` of a version of "intent"."""
    return {"nlu": partial(_reader, pinned["intent"])}


def spellers(tenants: Mapping[str, Tenant], pinned: Mapping[str, str]) -> dict[str, MakeStage]:
    """The makers of a pool whose stage "answer" is one of a version of "reader"."""
    return {"answer": partial(_speller, pinned["reader"])}


def _reader(version: str, tenant: str) -> Reader:
    return Reader(version)


def _speller(version: str, tenant: str) -> VersionedSpeller:
    return VersionedSpeller(version)


class VersionedPool:
    """Runs stages in this process as `RayPool` does in others, a worker each; notes what changes.

    Workers of a `MORTAL` version die with each request, of those in `busy` none takes one, and
    once it `has_closed` no worker begins.
    """

    def __init__(self, makers: Mapping[str, MakeStage]) -> None:
        self._stages = {stage: make("") for stage, make in makers.items()}
        self.stages: Collection[str] = frozenset(makers)
        self.updates: list[tuple[str, ...]] = []
        self.tenants: tuple[str, ...] = ()
        self.asked: list[str] = []
        self.busy: set[str] = set()
        self.has_closed = False
        self._begun = 0

    @property
    def names(self) -> set[str]:
        """What may be asked."""
        return set(self._stages)

    def version(self, name: str) -> str:
        """That of the stage under a name."""
        stage = self._stages[name]
        assert isinstance(stage, Reader)
        return stage.version

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        self.asked.append(stage)
        if stage not in self._stages:
            raise PoolError("pool.stage", f"no {stage} runs here")
        if stage in self.busy:
            raise BusyError("pool.busy", BUSY_REPLY)
        made = self._stages[stage]
        if isinstance(made, Reader) and made.version == MORTAL:
            raise PoolError("pool.lost", f"{stage}: its workers keep dying")
        try:
            for message in made.feed(request.messages[-1]):
                yield message
        except AssistantError as error:
            yield report_failure(stage, error, request.utterance_id)

    def update(self, makers: Made, tenants: Sequence[str], stages: Stages = None) -> None:
        self._open()
        renewed = sorted(self.stages if stages is None else stages)
        self._stages |= {stage: makers[stage]("") for stage in renewed}
        self.tenants = tuple(tenants)
        self.updates.append(tuple(renewed))

    def beside(self, stage: str, make: MakeStage, share: float) -> str:
        self._open()
        self._begun += 1
        name = f"{stage} trial {self._begun}"
        self._stages[name] = make("")
        return name

    def drop(self, name: str) -> None:
        del self._stages[name]

    async def ready(self) -> bool:
        return True

    async def loads(self) -> Mapping[str, StageLoad]:
        return {}

    def _open(self) -> None:
        if self.has_closed:
            raise ClosedError("pool.closed", "the hub ends")
