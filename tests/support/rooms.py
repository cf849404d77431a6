"""What serves others over Wyoming, with a stand-in for the daemon, and their client."""

from __future__ import annotations

import asyncio

from wyoming.asr import Transcribe
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event

from assistant.core.settings.wyoming import WyomingSettings
from tests.support.stand_in_daemon import StandIn

LOCAL = ("127.0.0.0/8", "::1")
FORMAT = (16_000, 2, 1)
SECOND = bytes(32_000)


class House(StandIn):
    """A stand-in daemon that serves this machine."""

    def __init__(self) -> None:
        super().__init__(WyomingSettings(allow=LOCAL, address="127.0.0.1", port=0))

    def ask(self, *events: Event, ends: str) -> list[Event]:
        """What is answered to events, up to the first of a type."""

        async def run() -> list[Event]:
            async with AsyncTcpClient("127.0.0.1", self.services.port) as client:
                for event in events:
                    await client.write_event(event)
                told: list[Event] = []
                while not told or told[-1].type != ends:
                    event_ = await asyncio.wait_for(client.read_event(), 60)
                    assert event_ is not None, told
                    told.append(event_)
                return told

        return asyncio.run(run())


def heard(*pieces: bytes) -> list[Event]:
    """A sound that is to be recognised."""
    chunks = [AudioChunk(*FORMAT, piece).event() for piece in pieces]
    return [
        Transcribe(language="en").event(),
        AudioStart(*FORMAT).event(),
        *chunks,
        AudioStop().event(),
    ]
