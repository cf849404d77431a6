"""Asks replicas on Ray Serve, whichever process started them."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import AsyncGenerator, Collection
from functools import cache
from itertools import count
from queue import Empty, SimpleQueue

from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError
from assistant.core.memory import memory_pressure
from assistant.core.messages import Message, StageFailed
from assistant.hub.observation.watch import current_stage
from assistant.hub.ray.cluster import handle_to, stage_of
from assistant.hub.ray.engine import DeploymentHandle, RayActorError, RayError, RayServeException
from assistant.hub.ray.ledger import CALLER, Outcome, close_ledgers, ledger_of
from assistant.hub.ray.replica import HERE
from assistant.hub.ray.wire import packed, unpacked_reply
from assistant.pool.admission import BUSY_REPLY, Tier, admit
from assistant.pool.conversations import Conversations
from assistant.pool.pool import BusyError, PoolError, Stream
from assistant.pool.requests import PoolRequest, is_last

SILENCE_S = 60.0
"""Time without a message of a reply after which the request fails."""
RETRIES_S = 30.0
"""Time from a request on in which it is begun anew when its replica dies."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25
"""Pause before another try, twice as long each time: Ray needs 0.5 s to notice a death."""


class RayStreams:
    """What the replicas of the `stages` say, to each of the `tenants` whom they serve."""

    def __init__(
        self,
        stages: Collection[str],
        tenants: Collection[str] = (HERE,),
        silence_s: float = SILENCE_S,
    ) -> None:
        self._stages, self._silence_s = frozenset(stages), silence_s
        self._tenants = frozenset(tenants)
        """Those whom every replica serves."""
        self._beside = frozenset[str]()
        """Applications that run a stage beside that of its own name, such as "nlu trial 1"."""
        self._conversations = Conversations()
        self._handles: dict[tuple[asyncio.AbstractEventLoop, str], DeploymentHandle] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = HERE
    ) -> AsyncGenerator[Message, None]:
        """The messages of the reply, in order, each once; raises as `Pool.run` and its stream.

        Closing it has no more made. Where a replica dies, another one begins anew: a stage makes
        the same messages of the same request, so those that were given already are passed over.
        """
        taken = self._admitted(stage, request, budget_s)
        if tenant not in self._tenants:
            raise PoolError("pool.tenant", f"{stage} serves no {tenant} here")
        body = packed(taken.messages)
        retries_s, silence_s = self._patience_s(stage)
        shape = taken.shape
        last = self._conversations.before(stage_of(stage), request, boottime_s())
        before = packed(last.messages) if last is not None else b""
        asked = (body, tenant, shape.tokens, shape.prompt_tokens, shape.key, before, CALLER)
        until_s, given = boottime_s() + retries_s, 0
        died: Exception | None = None
        for attempt in count():
            replies = self._handle(stage).remote(*asked)
            place, outcome = 0, Outcome.FAILED
            try:
                while True:
                    async with asyncio.timeout(silence_s):
                        payload = await anext(replies)
                    message, current_stage().began_s = unpacked_reply(payload)
                    place += 1
                    if is_last(message):  # noted before it is read, which may take long
                        _note(stage, replies.request_id, _outcome(message))
                    if place > given:
                        given = place
                        yield message
                    if is_last(message):
                        return
            except (asyncio.CancelledError, GeneratorExit):
                outcome = Outcome.CANCELLED
                raise
            except (RayActorError, StopAsyncIteration) as error:
                died = error
            except (RayError, RayServeException) as error:  # its text is the trace of a replica
                raise PoolError("pool.ray", f"{stage}: {type(error).__name__}") from error
            except TimeoutError as error:
                told = f"{stage}: nothing came for {silence_s:g} s"
                raise PoolError("pool.silent", told) from error
            finally:
                _note(stage, replies.request_id, outcome)  # unless it is already
                replies.cancel()  # what is over already is left alone
            if boottime_s() > until_s:
                raise PoolError("pool.lost", f"{stage}: its workers keep dying") from died
            current_stage().retries += 1
            await asyncio.sleep(min(FIRST_PAUSE_S * 2**attempt, LONGEST_PAUSE_S))

    def run(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = HERE
    ) -> Stream:
        """As `Pool.run`; the reply is fetched in a thread of the pool's."""
        self._admitted(stage, request, budget_s)
        return _Waiting(self._own_loop(), self.stream(stage, request, budget_s, tenant))

    def close(self) -> None:
        """Ask nothing more."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._handles.clear()
        close_ledgers(self._stages | self._beside)

    def _admitted(self, stage: str, request: PoolRequest, budget_s: float) -> PoolRequest:
        """The request, or what is lighter; raises `BusyError`."""
        if stage not in self._stages | self._beside:
            known = ", ".join(sorted(self._stages))
            raise PoolError("pool.stage", f"no {stage} runs here; there are: {known}")
        ledger, now_s = ledger_of(stage), boottime_s()
        if math.isinf(budget_s) or ledger is None or not ledger.states():
            return request
        lighter = request.as_lighter()
        full_s = ledger.wait_s(request.shape, now_s)
        lighter_s = ledger.wait_s(lighter.shape, now_s) if lighter is not None else math.inf
        match admit(full_s, lighter_s, budget_s, memory_pressure()):
            case Tier.FULL:
                return request
            case Tier.EXTRACTED if lighter is not None:
                current_stage().is_lighter = True
                return lighter
        raise BusyError("pool.busy", BUSY_REPLY)

    def _patience_s(self, stage: str) -> tuple[float, float]:
        """Time in which a request is begun anew, and for which a message of it is waited.

        What runs beside a stage is asked once: whoever asks it has the stage itself to ask, too.
        """
        if stage in self._beside:
            return 0.0, self._silence_s / 2
        return RETRIES_S, self._silence_s

    def _handle(self, stage: str) -> DeploymentHandle:
        key = (asyncio.get_running_loop(), stage)
        if key not in self._handles:
            try:
                self._handles[key] = handle_to(stage)
            except RayServeException as error:
                raise PoolError("pool.ray", f"{stage}: {type(error).__name__}") from error
        return self._handles[key]

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of a thread, for callers that have none."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="hub pool", daemon=True).start()
        return self._loop


@cache
def streams_of(*stages: str) -> RayStreams:
    """What this process asks of stages that know no tenants, for all its callers."""
    return RayStreams(stages)


class _Waiting:
    """A stream for a caller who waits; it is fetched from the beginning on, read or not."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, replies: AsyncGenerator[Message, None]
    ) -> None:
        self._fetched: SimpleQueue[Message | AssistantError | None] = SimpleQueue()
        self._next: Message | AssistantError | None = None
        self._has_next = self._is_over = False
        self._fetching = asyncio.run_coroutine_threadsafe(self._fetch(replies), loop)

    def __iter__(self) -> _Waiting:
        return self

    def __next__(self) -> Message:
        self.wait(math.inf)
        fetched, self._next, self._has_next = self._next, None, False
        if isinstance(fetched, Message):
            return fetched
        self._is_over = True
        if fetched is not None:
            raise fetched
        raise StopIteration

    def wait(self, seconds: float) -> bool:
        """Wait so long, or less; whether the next message, or the end, is there."""
        if not (self._is_over or self._has_next):
            try:
                self._next = self._fetched.get(timeout=None if math.isinf(seconds) else seconds)
                self._has_next = True
            except Empty:
                return False
        return True

    def close(self) -> None:
        """Have no more of the reply made."""
        self._is_over = True
        self._fetching.cancel()

    async def _fetch(self, replies: AsyncGenerator[Message, None]) -> None:
        end: AssistantError | None = None
        try:
            async for message in replies:
                self._fetched.put(message)
        except AssistantError as error:
            end = error
        finally:
            await replies.aclose()
            self._fetched.put(end)


def _outcome(last: Message) -> Outcome:
    return Outcome.FAILED if isinstance(last, StageFailed) else Outcome.SUCCEEDED


def _note(stage: str, request_id: str, outcome: Outcome) -> None:
    """Have what became of a request counted, once."""
    ledger = ledger_of(stage)
    if ledger is not None:
        ledger.ended(request_id, outcome, boottime_s())
