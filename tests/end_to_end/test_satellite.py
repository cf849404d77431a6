"""A satellite in the kitchen: what is said to it is done by the base, and answered there."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.processes import until
from tests.support.scenario import Daemon, Expect, Fifo, command_line, quiet, spoken

pytestmark = pytest.mark.e2e


def free_port() -> int:
    """A TCP port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


class House:
    """A daemon with its rooms, and a satellite in the kitchen."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.folder, self._things = folder, things
        self.port = free_port()
        settings = (
            "[nlu]\nmodels = false\n"
            f'[wyoming.satellites.kitchen]\naddress = "127.0.0.1"\nport = {self.port}\n'
        )
        self.daemon: Daemon = things.enter_context(quiet(folder, settings))
        self.mouth = Fifo(folder / "kitchen-mic")
        self.replies = folder / "kitchen-replies"
        own = (
            f'[audio]\ninput = "fifo:{folder / "kitchen-mic"}"\noutput = "folder:{self.replies}"\n'
        )
        (folder / "satellite.toml").write_text(own)
        self.satellite = self.start_satellite()
        self.rooms = self.start_rooms()

    def start_satellite(self) -> subprocess.Popen[bytes]:
        """Start the satellite."""
        own = str(self.folder / "satellite.toml")
        here = ("--base", "127.0.0.1", "--port", str(self.port))
        return self._started("satellite", *here, "--config", own)

    def start_rooms(self) -> subprocess.Popen[bytes]:
        """Start the service of the base."""
        return self._started("rooms", "--config", str(self.daemon.config))

    def _started(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{arguments[0]}.log").open("ab") as log:
            process = subprocess.Popen(command_line(*arguments), stdout=log, stderr=log)

        def stop() -> None:
            process.terminate()
            assert process.wait(10) in (0, -signal.SIGKILL)

        self._things.callback(stop)
        return process

    def say(self, text: str, voice: str = "slt") -> None:
        """Say something in the kitchen."""
        self.daemon.forget()
        self.mouth.speak(spoken(text, voice, self.folder))

    def log(self, process: str) -> str:
        """What a process has logged."""
        return (self.folder / f"{process}.log").read_text()

    def played(self) -> int:
        """How many replies and notices the satellite has played to their end."""
        return len(list(self.replies.glob("*.wav")))

    def heard(self) -> None:
        """Wait until the reply was played there."""
        self.daemon.wait_for(Expect("PlaybackEnded", {"heard": True}).matches, 15)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as things:
        made = House(tmp_path_factory.mktemp("house"), things)
        until(lambda: "satellite kitchen is there" in made.log("rooms"))
        yield made


def test_what_is_said_there_is_done_and_answered_there(house: House) -> None:
    house.say("computer, turn on the light")
    came = house.daemon.wait_for(Expect("Reply", {"area": "kitchen"}).matches, 15)
    assert came["text"] == "I turned on the kitchen light."
    house.heard()


def test_a_question_is_answered_without_the_wake_word(house: House) -> None:
    house.say("computer, set a timer")
    house.daemon.wait_for(Expect("Reply", {"text": "How long"}).matches, 15)
    house.heard()
    house.say("two seconds")
    house.daemon.wait_for(Expect("Reply", {"text": "two seconds"}).matches, 15)
    house.heard()
    house.daemon.wait_for(
        Expect("Reply", {"text": "Your timer for two seconds is done."}).matches, 15
    )
    house.heard()


def test_a_room_without_a_satellite_rings_here(house: House) -> None:
    """What is said in the kitchen is of the kitchen; the bedroom has no loudspeaker."""
    house.say("computer, set a timer in the bedroom for two seconds")
    ring = "Your timer for two seconds in the bedroom is done."
    house.daemon.wait_for(Expect("Reply", {"text": ring}).matches, 15)
    until(lambda: any((house.folder / "replies").glob("*.wav")))


def test_stop_ends_a_reply_there(house: House) -> None:
    house.say("computer, what can you do")
    house.daemon.wait_for(Expect("PlaybackStarted").matches, 15)
    house.say("stop", "rms")
    house.daemon.wait_for(Expect("PlaybackEnded", {"interrupted": True}).matches, 15)


def test_a_satellite_that_dies_frees_its_room_and_comes_back(house: House) -> None:
    house.say("computer, set a")
    house.daemon.wait_for(Expect("Woke").matches, 15)
    house.satellite.kill()
    house.daemon.wait_for(Expect("NothingHeard").matches, 2)
    house.satellite = house.start_satellite()
    until(lambda: house.log("rooms").count("satellite kitchen is there") == 2)
    house.say("computer, turn off the light")
    house.daemon.wait_for(Expect("Reply", {"text": "I turned off the kitchen light."}).matches, 15)
    house.heard()


def test_a_base_that_dies_is_told_of_and_comes_back(house: House) -> None:
    house.rooms.kill()
    until(lambda: "the base is gone" in house.log("satellite"))
    before = house.played()
    house.say("computer, turn on the light")
    until(lambda: house.played() > before)
    house.rooms = house.start_rooms()
    until(lambda: house.log("rooms").count("satellite kitchen is there") == 3)
    house.say("computer, turn on the light")
    house.daemon.wait_for(Expect("Reply", {"text": "I turned on the kitchen light."}).matches, 15)
    house.heard()
