"""`assistant setup` at a terminal and without one: what it asks, writes and leaves alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assistant.core.config import load_config
from assistant.skill.home import load_home
from assistant.supervision.settings import load_settings
from tests.support.commands import PROGRAM, run_assistant
from tests.support.dialogue import Dialogue
from tests.support.terminal import Terminal, terminal

MINE = '# my settings\n[log]\nlevel = "debug" # loud\n[nlu]\nmodels = false # none is fitted\n'
NO_SOUND = ("--microphone", "fifo:none", "--loudspeaker", "none")


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(MINE)
    return file


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}


def setup(settings: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Set up without a terminal."""
    words = ("setup", "--config", settings, *options)
    return run_assistant(*words, env=environment(settings.parent))


def at_terminal(settings: Path, *options: str) -> Dialogue:
    words = ("setup", "--config", str(settings), *options)
    return Dialogue(*words, env=environment(settings.parent), folder=settings.parent)


def test_a_home_is_asked_for_written_with_explanations_and_understood(settings: Path) -> None:
    user = at_terminal(settings, *NO_SOUND)
    user.answer("Wake word [computer]", "telepathy by xyzzyq")
    user.expect("no engine listens for")
    user.answer("Wake word [computer]", "hey jarvis")
    user.answer("Try it?")
    user.answer("Its address on your network")
    user.answer("From where", "1")
    user.answer("Which rooms", "kitchen, living room")
    user.answer("in the kitchen?", "ceiling light, blinds, gizmo")
    user.answer("What is Gizmo?", "lamp")
    user.answer("What is Gizmo?")
    user.answer("in the living room?", "tv and thermostat")
    user.answer("Which lists?")
    user.answer("Room (0 for none)", "1")
    user.answer("Write it?")
    user.answer("Type one", "close the blinds")
    user.expect("Understood.")
    assert user.ends() == 0
    written = load_settings((settings,))
    assert dict(written.wake.keywords) == {"hey jarvis": 0.8}
    assert (written.home.area, written.audio.output) == ("kitchen", "none")
    text = settings.read_text()
    assert text.startswith(MINE)
    assert settings.with_name("config.toml.bak").read_text() == MINE
    home = load_home(Path(written.home.file))
    assert {(entity.id, entity.area) for entity in home.entities} == {
        ("light.kitchen_ceiling_light", "kitchen"),
        ("cover.kitchen_blinds", "kitchen"),
        ("switch.kitchen_gizmo", "kitchen"),
        ("media_player.living_room_tv", "living_room"),
        ("climate.living_room_thermostat", "living_room"),
        ("todo.shopping_list", None),
    }


def test_enter_alone_leaves_all_as_it_is(settings: Path) -> None:
    user = at_terminal(settings)
    user.answer("which microphone hears you best?", "n")
    user.answer("which loudspeaker it is?", "n")
    user.answer("Wake word [computer]")
    user.answer("Try it?")
    user.answer("Its address on your network")
    user.answer("From where", "0")
    user.expect("all stays as it is")
    user.answer("Type one")
    assert user.ends() == 0
    assert settings.read_text() == MINE
    assert [f.name for f in settings.parent.iterdir() if f.is_file()] == ["config.toml"]


def interrupted(settings: Path, user: Dialogue | Terminal, at: int) -> None:
    """At this question, Ctrl-C is pressed; nothing is written."""
    story = (
        *(("Wake word [", ""), ("Try it?", ""), ("Its address", ""), ("From where", "1")),
        *(("Which rooms", ""), ("Which lists", ""), ("Write it?", "")),
    )
    for question, answer in story[:at]:
        user.answer(question, answer)
    user.expect(story[at][0])
    user.interrupt()
    assert user.ends() in (1, 130)
    assert "Traceback" not in user.shown
    assert [f.name for f in settings.parent.iterdir() if f.is_file()] == ["config.toml"]
    assert settings.read_text() == MINE


@pytest.mark.parametrize("at", range(7))
def test_ctrl_c_leaves_nothing_half_written(settings: Path, at: int) -> None:
    interrupted(settings, at_terminal(settings, *NO_SOUND), at)


def test_ctrl_c_at_a_terminal_leaves_nothing_half_written(settings: Path) -> None:
    command = (*PROGRAM, "setup", "--config", str(settings), *NO_SOUND)
    with terminal(command, environment(settings.parent), settings.parent) as user:
        interrupted(settings, user, 6)


def test_a_no_writes_nothing(settings: Path) -> None:
    user = at_terminal(settings, *NO_SOUND, "--wake-word", "jarvis", "--room", "hall: lamp")
    user.answer("Try it?")
    user.answer("Room (0 for none)")
    user.answer("Write it?", "n")
    assert user.ends() == 1
    assert settings.read_text() == MINE


def test_every_answer_can_be_given_as_an_option(settings: Path) -> None:
    home = ("--room", "kitchen: lamp, kettle=switch", "--list", "shopping list")
    done = setup(
        *(settings, *NO_SOUND, "--wake-word", "jarvis", *home, "--area", "Kitchen"),
        *("--say", "kettle on", "--yes"),
    )
    assert done.returncode == 0, done.stderr
    assert "HassTurnOn(name = Kettle)" in done.stdout
    assert "Understood." in done.stdout
    written = load_settings((settings,))
    assert (written.audio.inputs, written.home.area) == (("fifo:none",), "kitchen")
    again = setup(settings, "--yes")
    assert "all stays as it is" in again.stdout


def test_a_room_that_is_no_more_is_no_longer_this_devices(settings: Path) -> None:
    assert setup(settings, "--room", "hall: lamp", "--area", "hall", "--yes").returncode == 0
    assert setup(settings, "--room", "attic: lamp", "--yes").returncode == 0
    assert load_settings((settings,)).home.area == ""
    assert "hall" in (settings.parent / "home.yaml.bak").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "terminal"),
        (("--yes", "--wake-word", "xyzzyq"), "no engine listens"),
        (("--yes", "--room", "kitchen: gizmo"), "what is"),
        (("--yes", "--room", "kitchen: gizmo=teapot"), "teapot"),
        (("--yes", "--room", "kitchen: lamp", "--area", "kitchn"), "kitchen"),
        (("--yes", "--home", "nowhere.yaml"), "nowhere.yaml"),
        (("--yes", "--home-assistant", "nowhere"), "Home Assistant"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_line(
    settings: Path, options: tuple[str, ...], words: str
) -> None:
    done = setup(settings, *options)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert words in line
    assert settings.read_text() == MINE


def test_settings_that_are_wrong_are_told_and_kept(settings: Path) -> None:
    settings.write_text("[log]\nlevle = 1\n")
    assert "levle" in setup(settings, "--yes").stderr
    assert load_config()[0].log.level == "info"
