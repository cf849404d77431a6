"""Others in the home use a real daemon over Wyoming: its ear, its voice, its skills."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop
from wyoming.wake import Detect, Detection

from tests.support.processes import until
from tests.support.scenario import Daemon, command_line, quiet
from tests.support.voices import silence, speech

pytestmark = pytest.mark.e2e

FORMAT = (16_000, 2, 1)
ANSWERS_S = 30.0


class Home:
    """A daemon, its service for others, and a program that calls it."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        settings = f'[wyoming]\nallow = ["127.0.0.1"]\nport = {self.port}\n[nlu]\nmodels = false\n'
        self.daemon: Daemon = things.enter_context(quiet(folder, settings))
        command = command_line("rooms", "--config", str(self.daemon.config))
        self.service = subprocess.Popen(command)
        things.callback(self._stop)
        until(self._listens)

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except ConnectionRefusedError:
            return False
        return True

    def _stop(self) -> None:
        self.service.terminate()
        assert self.service.wait(10) == 0

    async def ask(self, *events: Event, ends: tuple[str, ...]) -> list[Event]:
        """What is answered to events, up to the first of these types."""
        async with AsyncTcpClient("127.0.0.1", self.port) as client:
            for event in events:
                await client.write_event(event)
            told: list[Event] = []
            while not told or told[-1].type not in ends:
                came = await asyncio.wait_for(client.read_event(), ANSWERS_S)
                assert came is not None, told
                told.append(came)
            return told

    async def words_of(self, text: str) -> str:
        """What is heard of a sentence that flite says."""
        sound = b"".join(speech(text))
        chunks = [AudioChunk(*FORMAT, sound[at : at + 2048]) for at in range(0, len(sound), 2048)]
        events = [Transcribe(language="en"), AudioStart(*FORMAT), *chunks, AudioStop()]
        (told,) = await self.ask(*(one.event() for one in events), ends=("transcript",))
        return Transcribed.from_event(told).text

    def obeyed(self, text: str) -> str:
        """The reply to a text; that it could not be obeyed stands in brackets."""
        said = Transcribed(text).event()
        *_, told = asyncio.run(self.ask(said, ends=("handled", "not-handled", "not-recognized")))
        if told.type == "handled":
            return Handled.from_event(told).text or ""
        return f"({NotHandled.from_event(told).text})"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with ExitStack() as things:
        yield Home(tmp_path_factory.mktemp("rooms"), things)


def test_it_tells_what_it_serves(home: Home) -> None:
    (told,) = asyncio.run(home.ask(Describe().event(), ends=("info",)))
    info = Info.from_event(told)
    assert [len(kind) for kind in (info.asr, info.tts, info.handle, info.wake)] == [1, 1, 1, 1]


def test_a_wake_word_is_heard(home: Home) -> None:
    sound = b"".join([*speech("computer"), *silence(0.5)])
    chunks = [AudioChunk(*FORMAT, sound[at : at + 2048]) for at in range(0, len(sound), 2048)]
    events = [Detect(["computer"]), AudioStart(*FORMAT), *chunks, AudioStop()]
    (told,) = asyncio.run(home.ask(*(one.event() for one in events), ends=("detection",)))
    assert Detection.from_event(told).name == "computer"


def test_sound_becomes_words_and_nothing_is_done(home: Home) -> None:
    text = "turn on the kitchen light"
    assert asyncio.run(home.words_of(text)) == text
    assert home.daemon.rows("SELECT state FROM devices WHERE entity_id = 'light.kitchen'") == [
        ("off",)
    ]


def test_several_are_heard_at_once(home: Home) -> None:
    texts = ["turn off the kitchen light", "what is the weather", "set a timer for ten minutes"]

    async def all_at_once() -> list[str]:
        return await asyncio.gather(*map(home.words_of, texts))

    assert asyncio.run(all_at_once()) == texts


def test_a_text_is_obeyed_and_answered_there_alone(home: Home) -> None:
    home.daemon.forget()
    assert home.obeyed("turn on the kitchen light") == "I turned on the kitchen light."
    assert home.daemon.rows("SELECT state FROM devices WHERE entity_id = 'light.kitchen'") == [
        ("on",)
    ]
    assert home.obeyed("turn it off") == "I turned off the kitchen light."
    assert home.obeyed("flurble the wug").startswith("(")
    time.sleep(0.5)
    told = [*home.daemon.seen, *home.daemon.passed_over]
    while not home.daemon.events.empty():
        told.append(home.daemon.events.get())
    assert "Reply" in {event["type"] for event in told}
    assert "PlaybackStarted" not in {event["type"] for event in told}


def test_a_question_back_is_answered_there(home: Home) -> None:
    assert home.obeyed("set a timer") == "For how long?"
    assert home.obeyed("ten minutes") == "Timer for ten minutes, starting now."


def test_a_text_is_spoken(home: Home) -> None:
    said = Synthesize("Dinner is ready. Come along.").event()
    told = asyncio.run(home.ask(said, ends=("audio-stop",)))
    start = AudioStart.from_event(told[0])
    sound = b"".join(AudioChunk.from_event(one).audio for one in told[1:-1])
    assert 1.0 < len(sound) / start.rate / 2 < 6.0
    assert any(sound)


def test_a_text_is_spoken_while_it_is_made(home: Home) -> None:
    async def run() -> list[str]:
        async with AsyncTcpClient("127.0.0.1", home.port) as client:
            for first in (SynthesizeStart(), SynthesizeChunk("Dinner is ready. Come along")):
                await client.write_event(first.event())
            before = await asyncio.wait_for(client.read_event(), ANSWERS_S)
            for last in (SynthesizeChunk(", please."), SynthesizeStop()):
                await client.write_event(last.event())
            told = [before]
            while told[-1] is not None and told[-1].type != "synthesize-stopped":
                told.append(await asyncio.wait_for(client.read_event(), ANSWERS_S))
            return [event.type for event in told if event is not None]

    told = asyncio.run(run())
    assert [told[0], *told[-2:]] == ["audio-start", "audio-stop", "synthesize-stopped"]
    assert set(told[1:-2]) == {"audio-chunk"}


def test_a_service_that_is_killed_comes_back_to_the_same_daemon(home: Home) -> None:
    home.service.send_signal(signal.SIGKILL)
    home.service.wait(10)
    command = command_line("rooms", "--config", str(home.daemon.config))
    home.service = subprocess.Popen(command)
    until(home._listens)
    assert home.obeyed("turn on the kitchen light") == "I turned on the kitchen light."
