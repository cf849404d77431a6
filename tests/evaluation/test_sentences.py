"""What counts as exact, how test files are read, and the control: shuffled labels score nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.core.errors import InputError
from assistant.core.messages import Command, Slot, SlotValue
from assistant.evaluation.home_tests import HomeTestCase, Suite, WantedCommand, load_suites
from assistant.evaluation.sentences import (
    Miss,
    evaluate_sentences,
    home_assistant_slots,
    judge,
    reader,
    same_slots,
)
from assistant.skill.home import Home
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import built_in
from nlu.interpreter import Interpreter
from skills.registry import load_registry
from tests.cli.test_bad_input import assistant, refused

FIXTURES = """
language: en
floors: [{name: Upstairs, id: up}]
areas:
  - {name: Kitchen, id: kitchen}
  - {name: Office, id: office}
entities:
  - {name: Kitchen Lamp, id: light.kitchen, area: kitchen, state: "off"}
  - name: Pet Door
    id: binary_sensor.pet
    state: {in: closed, out: "off"}
    attributes: {device_class: door}
timers: [{name: pizza}]
"""
TESTS = """
language: en
entities:
  - {name: Desk Fan, domain: fan}
  - {name: Kitchen Lamp, id: light.kitchen, aliases: [cooking light]}
tests:
  - sentences: ["turn on the cooking light", "Kitchen Lamp on"]
    intent: {name: HassTurnOn, slots: {name: " kitchen LAMP "}, context: {x: 1}}
    response: Turned on
  - sentences: ["turn on the lights"]
    intent: {name: HassTurnOn, slots: {domain: light, area: Office}, context: {area: Office}}
  - sentences: "add half an hour to the pizza timer"
    intent: {name: HassIncreaseTimer, slots: {minutes: 30, name: ["pizza ", pizza]}}
  - sentences: ["desk fan on"]
    slots: {name: Desk Fan}
"""
OURS = """
tests:
  - sentence: turn on the kitchen lamp, no wait, turn it off
    kind: corrected
    commands: [{intent: HassTurnOff, slots: {name: kitchen lamp}}]
  - sentence: kitchen lamp on and turn off the kitchen lamp
    kind: compound
    commands:
      - {intent: HassTurnOn, slots: {name: kitchen lamp}}
      - {intent: HassTurnOff, slots: {name: kitchen lamp}}
  - {sentence: do not turn on the kitchen lamp, kind: negated, commands: []}
"""
MORE = """
tests:
  - {sentences: ["is the pet door open?"], slots: {name: Pet Door, domain: binary_sensor,
     device_class: door, state: "on"}}
  - {sentences: ["turn the desk fan off"], slots: {name: Desk Fan}}
