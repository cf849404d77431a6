"""Wyoming's own client has a text spoken while it is still being made."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest
from wyoming.audio import AudioChunk as Sound
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.ping import Ping
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from assistant.core.messages import SpokenReply
from assistant.rooms import asking
from tests.support.rooms import House


@pytest.fixture
def daemon() -> Iterator[House]:
    with closing(House()) as stand_in:
        yield stand_in


def streamed(*parts: str) -> list[Event]:
    chunks = [SynthesizeChunk(part).event() for part in parts]
    whole = Synthesize("".join(parts)).event()
    return [SynthesizeStart().event(), *chunks, whole, SynthesizeStop().event()]


def spoken(daemon: House) -> list[str]:
    return [message.text for message in daemon.seen if isinstance(message, SpokenReply)]


def types(events: list[Event]) -> list[str]:
    """The types of events, those of sound told once in a row."""
    found = [event.type for event in events]
    return [one for one, before in zip(found, ["", *found], strict=False) if one != before]


def test_each_sentence_of_a_text_is_spoken_once(daemon: House) -> None:
    parts = ("Dinner is rea", "dy. Come along", ". The soup gets cold.")
    told = daemon.ask(*streamed(*parts), ends="synthesize-stopped")
    assert types(told) == ["audio-start", "audio-chunk", "audio-stop", "synthesize-stopped"]
    assert spoken(daemon) == ["Dinner is ready.", "Come along.", "The soup gets cold."]
    sound = b"".join(Sound.from_event(one).audio for one in told if one.type == "audio-chunk")
    assert sound == b"".join(text.encode() * 10_000 for text in spoken(daemon))


def test_a_sentence_is_heard_while_the_next_one_is_made(daemon: House) -> None:
    async def run() -> list[str]:
        async with AsyncTcpClient("127.0.0.1", daemon.services.port) as client:
            for event in streamed("Dinner is ready. Come along", ".")[:2]:
                await client.write_event(event)
            first = await asyncio.wait_for(client.read_event(), 60)
            assert first is not None
            return [first.type, *spoken(daemon)]

    assert asyncio.run(run()) == ["audio-start", "Dinner is ready."]


@pytest.mark.parametrize("parts", [(), ("",), ("...", " \n")])
def test_a_text_without_a_word_is_silence(daemon: House, parts: tuple[str, ...]) -> None:
    told = daemon.ask(*streamed(*parts), ends="synthesize-stopped")
    assert types(told) == ["audio-stop", "synthesize-stopped"]


def test_a_text_that_begins_anew_drops_what_was_not_spoken(daemon: House) -> None:
    daemon.ask(*streamed("Dinner is")[:2], *streamed("Come."), ends="synthesize-stopped")
    assert spoken(daemon) == ["Come."]


def test_a_whole_text_is_spoken_after_one_that_came_bit_by_bit(daemon: House) -> None:
    daemon.ask(*streamed("One."), ends="synthesize-stopped")
    daemon.ask(*streamed("One."), Synthesize("Two.").event(), Ping().event(), ends="pong")
    assert spoken(daemon) == ["One.", "One.", "Two."]


def test_parts_of_no_text_are_passed_over(daemon: House) -> None:
    parts = streamed("One.")[1:2]
    (told,) = daemon.ask(*parts, SynthesizeStop().event(), Ping().event(), ends="pong")
    assert told.type == "pong"


def test_what_cannot_be_spoken_is_told_once_and_ends_as_it_should(
    daemon: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LONGEST_TEXT", 10)
    told = daemon.ask(*streamed("One. Two three", "x", "y" * 11), ends="synthesize-stopped")
    assert types(told) == ["error", "audio-stop", "synthesize-stopped"]
    assert Error.from_event(told[0]).code == "rooms.text"
    assert spoken(daemon) == []
