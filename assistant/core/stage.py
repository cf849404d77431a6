"""The protocols that every stage of the chain, and whatever feeds one from outside, keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from assistant.core.messages import Message


class Stage(Protocol):
    """A synchronous step of the chain: messages in, messages out, no clock and no sockets.

    Time comes with the messages. A stage that streams is a generator; the worker closes it when
    the user barges in. What `feed` raises becomes `StageFailed`; the next message starts clean.
    One that also has a `close` is closed when a reload has made another in its place.
    """

    consumes: ClassVar[tuple[type[Message], ...]]

    def feed(self, message: Message) -> Iterable[Message]:
        """Take one message of a type in `consumes`, or a due `Tick`, and give what follows."""

    def deadline_s(self) -> float | None:
        """When, on CLOCK_BOOTTIME, a `Tick` must be fed at the latest; None for never."""


class Source(Protocol):
    """Something outside the bus that a worker polls beside its sockets, such as a microphone."""

    def fileno(self) -> int:
        """A descriptor that is readable when `read` has something to give."""

    def read(self) -> Iterable[Message]:
        """What has arrived, with `at_s` set, for the worker's own stage; never blocks."""

    def close(self) -> None:
        """Let go of the device."""
