"""A satellite in the kitchen: what is said to it is done by the base, and answered there."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import termios
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from audio.frames import frames_of
from tests.support.network import free_port
from tests.support.processes import until
from tests.support.scenario import Daemon, Expect, Fifo, command_line, quiet, spoken

pytestmark = pytest.mark.e2e


def is_drained(fifo: Path) -> bool:
    """Whether all was heard that was written to a FIFO."""
    descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    try:
        waiting = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    finally:
        os.close(descriptor)
    return int.from_bytes(waiting, "little") == 0


class House:
    """A daemon with its rooms, and satellites in the kitchen and the bedroom."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.folder, self._things = folder, things
        self.ports = {name: free_port() for name in ("kitchen", "bedroom")}
        settings = "[nlu]\nmodels = false\n" + "".join(
            f'[wyoming.satellites.{name}]\naddress = "127.0.0.1"\nport = {port}\n'
            for name, port in self.ports.items()
        )
        self.daemon: Daemon = things.enter_context(quiet(folder, settings))
        self.satellites = {name: self.start_satellite(name) for name in self.ports}
        self.rooms = self.start_rooms()
        until(lambda: all(self.connections(name) == 1 for name in self.ports))

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
            assert process.wait(10) in (0, -signal.SIGKILL)

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
            path = self.folder / ("mic" if room == "mic" else f"{room}-mic")
            threads.append(threading.Thread(target=Fifo(path).speak, args=(wav,)))
            until(partial(is_drained, path))  # else they would not hear it at the same time
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
        return self.daemon.wait_for(Expect("Reply", {"text": text}).matches, 15)

    def heard(self) -> None:
        """Wait until the reply was played."""
        self.daemon.wait_for(Expect("PlaybackEnded", {"heard": True}).matches, 15)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as things:
        yield House(tmp_path_factory.mktemp("house"), things)


def test_what_is_said_there_is_done_and_answered_there(house: House) -> None:
    house.say("computer, turn on the light")
    assert house.replied("I turned on the kitchen light.")["area"] == "kitchen"
    house.heard()
    until(lambda: house.played("kitchen") == 1)


def test_a_question_is_answered_without_the_wake_word(house: House) -> None:
    house.say("computer, set a timer")
    house.replied("For how long?")
    house.heard()
    house.say("two seconds")
    house.replied("Timer for two seconds, starting now.")
    house.heard()
    assert house.replied("Your timer for two seconds is done.")["peer"] == "kitchen"
    house.heard()


def test_a_timer_of_another_room_rings_there(house: House) -> None:
    house.say("computer, set a timer in the bedroom for two seconds")
    house.replied("starting now")
    house.heard()
    assert house.replied("Your timer for two seconds is done.")["peer"] == "bedroom"
    house.heard()


def test_stop_ends_a_reply_there(house: House) -> None:
    house.say("computer, what can you do")
    house.daemon.wait_for(Expect("PlaybackStarted").matches, 15)
    house.say("stop", "rms")
    house.daemon.wait_for(Expect("PlaybackEnded", {"interrupted": True}).matches, 15)


@pytest.mark.parametrize(
    ("nearest", "decibels"),
    [
        ("kitchen", {"bedroom": 15.0, "kitchen": 3.0, "mic": 12.0}),
        ("bedroom", {"bedroom": 3.0, "kitchen": 12.0, "mic": 15.0}),
        ("", {"bedroom": 15.0, "kitchen": 12.0, "mic": 3.0}),
    ],
)
def test_of_several_that_hear_a_sentence_the_nearest_one_answers(
    house: House, nearest: str, decibels: dict[str, float]
) -> None:
    house.say_to_all("computer, what time is it", **decibels)
    assert house.replied("")["peer"] == nearest
    house.heard()
    assert "Reply" not in {one["type"] for one in house.daemon.passed_over}


def test_a_satellite_that_dies_frees_its_room_and_comes_back(house: House) -> None:
    house.say("computer, set a")
    house.daemon.wait_for(Expect("Woke").matches, 15)
    house.satellites["kitchen"].kill()
    house.daemon.wait_for(Expect("NothingHeard").matches, 2)
    house.satellites["kitchen"] = house.start_satellite("kitchen")
    until(lambda: house.connections("kitchen") == 2)
    house.say("computer, turn off the light")
    house.replied("I turned off the kitchen light.")
    house.heard()


def test_a_base_that_dies_is_told_of_and_comes_back(house: House) -> None:
    house.say("computer, set a timer for fifteen seconds")  # more than a busy machine takes to die
    house.replied("starting now")
    house.heard()
    house.rooms.kill()
    until(lambda: "the base is gone" in house.log("kitchen"))
    before = house.played()
    until(lambda: house.played() > before)  # its own ring
    before = house.played()
    house.say("computer, turn on the light")
    until(lambda: house.played() > before)
    house.rooms = house.start_rooms()
    until(lambda: house.connections("kitchen") == 3)
    house.say("computer, turn on the light")
    house.replied("I turned on the kitchen light.")
    house.heard()
