"""One interface to stages that run on several workers, wherever these are.

`LocalPool` has them in processes of this machine. The stages are those of the daemon: no code of
theirs knows which engine feeds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from assistant.core.errors import AssistantError
from assistant.core.messages import Message
from assistant.pool.requests import PoolRequest


class PoolError(AssistantError):
    """A request that no worker takes, or that none could finish."""


class BusyError(PoolError):
    """There is no time for the request, not even for its lighter form (`pool.busy`)."""


class ClosedError(PoolError):
    """The pool has ended (`pool.closed`)."""


class Stream(Protocol):
    """The messages of a reply, in order, each once; iterating waits for the next one."""

    def __iter__(self) -> Iterator[Message]: ...

    def __next__(self) -> Message:
        """The next message; raises `PoolError` where no worker can finish the request."""

    def wait(self, seconds: float) -> bool:
        """Wait so long, or less; whether the next message, or the end, is there."""

    def close(self) -> None:
        """Have no more of the reply made."""


class Pool(Protocol):
    """Runs stages."""

    def run(self, stage: str, request: PoolRequest, budget_s: float = ...) -> Stream:
        """The reply of a stage to a request, which begins at once.

        A request for which more than `budget_s` is predicted is taken in its lighter form, or
        raises `BusyError`. What was taken is not dropped: where its worker dies, another one
        begins anew, and gives what was not given yet.
        """

    def close(self) -> None:
        """End all workers."""
