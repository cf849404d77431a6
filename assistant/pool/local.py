"""The pool in processes of this machine, on the sockets that the daemon's own stages use.

Each worker is a process with a stage on a bus, as in the daemon. It is forked from a server that
has loaded the code and nothing else, so that it starts in a moment. What a worker held when it died
is begun anew by another one; the messages that were given already are not given again.
"""

from __future__ import annotations

import logging
import math
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import msgspec

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.memory import memory_pressure
from assistant.core.messages import BargeIn, Message, StageFailed
from assistant.core.stage import Stage
from assistant.pool.admission import Tier, admit
from assistant.pool.conversations import Conversations
from assistant.pool.local_worker import FRONT, serve
from assistant.pool.pool import BusyError, PoolError
from assistant.pool.requests import PoolRequest, is_last, is_part
from assistant.pool.routing import RequestShape, expected_s, p95
from assistant.pool.scaling import PoolLoad, ScalingPolicy, ScalingState, decide, surplus
from assistant.pool.worker_record import Route, WorkerRecord, least_time

LOOK_EVERY_S = 0.05
"""Seconds between two looks at whether a worker has died."""
DECIDE_EVERY_S = 1.0
ATTEMPTS = 3
"""Workers that may die over one request before it fails."""
WAITS_OF_LAST_S = 10.0
SILENCE_S, STARTS_S = 600.0, 600.0
"""Seconds in which a worker that has work gives no message after which it is taken to hang, and is
ended; and until its first message, as it makes its stage before. A long recording takes minutes."""

log = logging.getLogger(__name__)

StageMaker = Callable[[], Stage]
"""Makes a stage in its worker; must be picklable, as a function of a module is."""


@dataclass(frozen=True)
class LocalStage:
    """How a stage's workers are made, how many there are, and how many requests each may hold.

    Those that serve `in_slices` share their time among these; others take one after the other.
    """

    make: StageMaker
    policy: ScalingPolicy = field(default_factory=lambda: ScalingPolicy(most=1))
    most_held: int = 32
    in_slices: bool = True
    spare: int = 0
    """Workers that are ready and have nothing to do until more are wanted."""


