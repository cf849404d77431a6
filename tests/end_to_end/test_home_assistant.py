"""What is said switches a lamp of Home Assistant, whose names and states the daemon takes over.

No file of the user's names anything: the bridge reads what there is.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest

from assistant.bridge.described import described_text
from assistant.core.config import load_config
from assistant.core.layout import DESCRIBED_HOME_FILE
from assistant.doctor.servers import servers
from assistant.skill.home import load_home
from tests.support.home_assistant import TOKEN, HomeAssistant, registered, state
from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Fifo,
    Rows,
    Say,
    Spoken,
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


def test_its_lamp_is_switched_by_the_name_it_has_there(
    daemon: Daemon, home_assistant: HomeAssistant
) -> None:
    tell(
        daemon,
        [
            Say("computer, turn on the kitchen light"),
            Expect("Reply", {"text": "kitchen light", "acted": True}),
            Expect("HomeStates", {"states": {"light.kitchen": "on"}}),
            Spoken(),
            Rows(LAMP, [("on",)]),
        ],
    )
    assert home_assistant.called() == ("light.turn_on", "light.kitchen", {})
    assert home_assistant.states["light.kitchen"]["state"] == "on"


def test_what_is_switched_there_is_known(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    tell(
        daemon,
        [
            Do("by hand", lambda _: home_assistant.put("light.kitchen", "off")),
            Expect("HomeStates", {"states": {"light.kitchen": "off"}}),
            Say("computer, is the kitchen light on"),
            Expect("Reply", {"text": "no"}),
            Spoken(),
        ],
    )


def test_a_lamp_that_does_not_answer_is_told(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    home_assistant.deaf.add("light.kitchen")
    tell(
        daemon,
        [
            Say("computer, turn on the kitchen light"),
            Expect("Reply", {"text": "kitchen light", "acted": True}),
            Expect("Reply", {"text": "I asked the kitchen light, but it does not answer."}, 30),
            Rows(LAMP, [("off",)]),
        ],
    )
    home_assistant.deaf.clear()
    home_assistant.called()


def test_it_may_restart(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    tell(
        daemon,
        [
            Do("stop it", lambda _: home_assistant.stop()),
            Expect("DeviceChanged", GONE),
            Expect("PlaybackEnded", {"utterance_id": "notice"}),
            Say("computer, turn on the kitchen light"),
            Expect("Reply", {"text": "kitchen light"}),
            Spoken(),
            Do("start it", lambda _: home_assistant.start()),
            Expect("DeviceChanged", THERE, within_s=30),
        ],
    )
    assert home_assistant.called() == ("light.turn_on", "light.kitchen", {})


def test_the_doctor_says_so(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    config, _ = load_config((daemon.config,))
    (finding,) = servers(config)
    assert (finding.ok, finding.detail) == (True, f"{home_assistant.url} is connected")


def test_another_name_is_taken_over(daemon: Daemon, home_assistant: HomeAssistant) -> None:
    home_assistant.states["light.bedroom"]["attributes"]["friendly_name"] = "Reading Lamp"
    tell(
        daemon,
        [
            Do("rename it", lambda _: home_assistant.happens("entity_registry_updated", {})),
            Expect("Reloaded", {"stage": "skills", "error": ""}, within_s=60),
        ],
    )
    kept = load_home(daemon.state_dir / DESCRIBED_HOME_FILE)
    assert {entity.name for entity in kept.entities} >= {"Reading Lamp", "Kitchen Light"}
