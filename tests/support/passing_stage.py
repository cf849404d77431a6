"""A stage of a hub that asks another one, as answers ask the generator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import ClassVar

import msgspec

from assistant.core.messages import Message, Question, SpokenReply
from assistant.hub.ray.streams import RayStreams
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape

PASSED_TOKENS = 10_000
"""What each of its requests is taken to need, far more than others do."""


class Passing:
    """Replies with what the stage `counting` replies."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def __init__(self) -> None:
        self._streams = RayStreams(("counting",))

    def feed(self, message: Message) -> Iterator[Message]:
        """As any stage."""
        assert isinstance(message, Question)
        shape = RequestShape(tokens=PASSED_TOKENS)
        request = PoolRequest(messages=(message,), shape=shape)
        with closing(self._streams.run("counting", request)) as replies:
            for reply in replies:
                assert isinstance(reply, SpokenReply)
                yield msgspec.structs.replace(reply, utterance_id=message.utterance_id)

    def deadline_s(self) -> float | None:
        """Nothing is due."""
        return None


def passing(_: str) -> Passing:
    """A fresh one."""
    return Passing()
