"""The daemon as the connections see it: what is asked of it, and what it answers to each."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from assistant.core.clock import boottime_s
from assistant.core.messages import Message, Tick


class Daemon:
    """Passes messages between the worker's thread, which has the bus, and that of `loop`.

    It is a `Source` whose `Tick` means that messages wait to be sent.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._waiting: deque[Message] = deque()
        self._asked: dict[str, asyncio.Queue[Message]] = {}
        self._follow: Callable[[Message], None] = lambda message: None

    # ── the thread of the loop ──────────────────────────────────────────────────────────────

    def send(self, *messages: Message) -> None:
        """Have messages sent to the daemon, in this order."""
        self._waiting.extend(messages)
        os.eventfd_write(self._signal, 1)

    @contextlib.contextmanager
    def asking(self, utterance_id: str) -> Iterator[asyncio.Queue[Message]]:
        """What the daemon answers to an utterance, while this is open."""
        queue = self._asked[utterance_id] = asyncio.Queue()
        try:
            yield queue
        finally:
            del self._asked[utterance_id]

    def follow(self, take: Callable[[Message], None]) -> None:
        """Have `take` called with what nobody has asked for by its utterance."""
        self._follow = take

    def _hand_on(self, utterance_id: str, message: Message) -> None:
        if (queue := self._asked.get(utterance_id)) is not None:
            queue.put_nowait(message)
        else:
            self._follow(message)

    # ── the worker's thread ─────────────────────────────────────────────────────────────────

    def answer(self, utterance_id: str, message: Message) -> None:
        """Hand a message to who asked, or else to who follows."""
        self._loop.call_soon_threadsafe(self._hand_on, utterance_id, message)

    def asked(self) -> Iterator[Message]:
        """The messages that wait to be sent."""
        while self._waiting:
            yield self._waiting.popleft()

    def fileno(self) -> int:
        """A descriptor that is readable when messages wait."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """A `Tick`, on which the stage gives what waits."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        return (Tick(at_s=boottime_s()),)

    def close(self) -> None:
        """Release the descriptor."""
        os.close(self._signal)