"""


MANIFESTS = load_registry().manifests
PREPARE = reader(
    lambda home: Templates.compile(MANIFESTS, home, built_in()),
    Interpreter,
    datetime(2026, 11, 20, tzinfo=UTC),
)


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, _fixtures=FIXTURES, a_tests=TESTS, b_more=MORE)


def figures(suites: list[Suite]) -> tuple[dict[str, Any], list[Miss]]:
    missed: list[Miss] = []
    found = evaluate_sentences(suites, PREPARE, missed=missed.append)
    return msgspec.to_builtins(found), missed


def test_a_folder_of_tests_over_its_fixtures(folder: Path) -> None:
    found, missed = figures(load_suites(folder))
    assert found["sentences"] == 7
    assert [miss.sentence for miss in missed] == ["turn the desk fan off"]  # the other file's
    assert found["exact_accuracy"] == pytest.approx(6 / 7)
    assert found["intent_accuracy"] == pytest.approx(6 / 7)  # nothing was understood
    assert 0 < found["ms_p50"] <= found["ms_p99"]


def test_a_file_alone_has_the_fixtures_beside_it(folder: Path) -> None:
    (suite,) = load_suites(folder / "a_tests.yaml")
    names = [entity.name for entity in suite.home.entities]
    assert names == ["Pet Door", "Desk Fan", "Kitchen Lamp"]
    assert [e.id for e in suite.home.entities][1] == "fan.desk_fan"
    assert suite.home.entities[0].state == "off"
    assert [floor.name for floor in suite.home.floors] == ["Upstairs"]
    assert [case.area for case in suite.cases] == ["", "Office", "", ""]


def test_shuffled_labels_score_by_chance(folder: Path) -> None:
    (suite,) = load_suites(folder / "a_tests.yaml")
    labels = [case.commands for case in suite.cases]
    cases = tuple(
        HomeTestCase(sentences=case.sentences, commands=commands, area=case.area)
        for case, commands in zip(suite.cases, labels[1:] + labels[:1], strict=True)
    )
    straight, _ = figures([suite])
    shuffled, _ = figures([Suite(suite.path, suite.home, cases)])
    assert straight["exact_accuracy"] == 1
    assert shuffled["exact_accuracy"] == 0


def test_home_assistants_own_sentences(shared_data: Path) -> None:
    suites = load_suites(shared_data / "nlu" / "home_intents")
    found, missed = figures(suites)
    assert found["sentences"] == 394
    assert found["exact_accuracy"] >= 0.97, missed
    cases = [case for suite in suites for case in suite.cases]
    random.Random(1).shuffle(cases)
    dealt = iter(cases)
    shuffled = [
        Suite(
            suite.path,
            suite.home,
            tuple(
                msgspec.structs.replace(case, commands=other.commands)
                for case, other in zip(suite.cases, dealt, strict=False)
            ),
        )
        for suite in suites
    ]
    control, _ = figures(shuffled)
    assert control["exact_accuracy"] <= 0.15  # the cases of one file want much the same


def command(intent: str, *slots: tuple[str, SlotValue, str]) -> Command:
    return Command(intent=intent, slots=tuple(Slot(name=n, value=v, raw=r) for n, v, r in slots))


ON = command("On", ("area", "Kitchen", "kitchen"))
WANTED = WantedCommand("On", {"area": "kitchen "})
OFF = WantedCommand("Off", {"area": "Kitchen"})


@pytest.mark.parametrize(
    ("understood", "wanted", "right", "exact"),
    [
        ([ON], [WANTED], True, True),
        ([ON], [WantedCommand("", {"area": "Kitchen"})], True, True),
        ([ON], [WantedCommand("On", {"area": ["Attic", "Kitchen"]})], True, True),
        ([ON], [WantedCommand("On")], True, False),
        ([ON], [WantedCommand("On", {"area": "Kitchen", "domain": "light"})], True, False),
        ([ON], [WantedCommand("On", {"area": "Attic"})], True, False),
        ([ON], [OFF], False, False),
        ([ON, ON], [WANTED], False, False),
        ([], [WantedCommand()], False, False),
        ([ON, ON], [WANTED, WANTED], True, True),
        ([ON, ON], [WANTED, WantedCommand("On")], True, False),
        ([ON, command("Off", ("area", "Kitchen", ""))], [OFF, WANTED], False, False),
        ([], [], True, True),
        ([ON], [], False, False),
    ],
)
def test_exact_is_the_commands_in_order_and_exactly_their_slots(
    understood: Sequence[Command], wanted: Sequence[WantedCommand], right: bool, exact: bool
) -> None:
    assert judge(understood, HomeTestCase((), tuple(wanted))) == (right, exact)


def test_numbers_are_the_same_however_they_are_written() -> None:
    assert same_slots({"brightness": 50}, {"brightness": 50.0})
    assert same_slots({"position": 50.0}, {"position": "50"})
    assert not same_slots({"position": 50.5}, {"position": 50})


@pytest.mark.parametrize(
    ("raw", "seconds", "spoken"),
    [
        ("5 minutes", 300, {"minutes": 5}),
        ("90 minutes", 5400, {"minutes": 90}),
        ("an hour and a half", 5400, {"hours": 1, "minutes": 30}),
        ("one hour twenty", 4800, {"hours": 1, "minutes": 20}),
        ("half an hour", 1800, {"minutes": 30}),
        ("half a minute", 30, {"seconds": 30}),
        ("two and a half minutes", 150, {"minutes": 2, "seconds": 30}),
        ("1.5 hours", 5400, {"hours": 1, "minutes": 30}),
        ("three quarters of an hour", 2700, {"minutes": 45}),
        ("1 hour, 2 minutes and 3 seconds", 3723, {"hours": 1, "minutes": 2, "seconds": 3}),
        ("1 hour and 15 secs", 3615, {"hours": 1, "seconds": 15}),
        ("2 days", 172800, {"hours": 48}),
    ],
)
def test_a_time_span_in_the_units_that_were_spoken(
    raw: str, seconds: int, spoken: dict[str, int]
) -> None:
    span = command("Start", ("duration", seconds, raw), ("name", "pizza", "pizza"))
    assert home_assistant_slots(span) == {**spoken, "name": "pizza"}
    left = command("Cancel", ("start_duration", seconds, raw))
    assert home_assistant_slots(left) == {f"start_{unit}": n for unit, n in spoken.items()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tests: [", "bad.yaml"),
        ("- 1", "is no mapping"),
        ("language: en", "tests"),
        ("tests: [{intent: {name: HassTurnOn}}]", "sentences"),
        ("tests: []", "holds no test sentence"),
        ("tests: [{sentences: [x], slots: [1]}]", "slots"),
        ("tests: [{sentence: x}]", "commands"),
        ("tests: [{sentence: x, sentences: [x], commands: []}]", "commands"),
        ("tests: [{sentence: x, commands: [{intent: 3}]}]", "intent"),
        ("entities: 3\ntests: [{sentences: [x]}]", "bad.yaml"),
        ("areas: [{id: 3}]\ntests: [{sentences: [x]}]", "bad.yaml"),
    ],
)
def test_a_file_that_is_no_test(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as fault:
        load_suites(write(tmp_path, bad=text) / "bad.yaml")
    assert words in fault.value.message
    assert "\n" not in fault.value.message


def test_commands_of_our_own_in_a_home_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "home.yaml").write_text(FIXTURES)
    file = write(tmp_path, ours=OURS) / "ours.yaml"
    suites = load_suites(file, tmp_path / "home.yaml")
    found, missed = figures(suites)
    assert (found["sentences"], found["exact_accuracy"]) == (3, 1), missed
    assert [case.kind for case in suites[0].cases] == ["corrected", "compound", "negated"]
    unknown, missed = figures(load_suites(file))  # the control: nobody knows a lamp
    assert unknown["exact_accuracy"] == pytest.approx(1 / 3)
    assert [miss.understood for miss in missed] == [(), ()]


def test_fixtures_beside_a_file_go_before_another_home(folder: Path) -> None:
    (folder / "empty.yaml").write_text("language: en")
    (suite,) = load_suites(folder / "a_tests.yaml", folder / "empty.yaml")
    assert "Pet Door" in [entity.name for entity in suite.home.entities]


def test_the_command(folder: Path) -> None:
    shown = assistant(folder, "eval", "sentences", folder / "a_tests.yaml", "--json")
    assert shown.returncode == 0, shown.stderr
    (line,) = shown.stdout.splitlines()
    keys = ["sentences", "intent_accuracy", "exact_accuracy", "ms_p50", "ms_p99"]
    assert list(json.loads(line)) == keys
    assert json.loads(line)["exact_accuracy"] == 1
    refused(assistant(folder, "eval", "sentences", folder / "none"), "none", "no such file")


def test_an_empty_home_knows_no_device(folder: Path) -> None:
    (suite,) = load_suites(folder / "b_more.yaml")
    found, _ = figures([Suite(suite.path, Home(), suite.cases)])
    assert found["exact_accuracy"] == 0
