"""Wyoming's frames are read within their limits, and what is none ends in one clear error."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import closing

import pytest
from wyoming.audio import AudioChunk
from wyoming.event import Event
from wyoming.ping import Pong
from wyoming.tts import Synthesize

from assistant.core.errors import RoomsError
from assistant.rooms import wire
from assistant.rooms.wire import (
    IDLE_S,
    MOST_DATA_BYTES,
    MOST_HEADER_BYTES,
    MOST_PAYLOAD_BYTES,
    read_event,
    write_event,
)


class Sent:
    """What is written, in place of a connection."""

    def __init__(self) -> None:
        self.bytes = b""

    def write(self, data: bytes) -> None:
        self.bytes += data

    def writelines(self, lines: tuple[bytes, ...]) -> None:
        self.bytes += b"".join(lines)

    async def drain(self) -> None:
        """Nothing waits."""


def read(*pieces: bytes, ends: bool = True, idle_s: float | None = IDLE_S) -> list[Event | None]:
    """The events in what was sent, with a None at the end."""

    async def run() -> list[Event | None]:
        reader = asyncio.StreamReader(MOST_HEADER_BYTES)
        for piece in pieces:
            reader.feed_data(piece)
        if ends:
            reader.feed_eof()
        events = [await read_event(reader, idle_s)]
        while events[-1] is not None:
            events.append(await read_event(reader, idle_s))
        return events

    return asyncio.run(run())


def written(*events: Event) -> bytes:
    sent = Sent()
    for event in events:
        asyncio.run(write_event(event, sent))  # type: ignore[arg-type]
    return sent.bytes


def test_events_come_back_as_they_were_sent() -> None:
    sound = AudioChunk(16_000, 2, 1, b"\1\2" * 1000)
    said = Synthesize("Grüß dich")
    first, second, end = read(written(sound.event(), said.event()))
    assert first is not None
    assert second is not None
    assert AudioChunk.from_event(first).audio == sound.audio
    assert Synthesize.from_event(second).text == said.text
    assert end is None


def test_what_came_while_this_end_was_held_up_is_no_silence() -> None:
    pong = written(Pong().event())

    async def run() -> Event | None:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours, limit=MOST_HEADER_BYTES)
        with closing(theirs), closing(writer):
            reading = asyncio.create_task(read_event(reader, 0.05))
            await asyncio.sleep(0)
            theirs.sendall(pong)
            time.sleep(0.1)
            return await reading

    event = asyncio.run(run())
    assert event is not None
    assert Pong.is_type(event.type)


def test_a_frame_may_come_in_any_pieces() -> None:
    frame = written(AudioChunk(16_000, 2, 1, bytes(64)).event())
    events = read(*(frame[at : at + 1] for at in range(len(frame))))
    assert [event.type for event in events if event is not None] == ["audio-chunk"]


@pytest.mark.parametrize(
    "frame",
    [
        b"no json\n",
        b"[]\n",
        b'{"type": 3}\n',
        b'{"type": ""}\n',
        b'{"data": {}}\n',
        b'{"type": "ping", "data": []}\n',
        b'{"type": "ping", "data_length": -1}\n',
        b'{"type": "ping", "data_length": 3}\n[]\n',
        b'{"type": "ping", "data_length": 4}\nnull',
        b'{"type": "ping", "payload_length": 9}\n1234',
        b'{"type": "ping"',
        b'{"type": "\xff"}\n',
        b'{"type": "ping", "data": ' + b"[" * 50_000 + b"\n",
        b'{"type": "' + b"x" * 2 * MOST_HEADER_BYTES + b'"}\n',
        f'{{"type": "ping", "data_length": {MOST_DATA_BYTES + 1}}}\n'.encode(),
        f'{{"type": "ping", "payload_length": {MOST_PAYLOAD_BYTES + 1}}}\n'.encode(),
        f'{{"type": "{"x" * 101}"}}\n'.encode(),
    ],
)
def test_what_is_no_event_is_an_error(frame: bytes) -> None:
    with pytest.raises(RoomsError):
        read(frame)


@pytest.mark.parametrize(("sent", "idle_s"), [(b"", 0.05), (b'{"type": "pi', None)])
def test_what_does_not_come_in_time_is_an_error(
    monkeypatch: pytest.MonkeyPatch, sent: bytes, idle_s: float | None
) -> None:
    monkeypatch.setattr(wire, "WHOLE_S", 0.05)
    with pytest.raises(RoomsError) as raised:
        read(sent, ends=False, idle_s=idle_s)
    assert raised.value.code == "rooms.slow"


def test_what_is_nested_too_deeply_to_be_sent_is_told() -> None:
    text: list[object] = []
    for _ in range(100_000):
        text = [text]
    with pytest.raises(RoomsError, match="nested too deeply"):
        asyncio.run(write_event(Event("pong", {"text": text}), Sent()))  # type: ignore[arg-type]
