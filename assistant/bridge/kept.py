"""What connections have in common that a thread with an event loop keeps: it connects again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import sys
import threading
from abc import abstractmethod
from pathlib import Path

from assistant.bridge.link import Link
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError

RECONNECT_S = (1.0, 30.0)
"""Seconds until the next attempt: at first, and at most, as each failure doubles them."""
REFUSED = ("bridge.token", "bridge.password")
"""Codes of errors that only another secret ends."""
SECRET_S = 300.0
"""Seconds until a refused secret is tried again, unless its file has changed. Home Assistant
warns its owner of each attempt, and may ban this device."""
LOOK_S = 2.0
"""Seconds between two looks at the secret's file."""
GOODBYE_S = 2.0


class KeptLink(Link):
    """A link whose connection is restored when it fails; `secret` is the file that proves it.

    `_start` begins the thread, once the rest is made.
    """

    def __init__(
        self, log: logging.Logger, name: str, secret: Path | None, device: str = "broker"
    ) -> None:
        super().__init__(log, name, device)
        self._secret = secret
        self._keeper: asyncio.Task[None] | None = None
        self._stopping = False

    def close(self) -> None:
        """End the connection."""
        self._hush()
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(GOODBYE_S)

    @abstractmethod
    async def _once(self) -> None:
        """Stay connected; raises `BridgeError` for why that ended."""

    def _start(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with (
                asyncio.Runner(loop_factory=lambda: self._loop) as runner,
                contextlib.suppress(asyncio.CancelledError),
            ):
                runner.run(self._keep())
        finally:
            self._ended(sys.exception())

    def _stop(self) -> None:
        """End `_keep`, which ends what it has begun."""
        self._stopping = True
        if self._keeper is not None:
            self._keeper.cancel()

    async def _keep(self) -> None:
        """Connect again and again."""
        self._keeper = asyncio.current_task()
        least_s, most_s = RECONNECT_S
        wait_s = least_s
        while not self._stopping:
            since_s, secret = boottime_s(), self._stamp()
            try:
                await self._once()
            except BridgeError as error:
                self._changed(False, error.message)
                if error.code in REFUSED:
                    await self._other_secret(secret)
                    continue
            if boottime_s() - since_s > most_s:  # it was there
                wait_s = least_s
            await asyncio.sleep(wait_s * random.uniform(0.8, 1.2))
            wait_s = min(2 * wait_s, most_s)

    async def _other_secret(self, before: tuple[int, ...]) -> None:
        """Wait until the secret's file is another one than `before`, or long enough."""
        until_s = boottime_s() + SECRET_S
        while self._stamp() == before and boottime_s() < until_s:
            await asyncio.sleep(LOOK_S)

    def _stamp(self) -> tuple[int, ...]:
        try:
            facts = self._secret.stat() if self._secret is not None else None
        except OSError:
            return ()
        if facts is None:
            return ()
        return (facts.st_ino, facts.st_mtime_ns, facts.st_size, facts.st_mode)
