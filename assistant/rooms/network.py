"""The thread of all connections: those of who comes to be served, and those to the satellites."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from concurrent.futures import Future

from wyoming.info import Info

from assistant.core.errors import RoomsError
from assistant.core.settings.hearing import ListeningSettings
from assistant.core.settings.wyoming import WyomingSettings
from assistant.pairing.trust import Trust
from assistant.rooms.base.base import Base
from assistant.rooms.daemon import Daemon
from assistant.rooms.discovery.announcing import Announcer
from assistant.rooms.discovery.multicast import SERVICES
from assistant.rooms.services import Services, networks
from assistant.rooms.wake_words import WakeWords

STARTS_S, ENDS_S = 10.0, 1.0


class Network:
    """Runs the services and the base; `daemon` is the `Source` of what they have for the daemon.

    Raises `ConfigError` for addresses that are none, and `RoomsError` where it cannot listen.
    """

    def __init__(
        self,
        settings: WyomingSettings,
        info: Info,
        listening: ListeningSettings,
        words: WakeWords,
        trust: Trust,
    ) -> None:
        allowed = networks(settings.allow)
        self._loop = asyncio.new_event_loop()
        self.daemon = Daemon(self._loop)
        self.services = Services(settings, allowed, info, self.daemon, words)
        self.base = Base(settings, listening, self.daemon.send, words, trust)
        self.daemon.follow(self.base.take)
        self._settings = settings
        self._started: Future[None] = Future()
        self._ending = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="wyoming")
        self._thread.start()
        try:
            self._started.result(STARTS_S)
        except RoomsError:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the thread of the connections lives."""
        return self._thread.is_alive()

    def close(self) -> None:
        """End every connection."""
        if self.alive:
            self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()
        self.daemon.close()

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        try:
            await self.services.start()
        except RoomsError as error:
            self._started.set_exception(error)
            return
        lasting = [self.base.run(), self._ending.wait()]
        if self._settings.announce and (port := self.services.port):
            announcer = Announcer(socket.gethostname(), SERVICES, self._settings.address, port)
            lasting.append(announcer.run())
        self._started.set_result(None)
        running = [asyncio.create_task(one) for one in lasting]
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        self.services.close()
        # One that fails as it is cancelled tries again, and is to be cancelled again.
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDS_S):
                    await asyncio.gather(*tasks, return_exceptions=True)
