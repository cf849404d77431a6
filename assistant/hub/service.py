"""What the hub serves, whichever protocol it is asked by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError, InputError
from assistant.hub.calls import Streams
from assistant.hub.doors import Doors, RateError, RightError, StrangerError
from assistant.hub.observation.figures import CallFigures
from assistant.hub.observation.watch import CallRecord, Watch
from assistant.hub.schema import ModelState
from assistant.hub.tenants import Tenant
from assistant.pool.pool import BusyError, PoolError

MOST_BYTES = 8_000_000
"""Largest body: a minute of 16-bit stereo at 48 kHz is 11.5 MB, of 16 kHz mono 1.9 MB."""
LONGEST_S = 60.0
"""Time that a call may take; whoever waits longer is told so."""
STRANGE, FORBIDDEN, UNUSABLE, TOO_OFTEN, BROKEN, BUSY, LATE = 401, 403, 422, 429, 500, 503, 504
"""How a call may end, as HTTP has it."""
GONE = 499
"""How one ends whose caller has gone, as nginx has it."""


class Service:
    """The `streams` of a pool for the `tenants`; `models` lists those of the stages.

    Each of the `observers` is told of every call once it is over.
    """

    def __init__(
        self,
        streams: Streams,
        tenants: Mapping[str, Tenant],
        models: Callable[[], Sequence[ModelState]],
        clock: Callable[[], float] = boottime_s,
        observers: Sequence[Callable[[CallRecord], None]] = (),
    ) -> None:
        self.streams, self.models = streams, models
        self.doors, self.figures = Doors(tenants, clock), CallFigures()
        self.watch = Watch((self.figures.observe, *observers))


def status_of(error: AssistantError) -> int:
    """The status of a call that ends with an error, as HTTP has it."""
    match error:
        case StrangerError():
            return STRANGE
        case RightError():
            return FORBIDDEN
        case RateError():
            return TOO_OFTEN
        case BusyError() | PoolError():
            return BUSY
        case InputError():
            return UNUSABLE
    return BROKEN
