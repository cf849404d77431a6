"""Commands in a slot of another command: read where its intent asks for them, and nowhere else."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.core.messages import Command, Interpretation, Transcript
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.stage import NluStage
from skills.registry import load_registry
from tests.support.stand_ins import HOME

Held = list[tuple[str, str]]
NOW = datetime.fromisoformat("2026-01-05T18:30:00+00:00")


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    return made()


def made(*disabled: str) -> NluStage:
    templates = Templates.compile(load_registry(disabled=disabled).manifests, HOME)
    compose = Composer(HOME)
    return NluStage(templates, Interpreter(templates, None, compose), lambda: NOW)


def interpreted(nlu: NluStage, text: str) -> Interpretation:
    said = Transcript(utterance_id=text, revision=1, text=text)
    return next(m for m in nlu.feed(said) if isinstance(m, Interpretation))


def held(command: Command, slot: str) -> Held:
    """The intents and the words of the commands in a slot."""
    (found,) = (s for s in command.slots if s.name == slot)
    return [(one.intent, one.text) for one in found.commands]


def values(command: Command) -> dict[str, object]:
    return {slot.name: slot.value for slot in command.slots}


@pytest.mark.parametrize(
    ("text", "name", "intents"),
    [
        ("when I say movie time, turn on the tv", "movie time", ["HassTurnOn"]),
        ("when i say movie time turn on the tv", "movie time", ["HassTurnOn"]),
        ("whenever I say bedtime then turn off the lights", "bedtime", ["HassTurnOff"]),
        (
            "when I say movie time, turn on the tv and set a timer for two hours",
            "movie time",
            ["HassTurnOn", "HassStartTimer"],
        ),
        ("every time i say tea set a timer for four minutes", "tea", ["HassStartTimer"]),
        ("if I say good night, what time is it", "good night", ["HassGetCurrentTime"]),
        ("when I say turn in, turn off the lights", "turn in", ["HassTurnOff"]),
    ],
)
def test_a_name_and_the_commands_behind_it(
    nlu: NluStage, text: str, name: str, intents: list[str]
) -> None:
    (command,) = interpreted(nlu, text).commands
    assert command.intent == "MakeRoutine"
    assert values(command)["name"] == name
    assert [intent for intent, _ in held(command, "what")] == intents


def test_each_has_the_words_that_it_was_read_from(nlu: NluStage) -> None:
    (command,) = interpreted(
        nlu, "when I say tea, turn on the tv and then what time is it"
    ).commands
    assert held(command, "what") == [
        ("HassTurnOn", "turn on the tv"),
        ("HassGetCurrentTime", "what time is it"),
    ]
    (command,) = interpreted(nlu, "when I say tea, turn on the tv").commands
    assert held(command, "what") == [("HassTurnOn", "turn on the tv")]


def test_behind_a_pause_what_is_not_understood_is_told_as_such(nlu: NluStage) -> None:
    (command,) = interpreted(nlu, "when I say supper, frobnicate the gizmo").commands
    assert values(command) == {"name": "supper", "what": "frobnicate the gizmo"}
    assert held(command, "what") == []


@pytest.mark.parametrize(
    "text",
    [
        "when I get home, turn on the tv",
        "when I said movie time he turned on the tv",
        "when I say movie time",
        "turn on the tv when I say movie time",
        "when I say",
    ],
)
def test_other_conditions_are_no_names(nlu: NluStage, text: str) -> None:
    """Control."""
    commands = interpreted(nlu, text).commands
    assert not any(slot.commands for command in commands for slot in command.slots)


def test_without_an_intent_that_takes_them_they_are_not_read() -> None:
    """Control."""
    commands = interpreted(made("routines"), "when I say movie time, turn on the tv").commands
    assert "MakeRoutine" not in [command.intent for command in commands]


@pytest.mark.parametrize(
    ("name", "intents"),
    [("lights off", ["HassTurnOff"]), ("stop", ["HassNevermind"]), ("movie time", []), ("tea", [])],
)
def test_a_name_is_told_which_command_it_is(nlu: NluStage, name: str, intents: list[str]) -> None:
    (command,) = interpreted(nlu, f"make a routine called {name}").commands
    assert [intent for intent, _ in held(command, "name")] == intents


@pytest.mark.parametrize("name", ["good night", "good morning", "hello"])
def test_small_talk_is_no_command(nlu: NluStage, name: str) -> None:
    (command,) = interpreted(nlu, f"make a routine called {name}").commands
    assert held(command, "name") == []


def conditional(nlu: NluStage, text: str, intent: str) -> list[Command]:
    said = interpreted(nlu, text)
    return [one for each in said.conditional for one in each if one.intent == intent]


def test_a_short_form_counts_only_where_its_slot_is_commands(nlu: NluStage) -> None:
    (command,) = conditional(nlu, "add turn on the tv to movie time", "AddToRoutine")
    assert held(command, "what") == [("HassTurnOn", "turn on the tv")]
    assert conditional(nlu, "add milk to movie time", "AddToRoutine") == []
    assert len(conditional(nlu, "add something to movie time", "AddToRoutine")) == 1


def test_a_bare_name_is_the_whole_text_or_nothing(nlu: NluStage) -> None:
    """Any part of a text would fit it."""
    (command,) = conditional(nlu, "pasta ten minutes, peas three", "RunRoutine")
    assert values(command) == {"name": "pasta ten minutes peas three"}
    polite = conditional(nlu, "movie time please", "RunRoutine")
    assert values(polite[0]) == {"name": "movie time"}
