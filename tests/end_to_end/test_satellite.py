"""Satellites: what is said to them is done by the base, and answered there. And others in the home
use its ear, its voice and its skills over Wyoming."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.tts import Synthesize
from wyoming.wake import Detect, Detection

from audio.frames import frames_of
from tests.support.network import free_port
from tests.support.processes import until
from tests.support.scenario import PATIENCE_S, Daemon, Expect, Fifo, command_line, quiet, spoken
from tests.support.voices import silence, speech

pytestmark = pytest.mark.e2e

FORMAT = (16_000, 2, 1)
LIGHT = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"


class House:
    """A daemon with its rooms, satellites in the kitchen and the bedroom, and who calls it."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.folder, self._things = folder, things
        self.ports = {name: free_port() for name in ("kitchen", "bedroom")}
        self.port = free_port()
        settings = f'[wyoming]\nallow = ["127.0.0.1"]\nport = {self.port}\n' + "".join(
            f'[wyoming.satellites.{name}]\naddress = "127.0.0.1"\nport = {port}\n'
            for name, port in self.ports.items()
        )
        self.daemon: Daemon = things.enter_context(quiet(folder, settings))
        self.satellites = {name: self.start_satellite(name) for name in self.ports}
        self.rooms = self.start_rooms()
        until(lambda: all(self.connections(name) == 1 for name in self.ports))
        until(self._listens)

    def start_satellite(self, name: str) -> subprocess.Popen[bytes]:
        """Start a satellite."""
        own, sound = self.folder / f"{name}.toml", self.folder / name
        own.write_text(f'[audio]\ninput = "fifo:{sound}-mic"\noutput = "folder:{sound}"\n')
        here = ("--base", "127.0.0.1", "--port", str(self.ports[name]), "--config", str(own))
        return self._started(name, "satellite", *here)

    def start_rooms(self) -> subprocess.Popen[bytes]:
        """Start the service of the base."""
        return self._started("rooms", "rooms", "--config", str(self.daemon.config))

    def _started(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command_line(*arguments), stdout=log, stderr=log)

        def stop() -> None:
            process.terminate()
            assert process.wait(PATIENCE_S) in (0, -signal.SIGKILL)

        self._things.callback(stop)
        return process

    def say(self, text: str, voice: str = "slt", room: str = "kitchen") -> None:
        """Say something in a room."""
        self.daemon.forget()
        Fifo(self.folder / f"{room}-mic").speak(spoken(text, voice, self.folder))

    def say_to_all(self, text: str, **decibels: float) -> None:
        """Say something that several rooms hear, "mic" the device, so much less in each."""
        self.daemon.forget()
        said = np.frombuffer(b"".join(frames_of(spoken(text, "slt", self.folder))), np.int16)
        threads = []
        for room, less_db in decibels.items():
            noise = np.random.default_rng(len(room)).normal(0, 30, len(said) + 64_000)
            noise[48_000 : 48_000 + len(said)] += said * 10 ** (-less_db / 20)
            wav = self.folder / f"{room}-said.wav"
            soundfile.write(wav, np.clip(noise, -32768, 32767).astype(np.int16), 16_000)
            fifo = Fifo(self.folder / ("mic" if room == "mic" else f"{room}-mic"))
            threads.append(threading.Thread(target=fifo.speak, args=(wav,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def log(self, process: str) -> str:
        """What a process has logged."""
        return (self.folder / f"{process}.log").read_text()

    def connections(self, name: str) -> int:
        """How often the base has found a satellite."""
        return self.log("rooms").count(f"satellite {name} is there")

    def played(self, room: str = "kitchen") -> int:
        """How many replies and notices a satellite has played to their end."""
        return len(list((self.folder / room).glob("*.wav")))

    def replied(self, text: str) -> dict[str, Any]:
        """Wait for a reply."""
        return self.daemon.wait_for(Expect("Reply", {"text": text}).matches, PATIENCE_S)

    def heard(self) -> None:
        """Wait until the reply was played."""
        self.daemon.wait_for(Expect("PlaybackEnded", {"heard": True}).matches, PATIENCE_S)

    def _listens(self) -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self, *events: Event, ends: tuple[str, ...]) -> list[Event]:
        """What is answered to events of another program, up to the first of these types."""

        async def asked() -> list[Event]:
            async with AsyncTcpClient("127.0.0.1", self.port) as client:
                for event in events:
                    await client.write_event(event)
                told: list[Event] = []
                while not told or told[-1].type not in ends:
                    came = await asyncio.wait_for(client.read_event(), PATIENCE_S)
                    assert came is not None, told
                    told.append(came)
                return told

        return asyncio.run(asked())

    def obeyed(self, text: str) -> str:
        """The reply to a text; that it could not be obeyed stands in brackets."""
        said = Transcribed(text).event()
        *_, told = self.ask(said, ends=("handled", "not-handled", "not-recognized"))
        if told.type == "handled":
            return Handled.from_event(told).text or ""
        return f"({NotHandled.from_event(told).text})"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as things:
        yield House(tmp_path_factory.mktemp("house"), things)


def test_what_is_said_there_is_done_and_answered_there(house: House) -> None:
    house.say("computer, turn on the light")
    assert house.replied("I turned on the kitchen light.")["area"] == "kitchen"
    house.heard()
    until(lambda: house.played("kitchen") == 1)
    house.say("computer, set a timer")
    house.replied("For how long?")
    house.heard()
    house.say("two seconds")
    house.replied("Timer for two seconds, starting now.")
    house.heard()
    assert house.replied("Your timer for two seconds is done.")["peer"] == "kitchen"
    house.heard()


def test_of_several_that_hear_a_sentence_the_nearest_one_answers(house: House) -> None:
    house.say_to_all("computer, what time is it", bedroom=3.0, kitchen=12.0, mic=15.0)
    assert house.replied("")["peer"] == "bedroom"
    house.heard()
    assert "Reply" not in {one["type"] for one in house.daemon.passed_over}


def test_who_dies_in_mid_sentence_is_missed_and_comes_back(house: House) -> None:
    house.say("computer, set a")
    house.daemon.wait_for(Expect("Woke").matches, PATIENCE_S)
    house.satellites["kitchen"].kill()
    house.daemon.wait_for(Expect("NothingHeard").matches, PATIENCE_S)
    house.satellites["kitchen"] = house.start_satellite("kitchen")
    until(lambda: house.connections("kitchen") == 2)
    house.rooms.kill()
    until(lambda: "the base is gone" in house.log("kitchen"))
    before = house.played()
    house.say("computer, turn off the light")
    until(lambda: house.played() > before)  # it says so itself
    house.rooms = house.start_rooms()
    until(lambda: house.connections("kitchen") == 3)
    house.say("computer, turn off the light")
    house.replied("I turned off the kitchen light.")
    house.heard()


def test_others_use_its_ear_its_voice_and_its_skills(house: House) -> None:
    def chunks(*frames: bytes) -> list[Event]:
        sound = b"".join(frames)
        pieces = [sound[at : at + 2048] for at in range(0, len(sound), 2048)]
        events = (AudioStart(*FORMAT), *(AudioChunk(*FORMAT, one) for one in pieces), AudioStop())
        return [event.event() for event in events]

    woken = (Detect(["computer"]).event(), *chunks(*speech("computer"), *silence(0.5)))
    (told,) = house.ask(*woken, ends=("detection",))
    assert Detection.from_event(told).name == "computer"
    before = house.daemon.rows(LIGHT)
    text = "turn on the kitchen light"
    (told,) = house.ask(
        Transcribe(language="en").event(), *chunks(*speech(text)), ends=("transcript",)
    )
    assert Transcribed.from_event(told).text == text
    assert house.daemon.rows(LIGHT) == before  # nothing is done
    house.daemon.forget()
    aloud = len(house.daemon.all("PlaybackStarted"))
    assert house.obeyed(text) == "I turned on the kitchen light."
    assert house.daemon.rows(LIGHT) == [("on",)]
    assert house.obeyed("flurble the wug").startswith("(")
    assert house.obeyed("set a timer") == "For how long?"
    assert house.obeyed("ten minutes") == "Timer for ten minutes, starting now."
    house.daemon.type("turn off the kitchen light")  # after it, all that came of those is told
    house.replied("I turned off the kitchen light.")
    house.heard()
    assert len(house.daemon.all("PlaybackStarted")) == aloud + 1
    *sound, _ = house.ask(Synthesize("Dinner is ready.").event(), ends=("audio-stop",))
    start = AudioStart.from_event(sound[0])
    spoken_ = b"".join(AudioChunk.from_event(one).audio for one in sound[1:])
    assert 0.5 < len(spoken_) / start.rate / 2 < 6.0
    assert any(spoken_)
