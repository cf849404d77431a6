"""What is said reaches a real broker through the bridge service, and what a lamp tells comes back.

The daemon under test has no network: the bridge beside it does, and joins it over path sockets.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.support.mosquitto import MOSQUITTO, Lamp, Mosquitto, running_broker
from tests.support.scenario import (
    Daemon,
    Do,
    Expect,
    Rows,
    Say,
    Step,
    command_line,
    quiet,
    served,
    tell,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
]

BEDROOM = "SELECT state FROM devices WHERE entity_id = 'light.bedroom'"


@pytest.fixture(scope="module")
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="module")
def daemon(mosquitto: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = f'[mqtt]\nhost = "127.0.0.1"\nport = {mosquitto.port}\n'
    with quiet(tmp_path_factory.mktemp("daemon"), settings) as started:
        bridge = subprocess.Popen(command_line("bridge", "--config", str(started.config)))
        try:
            started.wait_for(Expect("DeviceChanged", BROKER_IS_THERE).matches, 20)
            yield started
        finally:
            bridge.terminate()
            assert bridge.wait(10) == 0


BROKER_IS_THERE = {"device": "broker", "present": True}
BROKER_IS_GONE = {"device": "broker", "present": False}


def test_what_is_said_reaches_the_lamp(daemon: Daemon, mosquitto: Mosquitto) -> None:
    with closing(Lamp(mosquitto.port)) as lamp:
        tell(daemon, served())
        assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)


def test_what_the_lamp_tells_is_known(daemon: Daemon, mosquitto: Mosquitto) -> None:
    with closing(Lamp(mosquitto.port)) as lamp:
        tell(
            daemon,
            [
                Rows(BEDROOM, [("off",)]),
                Do("switch it by hand", lambda _: lamp.tell("hark/light/bedroom/state", b"ON")),
                Expect("HomeStates", {"states": {"light.bedroom": "on"}}),
                Say("computer, is the bedroom light on"),
                Expect("Reply", {"text": "yes"}),
                Expect("PlaybackEnded"),
                Rows(BEDROOM, [("on",)]),
            ],
        )


def test_a_broker_that_restarts_is_missed_and_found_again(
    daemon: Daemon, mosquitto: Mosquitto
) -> None:
    tell(
        daemon,
        [
            Do("stop the broker", lambda _: mosquitto.stop()),
            Expect("DeviceChanged", BROKER_IS_GONE),
            _said_aloud(),
            # What is wished meanwhile waits for it.
            Say("computer, turn on the bedroom light"),
            Expect("Reply", {"text": "bedroom light"}),
            Expect("PlaybackEnded"),
            Do("start the broker", lambda _: mosquitto.start()),
        ],
    )
    with closing(Lamp(mosquitto.port)) as lamp:
        tell(daemon, [Expect("DeviceChanged", BROKER_IS_THERE, within_s=30), _said_aloud()])
        assert lamp.hears("hark/light/bedroom/set") == (b"ON", False)


def _said_aloud() -> Step:
    return Expect("PlaybackEnded", {"utterance_id": "notice"})
