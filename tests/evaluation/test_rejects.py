"""Talk that changes anything is counted, talk that is answered too; silence costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings
from assistant.core.errors import InputError
from assistant.core.settings.mqtt import MqttSettings
from assistant.evaluation.rejects import Offence, RejectFigures, evaluate_rejects, read_lines
from tests.cli.test_bad_input import assistant, refused

HOME = """
areas: [{name: Kitchen, id: kitchen}]
entities:
  - {name: Kitchen Lamp, id: light.kitchen, area: kitchen, state: "on"}
  - {name: Radio, id: media_player.radio, area: kitchen, state: playing}
"""
TALK = "my brother has gone fishing"


@pytest.fixture(scope="module")
def composition(tmp_path_factory: pytest.TempPathFactory) -> Composition:
    file = tmp_path_factory.mktemp("home") / "home.yaml"
    file.write_text(HOME)
    return Composition(
        Config(home=HomeSettings(file=str(file)), mqtt=MqttSettings(host="localhost"))
    )


def figures(composition: Composition, *lines: str) -> tuple[RejectFigures, list[Offence]]:
    told: list[Offence] = []
    found = evaluate_rejects(list(lines), composition.nlu(), composition.skills, told.append)
    return found, told


def test_talk_costs_nothing_and_a_command_does(composition: Composition) -> None:
    found, told = figures(composition, TALK, "turn off the kitchen lamp", "what time is it")
    assert msgspec.structs.astuple(found) == (3, 1, pytest.approx(2 / 3))
    assert [(o.line, o.intents, o.acted) for o in told] == [
        ("turn off the kitchen lamp", ("HassTurnOff",), True),
        ("what time is it", ("HassGetCurrentTime",), False),
    ]


def test_what_the_bridge_would_be_told_is_an_action(composition: Composition) -> None:
    found, _ = figures(composition, "next track on the radio")
    assert found.actions == 1


def test_what_is_not_there_cannot_be_changed(composition: Composition) -> None:
    found, _ = figures(composition, "cancel all timers", "add five minutes to the timer")
    assert (found.actions, found.answered) == (0, 1)


def test_every_line_is_a_conversation_of_its_own(composition: Composition) -> None:
    found, _ = figures(composition, "turn off the kitchen lamp", "turn it on")
    assert found.actions == 1
    timer = "set a timer for one minute"
    found, _ = figures(composition, timer, "how long is left on the timer", timer)
    assert (found.actions, found.answered) == (2, 1)


def test_what_follows_a_command_is_taken_where_it_goes_on_from_it(composition: Composition) -> None:
    lines, told = [TALK, "and the radio", "what time is it"], []
    after, skills = "turn on the kitchen lamp", composition.skills
    found = evaluate_rejects(lines, composition.nlu(), skills, told.append, after=after)
    assert (found.actions, [offence.line for offence in told]) == (1, ["and the radio"])
    assert evaluate_rejects(lines, composition.nlu(), skills).actions == 0


def test_lines_are_read_without_the_blank_ones(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(f"  {TALK}\n\n \nyes\n")
    assert read_lines(tmp_path / "talk.txt") == [TALK, "yes"]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text(HOME)
    (tmp_path / "talk.txt").write_text(f"{TALK}\nkitchen lamp off\n")
    arguments = ("eval", "rejects", tmp_path / "talk.txt", "--home", tmp_path / "home.yaml")
    lines = assistant(tmp_path, *arguments, "--json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"sentences": 2, "actions": 1, "answered": 0.5}]
    assert "acted: 'kitchen lamp off': HassTurnOff" in assistant(tmp_path, *arguments).stdout


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for name, words in (("empty", "no sentence"), ("bytes", "UTF-8"), ("none", "No such file")):
        with pytest.raises(InputError, match=words):
            read_lines(tmp_path / f"{name}.txt")
    refused(assistant(tmp_path, "eval", "rejects", tmp_path / "none.txt"), "none.txt", "No such")


def test_an_engine_that_cannot_hear_them_is_refused(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(f"{TALK}\n")
    arguments = ("eval", "rejects", tmp_path / "talk.txt", "--engine")
    refused(assistant(tmp_path, *arguments, "whisper"), "--engine needs --spoken")
    refused(assistant(tmp_path, *arguments, "whisper", "--spoken"), "models pull", "whisper")
    refused(assistant(tmp_path, *arguments, "sphinx", "--spoken"), "sphinx", "pocketsphinx")
