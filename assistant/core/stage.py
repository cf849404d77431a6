"""The protocols of the stages of the chain, and of sources that feed them from outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from assistant.core.messages import Message


class Stage(Protocol):
    """A synchronous step of the chain: messages in, messages out, no clock and no sockets.

    Time comes with the messages. A stage that streams has a generator as its `feed`; the worker
    closes it when the user barges in. What `feed` raises becomes `StageFailed`; the next message
    starts clean. A stage with a `close` is closed when a reload has replaced it.
    """

    consumes: ClassVar[tuple[type[Message], ...]]

    def feed(self, message: Message) -> Iterable[Message]:
        """Take one message of a type in `consumes`, or a due `Tick`, and give the results."""

    def deadline_s(self) -> float | None:
        """The latest time on CLOCK_BOOTTIME at which a `Tick` must be fed; None for never."""


class Source(Protocol):
    """Something outside the bus that a worker polls beside its sockets, such as a microphone."""

    def fileno(self) -> int:
        """A descriptor that is readable when `read` has something to give."""

    def read(self) -> Iterable[Message]:
        """The messages that have arrived, with `at_s` set, for the worker's stage; never blocks."""

    def close(self) -> None:
        """Release the device."""
