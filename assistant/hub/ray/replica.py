"""What runs in each process of Ray Serve: one stage, once for each tenant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.messages import Message, StageFailed
from assistant.core.rooms.newest import Newest
from assistant.core.stage import Stage
from assistant.hub.ray.holding import Holding
from assistant.hub.ray.wire import packed_reply, unpacked_request
from assistant.pool.conversations import KEPT
from assistant.pool.requests import PoolRequest, is_last
from assistant.pool.runner import Runner

HERE = ""
"""The tenant of a stage that knows no others."""

MakeStage = Callable[[str], Stage]
"""Makes the stage of a tenant; it is sent to the replicas, so it must be importable there."""


class Shared(msgspec.Struct, frozen=True):
    """What makes one stage that serves all: other stages ask it, and none of them as a tenant."""

    make: MakeStage

    def __call__(self, tenant: str) -> Stage:
        """The stage."""
        return self.make(tenant)


class Replica:
    """Serves `stage` to the `tenants`; nothing of one reaches the stage of another.

    Each has its own stage, with its own home, sentences, documents and conversations, in a thread
    of its own.
    """

    def __init__(self, stage: str, make: MakeStage, tenants: Sequence[str]) -> None:
        self._runners = {tenant: Runner(stage, partial(make, tenant)) for tenant in tenants}
        self._held = Newest[str, str](KEPT)
        """Conversation → the last utterance of it that came here."""
        self._holding = Holding()

    async def reply(
        self,
        body: bytes,
        tenant: str,
        tokens: int,
        prompt_tokens: int,
        key: str,
        before: bytes,
        caller: str,
    ) -> AsyncIterator[bytes]:
        """The messages of the reply to `body`, each packed with when the stage began with it.

        Where the last of the conversation `key` was not here, the stage is first asked what was
        asked `before` in it, and nobody hears that reply. The rest is for routers: this caller's
        own, and those of others, which are told of it.
        """
        loop = asyncio.get_running_loop()
        delivered: asyncio.Queue[Message] = asyncio.Queue()
        began_s = 0.0

        def began() -> None:
            nonlocal began_s
            began_s = boottime_s()

        def deliver(message: Message) -> None:
            loop.call_soon_threadsafe(delivered.put_nowait, message)

        runner = self._runners[tenant]
        request = PoolRequest(messages=unpacked_request(body))
        if before:
            last = PoolRequest(messages=unpacked_request(before))
            if self._held.get(key) != last.utterance_id:
                runner.ask(last, _unheard)
        if key:
            self._held[key] = request.utterance_id
        name = runner.ask(request, deliver, began)
        number, is_served = self._holding.take(caller, tokens, boottime_s()), False
        try:
            while True:
                message = await delivered.get()
                is_served = is_last(message) and not isinstance(message, StageFailed)
                yield packed_reply(message, began_s)
                if is_last(message):
                    return
        finally:
            runner.leave(name)
            self._holding.leave(number, is_served, boottime_s())

    async def record_routing_stats(self) -> dict[str, Any]:
        """What Serve tells all routers to this replica, under the name by which it asks."""
        return self._holding.news()

    def check_health(self) -> None:
        """Raise where a stage's thread has ended: Ray Serve then starts another replica."""
        for runner in self._runners.values():
            runner.check()


def _unheard(_: Message) -> None:
    """Drop a message."""
