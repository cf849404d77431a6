"""What each call asks of the stages, and when; it is noted where that happens.

The call that a task works at is a context variable, as OpenTelemetry has its spans: what lies
between the gateway and a replica passes nothing on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from assistant.control.traces.context import TraceContext, trace_context
from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError

FAILED = 500
"""Status of a call that ends without one."""


@dataclass
class StageRecord:
    """One request to a stage; times are those of CLOCK_BOOTTIME."""

    stage: str = ""
    asked_s: float = 0.0
    began_s: float = 0.0
    """When the stage began with it, after whatever it waited for; 0 where it never did."""
    ended_s: float = 0.0
    retries: int = 0
    """How often it began anew as its worker had died."""
    is_lighter: bool = False
    """Whether it was asked in its lighter form, for want of time."""
    error: str = ""


@dataclass
class CallRecord:
    """One call of the hub."""

    path: str
    began_s: float
    caller: TraceContext | None = None
    ended_s: float = 0.0
    status: int = FAILED
    """As HTTP has it."""
    tenant: str = ""
    utterance_id: str = ""
    """The hub's own; "" where no stage was asked."""
    stages: list[StageRecord] = field(default_factory=list)


_CURRENT: ContextVar[CallRecord | None] = ContextVar("call", default=None)


class Watch:
    """Has each of the `observers` told of every call once it is over."""

    def __init__(
        self,
        observers: Sequence[Callable[[CallRecord], None]],
        clock: Callable[[], float] = boottime_s,
    ) -> None:
        self._observers, self._clock = tuple(observers), clock

    @contextmanager
    def call(self, path: str, traceparent: str) -> Iterator[CallRecord]:
        """Watch one call, for as long as it is entered; its status is to be noted in it."""
        call = CallRecord(path, self._clock(), trace_context(traceparent))
        entered = _CURRENT.set(call)
        try:
            yield call
        finally:
            _CURRENT.reset(entered)
            call.ended_s = self._clock()
            for observe in self._observers:
                observe(call)


@contextmanager
def asking(stage: str, utterance_id: str, tenant: str) -> Iterator[None]:
    """Note a request to a stage, for as long as it is entered, in the call of this task."""
    call, asked = _CURRENT.get(), StageRecord(stage, boottime_s())
    if call is not None:
        call.utterance_id, call.tenant = utterance_id, tenant
        call.stages.append(asked)
    try:
        yield
    except AssistantError as error:
        asked.error = error.code
        raise
    finally:
        asked.ended_s = boottime_s()


def current_stage() -> StageRecord:
    """The request that this task waits for; one that nobody looks at where there is none."""
    call = _CURRENT.get()
    return call.stages[-1] if call is not None and call.stages else StageRecord()