@dataclass(eq=False)
class LocalStream:
    """The reply of a worker, as far as it has come."""

    pool: LocalPool
    stage: str
    request: PoolRequest
    asked_s: float
    before: PoolRequest | None = None
    """The last request of its conversation, while it is fresh."""
    ready: deque[Message] = field(default_factory=deque)
    given: int = 0
    """Messages of the reply that have come."""
    skipped: int = 0
    """Those of this attempt that were given by an earlier one."""
    attempt: int = 0
    worker: WorkerRecord | None = None
    is_over: bool = False
    error: PoolError | None = None

    @property
    def name(self) -> str:
        """The utterance as this attempt's worker knows it."""
        return f"{self.request.utterance_id}#{self.attempt}"

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        while not self.ready:
            if self.error is not None:
                raise self.error
            if self.is_over:
                raise StopIteration
            self.pool.poll(LOOK_EVERY_S)
        return self.ready.popleft()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or less; whether the next message, or the end, is there."""
        if not (self.ready or self.is_over):
            self.pool.poll(seconds)
        return bool(self.ready) or self.is_over

    def close(self) -> None:
        """Have no more of the reply made."""
        if not self.is_over:
            self.pool.cancel(self)


@dataclass
class _StageWorkers:
    """One stage: its workers, how many are wanted, and what waits for one."""

    kind: LocalStage
    scaling: ScalingState
    workers: list[WorkerRecord] = field(default_factory=list)
    waiting: deque[LocalStream] = field(default_factory=deque)
    waits: deque[tuple[float, float]] = field(default_factory=deque)
    """When the last requests were sent, and for how long they had waited."""


class LocalPool:
    """Runs `stages`, each in as many processes as its policy has it.

    `route` chooses the worker of a request. One that gives nothing of what it holds for `silence_s`
    is ended, and one that has given nothing yet after `starts_s`. All methods belong to one thread,
    in which nothing happens between two calls but what is waited for by a stream, or done by
    `poll`.
    """

    def __init__(
        self,
        stages: Mapping[str, LocalStage],
        route: Route = least_time,
        clock: Callable[[], float] = boottime_s,
        preload: Sequence[str] = (),
        silence_s: float = SILENCE_S,
        starts_s: float = STARTS_S,
    ) -> None:
        self._route, self._clock = route, clock
        self._silence_s, self._starts_s = silence_s, starts_s
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload([serve.__module__, *preload])
        self._open = ExitStack()
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="hark-pool-"))
        self._folder = Path(folder)
        self._stages: dict[str, _StageWorkers] = {}
        self._streams: dict[str, LocalStream] = {}
        self._conversations = Conversations()
        self._decided_s = self._looked_s = clock()
        address = self._open.enter_context(closing(Address(self._folder)))
        self._bus = Bus(FRONT, address, (), {}, ())
        self._open.callback(self._bus.close)
        for stage, kind in stages.items():
            self._stages[stage] = _StageWorkers(kind, ScalingState(wanted=kind.policy.least))
            for _ in range(kind.policy.least):
                self._start(stage)
            self._keep_spare(stage)

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, stage: str, request: PoolRequest, budget_s: float = math.inf) -> LocalStream:
        """The reply of a stage to a request, which begins at once; see `Pool`."""
        of = self._stages.get(stage)
        if of is None:
            known = ", ".join(self._stages)
            raise PoolError("pool.stage", f"no {stage} runs here; there are: {known}")
        request = self._admitted(of, request, budget_s)
        now_s = self._clock()
        before = self._conversations.before(stage, request, now_s)
        stream = LocalStream(self, stage, request, now_s, before)
        self._dispatch(stream)
        return stream

    def poll(self, timeout_s: float = 0.0) -> None:
        """Take in what has come from workers, and see to those that have died or are wanted."""
        has_come = False
        for message in self._bus.receive(timeout_s):
            has_come = True
            self._take(message)
        # Who waits for what has come has it sooner; looking costs as much as a message.
        if has_come and self._clock() - self._looked_s < LOOK_EVERY_S:
            return
        self._looked_s = self._clock()
        self._end_silent()
        for of in self._stages.values():
            for worker in [one for one in of.workers if not one.process.is_alive()]:
                self._bury(of, worker)
            # Room comes, and breakers close, without a message.
            self._serve_waiting(of)
        if self._clock() - self._decided_s >= DECIDE_EVERY_S:
            self._decided_s = self._clock()
            for stage, of in self._stages.items():
                self._scale(stage, of)

    def cancel(self, stream: LocalStream) -> None:
        """Have no more of a reply made."""
        stream.is_over = True
        self._streams.pop(stream.name, None)
        if stream in self._stages[stream.stage].waiting:
            self._stages[stream.stage].waiting.remove(stream)
        if stream.worker is not None:
            stream.worker.let_go(stream.name)
            self._bus.send(BargeIn(utterance_id=stream.name, at_s=self._clock()))

    def workers(self, stage: str) -> list[WorkerRecord]:
        """The workers of a stage, those that drain among them."""
        return list(self._stages[stage].workers)

    def close(self) -> None:
        """End all workers."""
        every = [worker for of in self._stages.values() for worker in of.workers]
        for worker in every:
            worker.process.kill()
        for worker in every:
            worker.process.join()
        self._open.close()

    # ── requests ────────────────────────────────────────────────────────────────────────────

    def _admitted(self, of: _StageWorkers, request: PoolRequest, budget_s: float) -> PoolRequest:
        """The request, or its lighter form; raises `BusyError`."""
        if budget_s == math.inf:
            return request
        lighter = request.as_lighter()
        full_s = self._predicted_s(of, request.shape)
        lighter_s = self._predicted_s(of, lighter.shape) if lighter is not None else math.inf
        tier = admit(full_s, lighter_s, budget_s, memory_pressure())
        if tier is Tier.FULL:
            return request
        if tier is Tier.EXTRACTED and lighter is not None:
            return lighter
        raise BusyError("pool.busy", f"more than {budget_s} s would pass")

    def _predicted_s(self, of: _StageWorkers, shape: RequestShape) -> float:
        now_s = self._clock()
        states = [worker.state(now_s) for worker in of.workers]
        waiting = sum(stream.request.shape.tokens for stream in of.waiting)
        return expected_s(states, shape, now_s) + waiting / max(1.0, _speed(of))

    def _dispatch(self, stream: LocalStream) -> None:
        """Send a request to a worker, or let it wait for one."""
        of, now_s = self._stages[stream.stage], self._clock()
        able = {worker.name: worker for worker in of.workers if worker.has_room}
        states = [worker.state(now_s) for worker in able.values()]
        chosen = self._route(states, stream.request.shape, now_s)
        if chosen is None:
            of.waiting.append(stream)
            return
        worker = stream.worker = able[chosen.name]
        self._streams[stream.name] = stream
        if stream.before is not None and not worker.holds(stream.request.shape.key):
            # It is asked what was asked last in the conversation, and nobody hears the reply.
            for message in stream.before.named(f"{stream.before.utterance_id}#before"):
                self._bus.send_to(worker.name, message)
        for other in of.workers:
            if other is not worker:  # what it knows of the conversation is not the last of it
                other.forget(stream.request.shape.key)
        worker.take(stream.name, stream.request.shape, now_s)
        of.waits.append((now_s, now_s - stream.asked_s))
        for message in stream.request.named(stream.name):
            self._bus.send_to(worker.name, message)

    def _take(self, message: Message) -> None:
        stream = self._streams.get(getattr(message, "utterance_id", ""))
        if stream is None or not is_part(message):
            return
        if stream.worker is not None:
            stream.worker.hear(self._clock())
        stream.skipped += 1
        if stream.skipped > stream.given:
            stream.given += 1
            own = {"utterance_id": stream.request.utterance_id}
            stream.ready.append(msgspec.structs.replace(message, **own))
        if is_last(message):
            self._end(stream, failed=isinstance(message, StageFailed))

    def _end(self, stream: LocalStream, failed: bool) -> None:
        stream.is_over = True
        del self._streams[stream.name]
        if stream.worker is not None:
            stream.worker.finish(stream.name, failed, self._clock())
        self._serve_waiting(self._stages[stream.stage])

    def _serve_waiting(self, of: _StageWorkers) -> None:
        for _ in range(len(of.waiting)):
            self._dispatch(of.waiting.popleft())

    # ── workers ─────────────────────────────────────────────────────────────────────────────

    def _add(self, stage: str) -> None:
        """Have one more worker serve: a spare one, or a new one."""
        spare = next((one for one in self._stages[stage].workers if one.is_spare), None)
        if spare is None:
            self._start(stage)
        else:
            spare.is_spare = False
        self._serve_waiting(self._stages[stage])

    def _keep_spare(self, stage: str) -> None:
        of = self._stages[stage]
        for _ in range(of.kind.spare - sum(worker.is_spare for worker in of.workers)):
            self._start(stage, spare=True)

    def _start(self, stage: str, spare: bool = False) -> None:
        of = self._stages[stage]
        taken = {worker.name for worker in of.workers}
        # Names are used again, so that the folder does not fill with sockets.
        name = next(n for n in (f"{stage}-{number}" for number in count(1)) if n not in taken)
        arguments = (name, str(self._folder), of.kind.make)
        process = self._context.Process(target=serve, args=arguments, name=name)
        process.start()
        of.workers.append(
            WorkerRecord(name, process, _speed(of), of.kind.most_held, of.kind.in_slices, spare)
        )

    def _end_silent(self) -> None:
        """End the workers that hang; one that only has much to do is heard of meanwhile."""
        now_s = self._clock()
        for worker in (worker for of in self._stages.values() for worker in of.workers):
            patience_s = self._silence_s if worker.is_heard else self._starts_s
            if worker.left and now_s - worker.last_s > patience_s:
                log.error("%s: hangs and is ended (pool.silent)", worker.name)
                worker.process.kill()
                worker.process.join()

    def _held_by(self, worker: WorkerRecord) -> list[LocalStream]:
        return [stream for stream in self._streams.values() if stream.worker is worker]

    def _bury(self, of: _StageWorkers, worker: WorkerRecord) -> None:
        """Another worker begins anew what one that has died held."""
        of.workers.remove(worker)
        worker.process.join()
        self._bus.leave(worker.name)
        held = self._held_by(worker)
        stage = worker.name.rpartition("-")[0]
        serving = [one for one in of.workers if not (one.is_draining or one.is_spare)]
        if len(serving) < of.scaling.wanted:
            self._add(stage)
        for stream in held:
            del self._streams[stream.name]
            stream.attempt += 1
            stream.skipped, stream.worker = 0, None
            if stream.attempt == ATTEMPTS:
                stream.is_over = True
                message = f"{ATTEMPTS} workers have died over it, or were silent"
                stream.error = PoolError("pool.died", message)
            else:
                self._dispatch(stream)
        self._serve_waiting(of)

    def _scale(self, stage: str, of: _StageWorkers) -> None:
        now_s = self._clock()
        while of.waits and now_s - of.waits[0][0] > WAITS_OF_LAST_S:
            of.waits.popleft()
        states = [worker.state(now_s) for worker in of.workers if not worker.is_spare]
        serving = [state for state in states if not state.is_draining]
        waiting = sum(stream.request.shape.tokens for stream in of.waiting)
        load = PoolLoad(
            tokens_outstanding=waiting + sum(state.tokens_outstanding for state in states),
            tokens_per_s=_speed(of),
            p95_wait_s=p95([waited_s for _, waited_s in of.waits]),
            replicas=len(serving),
        )
        of.scaling, wanted = decide(of.scaling, load, now_s, of.kind.policy)
        for _ in range(wanted - len(serving)):
            self._add(stage)
        self._keep_spare(stage)
        drain = {state.name for state in surplus(states, wanted)}
        for worker in of.workers:
            if worker.name in drain and not worker.is_draining:
                worker.is_draining = True
            if worker.is_draining and not worker.left:
                worker.process.terminate()


def _speed(of: _StageWorkers) -> float:
    """The speed of the stage's workers, as far as it was measured."""
    known = [worker.speed for worker in of.workers if worker.is_measured]
    return sum(known) / len(known) if known else 60.0
