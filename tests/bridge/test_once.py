"""Commands over a real broker, with `kill -9` at each step from the turn to the acknowledgement."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack, closing
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    Command,
    Commit,
    DeviceChanged,
    HomeReceipt,
    Interpretation,
    Message,
    Slot,
    SpokenReply,
)
from tests.support import dying
from tests.support.forks import forked
from tests.support.mosquitto import PATIENCE_S, Lamp, Mosquitto
from tests.support.processes import until

HOME = """
areas: [{name: Kitchen, id: kitchen}]
entities:
  - {name: Kitchen Light, id: light.kitchen, area: kitchen, state: "off"}
  - {name: Lamp, id: light.lamp, area: kitchen, state: "off"}
  - {name: Radio, id: media_player.radio, area: kitchen, state: "playing"}
"""
IN_DOUBT = "I don't know whether the next track was asked for."
SKILLS_DIE = (
    *("before commit", "before HomeCommand", "after HomeCommand"),
    *("before SpokenReply", "after SpokenReply", "before forgetting"),
)
BRIDGE_DIES = ("before publishing", "after publishing", "before the receipt")


class House:
    """Skills and bridge as processes, a broker, and this test as the listener."""

    def __init__(self, folder: Path, port: int, things: ExitStack) -> None:
        self._things = things
        self._running: dict[str, ForkServerProcess] = {}
        self.receipt_s = PATIENCE_S
        self.state = folder / "state" / "state.db"
        self._file = folder / "config.toml"
        (folder / "home.yaml").write_text(HOME, "utf-8")
        self._file.write_text(
            f'[storage]\nruntime = "{folder}/run"\nstate = "{folder}/state"\n'
            f'[home]\nfile = "{folder}/home.yaml"\n[mqtt]\nhost = "127.0.0.1"\nport = {port}\n'
        )
        address = things.enter_context(closing(Address(folder / "run")))
        wanted = (DeviceChanged, HomeReceipt, SpokenReply)
        self._bus = things.enter_context(
            closing(Bus("listener", address, ["skills", "bridge"], dying.CONSUMERS, wanted))
        )

    def start(self, what: str, step: str = "") -> None:
        """Start skills or bridge, which die at `step`."""
        process = forked(dying.main, what, step, self._file, self.receipt_s)
        self._things.callback(process.join)
        self._things.callback(process.kill)
        self._running[what] = process

    def is_dead(self, what: str) -> bool:
        """Whether it has killed itself."""
        return not self._running[what].is_alive()

    def say(self, utterance_id: str, intent: str, name: str) -> None:
        """Say a command; the same id is the same utterance."""
        slots = (Slot(name="name", value=name, raw=name),)
        command = Command(intent=intent, slots=slots)
        for message in (
            Interpretation(utterance_id=utterance_id, revision=1, text=name, commands=(command,)),
            Commit(utterance_id=utterance_id, revision=1),
        ):
            self._bus.send(type(message)(**_with_time(message)))

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What is on the disk."""
        with closing(sqlite3.connect(f"file:{self.state}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()

    def listen(self, wanted: type[Message]) -> None:
        """Wait for such a message, as from a process that has begun."""
        until(lambda: any(isinstance(m, wanted) for m in self._bus.receive(0.1)))


def _with_time(message: Message) -> dict[str, object]:
    fields = {name: getattr(message, name) for name in message.__struct_fields__}
    return fields | {"at_s": boottime_s()}


@pytest.fixture
def house(mosquitto: Mosquitto, things: ExitStack, tmp_path: Path) -> House:
    return House(tmp_path, mosquitto.port, things)


def killed(house: House, intent: str, name: str, skills: str = "", bridge: str = "") -> None:
    """Say a command, of which a process dies; then both run again and it is said once more."""
    house.start("bridge", bridge)
    house.start("skills", skills)
    house.listen(DeviceChanged)
    house.say("u1", intent, name)
    dead = "skills" if skills else "bridge"
    until(lambda: house.is_dead(dead))
    house.start(dead)
    house.say("u1", intent, name)


@pytest.mark.parametrize(
    ("skills", "bridge"), [*((s, "") for s in SKILLS_DIE), *(("", b) for b in BRIDGE_DIES)]
)
def test_a_state_arrives_whoever_is_killed(
    house: House, mosquitto: Mosquitto, things: ExitStack, skills: str, bridge: str
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    killed(house, "HassTurnOn", "Kitchen Light", skills, bridge)
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    until(lambda: not house.rows("SELECT 1 FROM outbox"))
    assert house.rows("SELECT state FROM devices WHERE entity_id = 'light.kitchen'") == [("on",)]


@pytest.mark.parametrize(
    ("skills", "bridge", "heard", "in_doubt"),
    [
        ("before commit", "", 1, 0),  # it was never done, and so is done when it is said again
        ("before HomeCommand", "", 0, 1),
        ("after SpokenReply", "", None, None),  # the kernel may not have the message yet
        ("before forgetting", "", 1, 1),
        ("", "before publishing", 0, 1),
        ("", "after publishing", None, 1),
        ("", "before the receipt", 1, 1),
    ],
)
def test_the_next_track_is_asked_for_once_at_most_and_what_is_in_doubt_is_said_once(
    house: House,
    mosquitto: Mosquitto,
    things: ExitStack,
    skills: str,
    bridge: str,
    heard: int | None,
    in_doubt: int | None,
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    house.receipt_s = PATIENCE_S if in_doubt == 0 else 0.5
    killed(house, "HassMediaNext", "Radio", skills, bridge)
    until(lambda: house.rows("SELECT 1 FROM acted") and not house.rows("SELECT 1 FROM outbox"))
    house.say("u2", "HassTurnOn", "Lamp")
    times = 0
    while (told := lamp.heard.get(timeout=PATIENCE_S))[0] != "hark/light/lamp/set":
        times += told[1] == b"next"
    notices = house.rows("SELECT row FROM announcements")
    assert all(json.loads(str(row))["text"] == IN_DOUBT for (row,) in notices)
    assert times in ((0, 1) if heard is None else (heard,))
    assert len(notices) in ((0, 1) if in_doubt is None else (in_doubt,))
    assert times + len(notices) >= 1


def test_without_the_outbox_a_kill_loses_the_command(
    house: House, mosquitto: Mosquitto, things: ExitStack
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    house.start("bridge")
    house.start("skills", "before HomeCommand")
    house.listen(DeviceChanged)
    house.say("u1", "HassTurnOn", "Kitchen Light")
    until(lambda: house.is_dead("skills"))
    with closing(sqlite3.connect(house.state)) as database, database:
        assert database.execute("DELETE FROM outbox").rowcount == 1
    house.start("skills")
    house.say("u1", "HassTurnOn", "Kitchen Light")
    house.say("u2", "HassTurnOn", "Lamp")
    assert lamp.hears("hark/light/lamp/set") == (b"ON", False)
    until(lambda: not house.rows("SELECT 1 FROM outbox"))
    topics = [lamp.heard.get_nowait()[0] for _ in range(lamp.heard.qsize())]
    assert "hark/light/kitchen/set" not in topics
