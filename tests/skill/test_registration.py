"""A skill is its functions' signatures and sentences; a bad one says what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest

from assistant.core.errors import SkillError
from assistant.skill import (
    Area,
    Context,
    Entity,
    Floor,
    Reply,
    Request,
    Skill,
    Traits,
    choices,
    domains,
    prompt,
)
from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema
from assistant.skill.signature import schema_of


class Size(Enum):
    SMALL = "small"
    EXTRA_LARGE = "extra large"


@dataclass
class Cup:
    size: Size
    at: time | None = None


def faults_of(skill: Skill) -> list[str]:
    """The faults without the places where they are."""
    return [_PLACE.sub("", line) for line in placed_faults_of(skill)]


_PLACE = re.compile(r" \((\S+, )?line \d+\)$")


def placed_faults_of(skill: Skill) -> list[str]:
    try:
        skill.manifest()
    except SkillError as error:
        return error.message.splitlines()
    return []


def test_a_skill_is_told_as_a_value() -> None:
    skill = Skill("kettle", description="boil water")
    skill.rule("boil", "(boil|heat)")

    @skill.intent("Boil", "<boil> {amount} [cups of] water", "<boil> water")
    def boil(
        request: Request,
        amount: Annotated[int, prompt("How many cups?")],
        context: Context,
        until: timedelta | None = None,
    ) -> Reply:
        """Boil some cups of water.

        The rest of this is for readers of the code.
        """
        return Reply("It boils.")

    assert skill.manifest() == SkillManifest(
        name="kettle",
        api=1,
        description="boil water",
        rules={"boil": "(boil|heat)"},
        intents=(
            IntentSchema(
                intent="Boil",
                sentences=("<boil> {amount} [cups of] water", "<boil> water"),
                description="Boil some cups of water.",
                slots=(
                    SlotSchema(name="amount", kind="integer", prompt="How many cups?"),
                    SlotSchema(
                        name="until", kind="duration", required=False, prompt="Which until?"
                    ),
                ),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("annotation", "kind", "words", "only"),
    [
        (timedelta, "duration", (), ()),
        (datetime, "datetime", (), ()),
        (date, "date", (), ()),
        (time, "time", (), ()),
        (int, "integer", (), ()),
        (float, "number", (), ()),
        (Decimal, "number", (), ()),
        (bool, "boolean", (), ()),
        (str, "text", (), ()),
        (Size, "choice", ("small", "extra large"), ()),
        (Annotated[str, choices("tea", "milk")], "choice", ("tea", "milk"), ()),
        (Area, "area", (), ()),
        (Entity, "entity", (), ()),
        (Annotated[Entity, domains("light", "fan")], "entity", (), ("light", "fan")),
        (Annotated[Entity, domains("light")] | None, "entity", (), ("light",)),
    ],
)
def test_each_type_that_can_be_spoken_has_a_kind(
    annotation: Any, kind: str, words: tuple[str, ...], only: tuple[str, ...]
) -> None:
    schema = schema_of("x", annotation)
    assert (schema.kind, schema.choices, schema.domains) == (kind, words, only)


def test_the_traits_of_one_line_are_those_of_all() -> None:
    skill = Skill("lights")

    @skill.intent("TurnOn", "turn on {name}")
    @skill.intent("TurnOn", "lights on", fixed={"name": "all"}, traits=Traits(placed=True))
    def on(name: str) -> Reply:
        return Reply("")

    @skill.serve("Dim", traits=Traits(about=("light",)))
    @skill.serve("Brighten")
    def change() -> Reply:
        return Reply("")

    manifest = skill.manifest()
    assert [schema.traits for schema in manifest.intents] == [Traits(placed=True)] * 2
    assert {s.intent: s.traits for s in manifest.served} == {
        "Dim": Traits(about=("light",)),
        "Brighten": Traits(),
    }


def test_two_kinds_of_traits_are_a_fault() -> None:
    skill = Skill("lights")

    @skill.intent("TurnOn", "turn on {name}", traits=Traits(asks=True))
    @skill.intent("TurnOn", "lights on", fixed={"name": "all"}, traits=Traits(placed=True))
    def on(name: str) -> Reply:
        return Reply("")

    assert faults_of(skill) == ['skill "lights": intent TurnOn: has two kinds of traits']


def test_lines_over_one_function_are_groups_of_one_intent_in_their_order() -> None:
    skill = Skill("lights")

    @skill.intent("TurnOn", "turn on {name}")
    @skill.intent("TurnOn", "turn on the lights", fixed={"domain": "light"})
    def turn_on(name: Entity | None = None, domain: str | None = None) -> Reply:
        return Reply("On.")

    @skill.intent("Last", "last")
    def last() -> Reply:
        return Reply("Last.")

    told = [(i.intent, i.fixed, [s.name for s in i.slots]) for i in skill.manifest().intents]
    assert told == [
        ("TurnOn", {}, ["name", "domain"]),
        ("TurnOn", {"domain": "light"}, ["name"]),
        ("Last", {}, []),
    ]


def test_every_fault_of_a_skill_is_told_with_its_name_and_intent() -> None:
    skill = Skill("broken", api=99)
    skill.rule("polite", "(please")

    @skill.intent("Stray", "say {wrod}", "<politely> say {word}")
    def stray(word: str, volume: int) -> Reply:
        return Reply(word)

    @skill.intent("Open", "open (the door", "")
    def open_door() -> Reply:
        return Reply("Open.")

    @skill.intent("Odd", "odd {thing}")
    def odd(thing: object) -> Reply:
        return Reply("Odd.")

    @skill.intent("Bare", "bare {thing}")
    def bare(thing) -> Reply:  # type: ignore[no-untyped-def]
        return Reply("Bare.")

    @skill.intent("Fixed", "fixed", fixed={"domain": "light"})
    def fixed() -> Reply:
        return Reply("Fixed.")

    @skill.intent("Mute")
    def mute() -> Reply:
        return Reply("Mute.")

    @skill.intent("Stray", "stray again")
    def stray_again() -> Reply:
        return Reply("Again.")

    told = faults_of(skill)
    assert all(line.startswith('skill "broken": ') for line in told)
    expected = [
        "written for api 99",
        "rule <polite>: cannot be parsed",
        "intent Stray: is claimed by two functions",
        'intent Open: "open (the door": cannot be parsed',
        'intent Open: "": is empty',
        "intent Odd: thing: no slot can be",
        'intent Bare: parameter "thing" has no type',
        "intent Fixed: fixed slot domain is no parameter",
        "intent Mute: has no sentence",
    ]
    for line, words in zip(told, expected, strict=True):
        assert words in line


def test_slots_are_looked_for_in_rules_too() -> None:
    skill = Skill("rules")
    skill.rule("amount", "[about] {count:number} <unit>")
    skill.rule("unit", "(cups|mugs) <unit>")

    @skill.intent("Pour", "pour <amount>")
    def pour(number: int) -> Reply:
        return Reply("Poured.")

    assert faults_of(skill) == []


def test_unknown_slots_rules_and_unsaid_required_slots_are_faults() -> None:
    skill = Skill("mug")

    @skill.intent("Fill", "fill {mgu}", "fill it <quickly>")
    def fill(mug: str) -> Reply:
        return Reply("Full.")

    assert faults_of(skill) == [
        'skill "mug": intent Fill: "fill {mgu}" names the slot {mgu}, which is no parameter',
        'skill "mug": intent Fill: "fill it <quickly>" names the rule <quickly>, '
        "which is not defined",
        'skill "mug": intent Fill: "mug" is required, but no sentence says it; give it a default',
    ]


def test_each_fault_is_told_with_its_line_and_the_file_once() -> None:
    skill = Skill("mug")

    @skill.intent("Fill", "fill {mgu}")
    @skill.intent("Fill", "fill it")
    def fill() -> Reply:
        return Reply("Full.")

    @skill.intent("Empty", "empty {mgu}")
    def empty() -> Reply:
        return Reply("Empty.")

    first = fill.__code__.co_firstlineno
    one, two = placed_faults_of(skill)
    assert one.endswith(f"({__file__}, line {first})")
    assert two.endswith(f"(line {empty.__code__.co_firstlineno})")
    assert "fill {mgu}" in Path(__file__).read_text().splitlines()[first - 1]


def test_a_skill_without_intents_is_a_fault() -> None:
    assert faults_of(Skill("empty")) == ['skill "empty": has no intent']


def test_an_intent_may_be_served_without_a_sentence() -> None:
    skill = Skill("robot")

    @skill.serve("HassVacuumStart", "HassVacuumReturnToBase")
    def start(name: Annotated[str, prompt("Which one?")]) -> Reply:
        """Do something with a robot."""
        return Reply(name)

    assert skill.manifest().intents == ()
    assert [(s.intent, s.sentences, s.description) for s in skill.manifest().served] == [
        ("HassVacuumStart", (), "Do something with a robot."),
        ("HassVacuumReturnToBase", (), "Do something with a robot."),
    ]


def test_a_skill_may_be_written_in_parts() -> None:
    part, skill = Skill("home"), Skill("home")
    skill.rule("polite", "(please|kindly)")

    @part.intent("Bark", "<polite> bark")
    def bark() -> Reply:
        return Reply("Woof.")

    skill.include(part)
    assert [schema.intent for schema in skill.manifest().intents] == ["Bark"]


def test_but_a_rule_has_one_template_in_all_of_them() -> None:
    part, skill = Skill("home"), Skill("home")
    part.rule("polite", "(please|kindly)")
    skill.rule("polite", "please")

    @part.intent("Bark", "<polite> bark")
    def bark() -> Reply:
        return Reply("Woof.")

    skill.include(part)
    with pytest.raises(SkillError, match="rule <polite>: two templates have this name"):
        skill.manifest()


def test_functions_may_share_slots_by_a_dataclass() -> None:
    skill = Skill("drinks")

    @skill.intent("Pour", "pour {size} {drink} [at {at}]")
    def pour(cup: Cup, drink: str) -> Reply:
        return Reply(drink)

    (intent,) = skill.manifest().intents
    assert [(slot.name, slot.kind, slot.required) for slot in intent.slots] == [
        ("size", "choice", True),
        ("at", "time", False),
        ("drink", "text", True),
    ]


def test_a_device_may_be_passed_on_by_name() -> None:
    schema = schema_of("name", Annotated[str, domains("light")] | None)
    assert (schema.kind, schema.domains) == ("entity", ("light",))
    assert schema_of("name", Annotated[str, domains()]).kind == "entity"
    assert schema_of("floor", Floor).kind == "floor"
