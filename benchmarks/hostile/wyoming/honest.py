"""A satellite that does no wrong: while another attacks the base, it must be served as ever."""

from __future__ import annotations

import asyncio
import base64
import random
import threading

from wyoming.event import Event

from assistant.core.errors import RoomsError
from assistant.rooms.detection import KEY
from assistant.rooms.wire import MOST_HEADER_BYTES, read_event, write_event
from benchmarks.hostile.wyoming.frames import FORMAT

WAKES_EVERY_S, DONE_WITHIN_S = 3.0, 10.0
"""Seconds between its wake words, and in which the base must be done with what follows one."""
IMPRINT_BYTES = 300
INFO = {
    "satellite": {
        "name": "x",
        "attribution": {"name": "x", "url": ""},
        "installed": True,
        "description": "x",
        "version": "1",
        "supports_trigger": True,
    }
}


class Honest:
    """Serves the base at `port` in a thread of its own, until `close`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.connections = self.served = self.unserved = 0
        self._done, self._ending = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))
        self._thread.start()

    def close(self) -> None:
        """Hang up."""
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()
        self._loop.close()

    async def _run(self) -> None:
        server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, limit=MOST_HEADER_BYTES
        )
        await self._ending.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        waking = asyncio.create_task(self._wake(writer))
        try:
            while (event := await read_event(reader)) is not None:
                if event.type == "describe":
                    await write_event(Event("info", INFO), writer)
                elif event.type == "ping":
                    await write_event(Event("pong", {"text": None}), writer)
                elif event.type == "detect":
                    await write_event(Event("not-detected", {"context": _context()}), writer)
                elif event.type == "transcript":
                    self._done.set()
        except (RoomsError, asyncio.CancelledError):
            pass
        finally:
            waking.cancel()
            writer.close()

    async def _wake(self, writer: asyncio.StreamWriter) -> None:
        """Notice a wake word from time to time, after which nobody says anything."""
        while True:
            await asyncio.sleep(WAKES_EVERY_S)
            self._done.clear()
            noticed = Event("detection", {"name": "computer", "context": _context()})
            await write_event(noticed, writer)
            stages = {"start_stage": "asr", "end_stage": "tts"}
            await write_event(Event("run-pipeline", stages), writer)
            await write_event(Event("audio-chunk", dict(FORMAT), bytes(3_200)), writer)
            try:
                async with asyncio.timeout(DONE_WITHIN_S):
                    await self._done.wait()
                self.served += 1
            except TimeoutError:
                self.unserved += 1


def _context() -> dict[str, object]:
    imprint = random.Random(1).randbytes(IMPRINT_BYTES)
    heard = [12.0, base64.b64encode(imprint).decode()]
    return {KEY: {"preroll_s": 0.5, "keyword_ended_s": 0.45, "heard": heard}}
