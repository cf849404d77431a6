"""What is said switches a lamp that has announced itself on a real broker; no file names it.

The home's file names the rooms and what else there is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from assistant.bridge.described import described_text
from assistant.bridge.discovery.devices import described
from assistant.bridge.discovery.registry import Registry
from assistant.control.client import ControlClient
from assistant.core.layout import DESCRIBED_HOME_FILE
from assistant.skill.home import load_home
from tests.support.mosquitto import MOSQUITTO, Lamp, Mosquitto, running_broker
from tests.support.scenario import (
    Daemon,
    Do,
    Expect,
    Rows,
    Say,
    Spoken,
    bridged,
    quiet,
    tell,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
]

TOPIC = "homeassistant/light/desk/config"
LAMP = {
    "name": None,
    "schema": "json",
    "cmd_t": "zigbee2mqtt/Desk Lamp/set",
    "stat_t": "zigbee2mqtt/Desk Lamp",
    "avty": [{"t": "zigbee2mqtt/bridge/state", "val_tpl": "{{ value_json.state }}"}],
    "dev": {"ids": ["zigbee2mqtt_0x1"], "name": "Desk Lamp", "sa": "Bedroom"},
}
STATE = "SELECT state FROM devices WHERE entity_id = 'light.desk_lamp'"


@pytest.fixture(scope="module")
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="module")
def lamp(mosquitto: Mosquitto) -> Iterator[Lamp]:
    with closing(Lamp(mosquitto.port, topic="zigbee2mqtt/#")) as lamp:
        lamp.tell("zigbee2mqtt/bridge/state", b'{"state": "online"}')
        lamp.tell(TOPIC, json.dumps(LAMP).encode())
        yield lamp


@pytest.fixture(scope="module")
def daemon(
    mosquitto: Mosquitto, lamp: Lamp, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "state").mkdir()
    # As at each start but the first: the daemon knows the name, and recognition has learnt it.
    (folder / "state" / DESCRIBED_HOME_FILE).write_text(known())
    settings = (
        f'[mqtt]\nhost = "127.0.0.1"\nport = {mosquitto.port}\ndiscover = true\nannounce = true\n'
    )
    with quiet(folder, settings) as started, bridged(started, "broker") as reached:
        yield reached


def known() -> str:
    """What the bridge has described when it was there before."""
    registry = Registry("homeassistant")
    registry.announces(TOPIC, json.dumps(LAMP).encode())
    return described_text(described(registry.settle().devices))


def test_a_lamp_that_announced_itself_is_switched(daemon: Daemon, lamp: Lamp) -> None:
    tell(
        daemon,
        [
            Say("computer, turn on the desk lamp"),
            Expect("Reply", {"text": "desk lamp", "acted": True}),
            Spoken(),
            Rows(STATE, [("on",)]),
        ],
    )
    assert lamp.hears("zigbee2mqtt/Desk Lamp/set") == (b'{"state":"ON"}', False)


def test_what_it_tells_is_known(daemon: Daemon, lamp: Lamp) -> None:
    off = b'{"state": "OFF", "linkquality": 120}'
    tell(
        daemon,
        [
            Do("by hand", lambda _: lamp.tell("zigbee2mqtt/Desk Lamp", off)),
            Expect("HomeStates", {"states": {"light.desk_lamp": "off"}}),
            Say("computer, is the desk lamp on"),
            Expect("Reply", {"text": "no"}),
            Spoken(),
        ],
    )


def test_home_assistant_is_told_whether_it_is_muted(daemon: Daemon, mosquitto: Mosquitto) -> None:
    control = ControlClient(daemon.control)
    with closing(Lamp(mosquitto.port)) as listener:
        assert listener.hears("hark/bridge/muted") == (b"OFF", True)
        control.ask("mute", "on")
        assert listener.hears("hark/bridge/muted") == (b"ON", False)
        control.ask("mute", "off")
        assert listener.hears("hark/bridge/muted") == (b"OFF", False)
    tell(daemon, [Expect("MuteChanged", {"muted": False})])


def test_a_new_name_is_taken_over_without_a_restart(daemon: Daemon, lamp: Lamp) -> None:
    renamed = LAMP | {"dev": {"name": "Reading Lamp", "sa": "Bedroom"}}
    tell(
        daemon,
        [
            Do("rename it", lambda _: lamp.tell(TOPIC, json.dumps(renamed).encode())),
            Expect("Reloaded", {"stage": "skills", "error": ""}, within_s=90),
        ],
    )
    kept = load_home(daemon.state_dir / DESCRIBED_HOME_FILE)
    assert [(entity.id, entity.name) for entity in kept.entities] == [
        ("light.reading_lamp", "Reading Lamp")
    ]
