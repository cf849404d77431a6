"""The one protocol that every stage of the chain keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from assistant.core.messages import Message


class Stage(Protocol):
    """A synchronous step of the chain: messages in, messages out, no clock and no sockets.

    Time comes with the messages. A stage that streams is a generator; the worker closes it when
    the user barges in. What `feed` raises becomes `StageFailed`, and the next message starts clean.
    """

    consumes: ClassVar[tuple[type[Message], ...]]

    def feed(self, message: Message) -> Iterable[Message]:
        """Take one message of a type in `consumes` (or a due `Tick`) and give what follows from it."""

    def deadline_s(self) -> float | None:
        """When, on CLOCK_BOOTTIME, the stage must be fed a `Tick` at the latest; None for never."""
