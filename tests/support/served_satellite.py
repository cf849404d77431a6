"""A satellite that is served on the network, whose devices are scripted."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing

from assistant.core.messages import PlaybackEnded, PlaybackStarted
from assistant.pairing.at_satellite import Pairing
from assistant.pairing.trust import Trust
from assistant.satellite import serve
from assistant.satellite.serve import Server
from audio.frames import FRAME_S, SILENCE
from tests.support.pairing import NOBODY
from tests.support.satellite_board import Board, Microphone

HERE = "127.0.0.1"


class Served:
    """A satellite that is served, and its devices."""

    def __init__(self, bases: tuple[str, ...], port: int = 0, trust: Trust = NOBODY) -> None:
        self.board, self.devices, self.beats = Board(), Microphone(), 0
        self.board.now_s = serve.boottime_s()
        self._said = deque[bytes]()
        pairing = Pairing(trust, self.board.satellite.announce)
        self.server = Server(
            self.board.satellite, [self.devices], bases, HERE, port, pairing, beat=self._beat
        )

    def _beat(self) -> None:
        self.beats += 1

    def wakes(self) -> None:
        """Have the satellite notice its wake word."""
        self.board.wake.word = "computer"
        self.devices.give(self.board.frame())

    async def listen(self) -> None:
        """Have the satellite hear what is said, and else silence, until this is cancelled."""
        loop = asyncio.get_running_loop()
        due_s = loop.time()
        while True:
            self.devices.give(self.board.frame(self._said.popleft() if self._said else SILENCE))
            due_s += FRAME_S
            await asyncio.sleep(due_s - loop.time())

    def say(self, frames: Sequence[bytes]) -> None:
        """Say the wake word, which is noticed at once, and what comes after it."""
        self.board.wake.word = "computer"
        self._said.extend(frames)

    def plays(self, name: str) -> None:
        """Tell that a reply was played to its end."""
        self.devices.give(PlaybackStarted(utterance_id=name), PlaybackEnded(utterance_id=name))


@asynccontextmanager
async def serving(*bases: str, trust: Trust = NOBODY) -> AsyncIterator[Served]:
    """A satellite that listens, for these bases."""
    made = Served(bases, trust=trust)
    with closing(made.devices):
        running = asyncio.create_task(made.server.run())
        await until(lambda: made.beats)
        try:
            yield made
        finally:
            made.server.stop()
            await asyncio.wait_for(running, 60)


async def until(what: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait for something to be so."""
    async with asyncio.timeout(within_s):
        while not what():
            await asyncio.sleep(0.01)
