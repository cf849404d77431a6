"""What is said switches a lamp of Home Assistant, whose names and states the daemon takes over.

No file of the user's names anything: the bridge reads what there is.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest

from assistant.bridge.described import described_text
from assistant.core.layout import DESCRIBED_HOME_FILE
from assistant.skill.home import load_home
from tests.support.home_assistant import TOKEN, HomeAssistant, registered, state
from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Fifo,
    Rows,
    Type,
    bridged,
    command_line,
    running,
    tell,
)

pytestmark = pytest.mark.e2e

THERE = {"device": "broker", "present": True}
GONE = {"device": "broker", "present": False}
LAMP = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"


@pytest.fixture(scope="module")
def home_assistant() -> Iterator[HomeAssistant]:
    """Home Assistant with the home of all stories, whose language model is made once."""
    home = load_home(HOME)
    with closing(HomeAssistant()) as there:
        there.floors, there.devices, there.aliases = [], [], {}
        there.areas = [{"area_id": a.id, "name": a.name, "aliases": []} for a in home.areas]
        there.entities = [registered(e.id, area_id=e.area) for e in home.entities]
        there.states = {e.id: state(e.id, e.state, e.name) for e in home.entities}
        there.start()
        yield there


@pytest.fixture(scope="module")
def daemon(
    home_assistant: HomeAssistant, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "state").mkdir()
    # As at each start but the first: the daemon knows what there was.
    (folder / "state" / DESCRIBED_HOME_FILE).write_text(described_text(load_home(HOME)))
    settings = (
        f'[audio]\ninput = "fifo:{folder / "mic"}"\noutput = "folder:{folder / "replies"}"\n'
        f'[home_assistant]\nurl = "{home_assistant.url}"\ntoken_file = "{folder / "token"}"\n'
    )
    with running(folder, settings, Fifo(folder / "mic")) as started:
        put_token(started)
        with bridged(started, "broker") as reached:
            yield reached


def put_token(daemon: Daemon) -> None:
    """As a user does, from a pipe."""
    subprocess.run(
        command_line("home-assistant", "token", "--config", str(daemon.config)),
        input=f"{TOKEN}\n",
        text=True,
        check=True,
        capture_output=True,
    )


def test_its_lamp_is_switched_by_the_name_it_has_there_and_its_state_is_known(
    daemon: Daemon, home_assistant: HomeAssistant
) -> None:
    tell(
        daemon,
        [
            Type("turn on the kitchen light"),
            Expect("Reply", {"text": "kitchen light", "acted": True}),
            Expect("HomeStates", {"states": {"light.kitchen": "on"}}),
            Rows(LAMP, [("on",)]),
            Do("by hand", lambda _: home_assistant.put("light.kitchen", "off")),
            Expect("HomeStates", {"states": {"light.kitchen": "off"}}),
            Type("is the kitchen light on"),
            Expect("Reply", {"text": "no"}),
        ],
    )
    assert home_assistant.called() == ("light.turn_on", "light.kitchen", {})


def test_it_may_restart(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    tell(
        daemon,
        [
            Do("stop it", lambda _: home_assistant.stop()),
            Expect("DeviceChanged", GONE),
            Expect("PlaybackEnded", {"utterance_id": "notice"}),
            Type("turn on the kitchen light"),
            Expect("Reply", {"text": "kitchen light"}),
            Do("start it", lambda _: home_assistant.start()),
            Expect("DeviceChanged", THERE),
        ],
    )
    assert home_assistant.called() == ("light.turn_on", "light.kitchen", {})
