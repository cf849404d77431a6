"""Which of two versions works on a request, and what becomes of it where the one on trial fails.

What is said in a room within `FRESH_S` goes to the version that was chosen last there, so that a
conversation stays with it; each conversation is drawn anew, and so is each request without a room.
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import NamedTuple

from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError
from assistant.core.messages import Message, StageFailed
from assistant.core.models.running_trial import RunningTrial
from assistant.core.models.trial_file import Trial
from assistant.core.rooms.newest import Newest
from assistant.hub.calls import StageError, Streams
from assistant.hub.observation.figures import StageLoad
from assistant.hub.observation.watch import current_stage
from assistant.hub.rollout.tally import ReplyTally
from assistant.pool.conversations import FRESH_S
from assistant.pool.pool import BusyError, PoolError
from assistant.pool.requests import PoolRequest


class _Chosen(NamedTuple):
    at_s: float
    new: bool


_NEVER = _Chosen(-math.inf, False)


class OnTrial:
    """A version of a model that works on a share of the requests to its stage.

    It is asked under the `name` of its workers. `over` is called once, when the trial is decided or
    the version has failed; then no further request goes to it.
    """

    def __init__(
        self, trial: Trial, running: RunningTrial, name: str, over: Callable[[], None]
    ) -> None:
        self.trial, self.running, self.name, self._over = trial, running, name, over
        self.stage = trial.stage
        self.fault: AssistantError | None = None
        """What the version has failed with."""
        self.under_way = 0
        """Requests that it works on."""
        self._chosen = Newest[str, _Chosen]()
        """Conversation → which version it is with."""

    @property
    def is_over(self) -> bool:
        """Whether it is to end, or has ended."""
        return self.fault is not None or self.running.decided or self.running.over

    def takes(self, request: PoolRequest, now_s: float) -> bool:
        """Whether the version on trial works on a request."""
        if self.is_over:
            return False
        talk = request.shape.key if request.messages[-1].area else ""
        last = self._chosen.get(talk, _NEVER)
        goes_on = now_s - last.at_s < FRESH_S
        new = last.new if goes_on else self.running.reads_new(request.utterance_id)
        if talk:
            self._chosen[talk] = _Chosen(now_s, new)
        return new

    @contextmanager
    def working(self) -> Iterator[None]:
        """Note that it works on a request meanwhile."""
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1

    def count(self, reply: ReplyTally, message: Message, seconds: float, new: bool) -> None:
        """Count what a reply shows, once its last message is there."""
        tally = reply.add(message, seconds)
        if tally is None or self.is_over:
            return
        self.running.count(new, tally)
        if self.running.decided:
            self._over()

    def fail(self, error: AssistantError) -> None:
        """The version has failed where the other one has not."""
        if not self.is_over:
            self.fault = error
            self._over()


class TrialStreams:
    """Asks a pool, and while a version is on trial that one in its share of the requests.

    A request that it fails on is answered by the other one, unless a part of its reply was given.
    """

    def __init__(self, pool: Streams) -> None:
        self._pool = pool
        self.on_trial: OnTrial | None = None

    def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        """As that of the pool."""
        on_trial = self.on_trial
        if on_trial is None or on_trial.stage != stage:
            return self._pool.stream(stage, request, budget_s, tenant)
        return self._compared(on_trial, request, budget_s, tenant)

    async def ready(self) -> bool:
        """As that of the pool."""
        return await self._pool.ready()

    async def loads(self) -> Mapping[str, StageLoad]:
        """As that of the pool."""
        return await self._pool.loads()

    async def _compared(
        self, on_trial: OnTrial, request: PoolRequest, budget_s: float, tenant: str
    ) -> AsyncGenerator[Message, None]:
        fault: AssistantError | None = None
        if on_trial.takes(request, boottime_s()):
            is_begun = False
            try:
                async with aclosing(self._new(on_trial, request, budget_s, tenant)) as messages:
                    async for message in messages:
                        is_begun = True
                        yield message
                return
            except BusyError:  # it has fewer workers
                pass
            except (PoolError, StageError) as error:
                fault = error
                if is_begun:
                    on_trial.fail(error)
                    raise
        asked = on_trial.stage, request, budget_s, tenant
        async with aclosing(self._counted(on_trial, False, *asked)) as messages:
            async for message in messages:
                if fault is not None and not isinstance(message, StageFailed):
                    on_trial.fail(fault)
                    fault = None
                yield message

    async def _new(
        self, on_trial: OnTrial, request: PoolRequest, budget_s: float, tenant: str
    ) -> AsyncGenerator[Message, None]:
        """The reply of the version on trial; raises `StageError` where its stage fails."""
        asked = on_trial.name, request, budget_s, tenant
        with on_trial.working():
            async with aclosing(self._counted(on_trial, True, *asked)) as messages:
                async for message in messages:
                    if isinstance(message, StageFailed):
                        raise StageError(message.code, message.message, message.part)
                    yield message

    async def _counted(
        self,
        on_trial: OnTrial,
        new: bool,
        name: str,
        request: PoolRequest,
        budget_s: float,
        tenant: str,
    ) -> AsyncGenerator[Message, None]:
        reply, asked_s = ReplyTally(), boottime_s()
        async with aclosing(self._pool.stream(name, request, budget_s, tenant)) as messages:
            async for message in messages:
                began_s, now_s = current_stage().began_s, boottime_s()
                if not asked_s <= began_s <= now_s:  # by another machine's clock
                    began_s = asked_s
                # Before it is given: nobody may ask for more after the last one.
                on_trial.count(reply, message, now_s - began_s, new)
                yield message
