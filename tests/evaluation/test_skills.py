"""Skills that get in each other's way are told, with the sentence; those that do not are not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from assistant.evaluation.confusion import confusions
from assistant.evaluation.skills import Rank, SkillReport, check_skills, owners_of
from assistant.evaluation.specimen import specimen_home
from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema
from nlu.classifier.examples import Examples
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import NO_VOCABULARY, built_in
from skills.registry import load_registry
from tests.cli.test_bad_input import assistant, refused
from tests.support.stand_ins import entity, intent
from tests.support.word_bag import WIDTH, WordBag

FRUIT = SlotSchema(name="fruit", kind="choice", choices=("mango", "cherry"))
KIOSK = SkillManifest(
    name="kiosk",
    api=1,
    intents=(
        intent("Buy", "(buy|order) [me] a {fruit}", "get a {fruit}", slots=(FRUIT,)),
        intent("Price", "how much is a {fruit}", slots=(FRUIT,)),
    ),
)


def skill(name: str, *intents: IntentSchema) -> SkillManifest:
    return SkillManifest(name=name, api=1, intents=intents)


def checked(*manifests: SkillManifest, vocabulary: bool = False) -> dict[str, SkillReport]:
    words = built_in() if vocabulary else NO_VOCABULARY
    templates = Templates.compile(manifests, specimen_home(manifests), words)
    return {report.skill: report for report in check_skills(manifests, templates)}


def test_a_skill_alone_has_no_faults() -> None:
    report = checked(KIOSK)["kiosk"]
    assert (report.faults, report.warnings) == (0, 0)
    assert report.claims["Price"] == ["how much is a mango", "how much is a cherry"]


def test_a_sentence_of_two_skills_is_a_fault_of_both() -> None:
    rival = skill("stall", intent("Trade", "[please] get a {fruit} [now]", slots=(FRUIT,)))
    found = checked(KIOSK, rival)
    (ours,), (theirs,) = found["kiosk"].conflicts, found["stall"].conflicts
    assert (ours.intent, ours.template, ours.rank) == ("Buy", "get a {fruit}", Rank.EQUAL)
    assert (ours.other_skill, ours.other_intent) == ("stall", "Trade")
    assert ours.sentence in ("get a mango", "get a cherry")
    assert (theirs.other_skill, theirs.other_intent) == ("kiosk", "Buy")


def test_free_text_that_swallows_what_another_names_loses_to_it() -> None:
    greedy = skill("notes", intent("Note", "buy a {text}", slots=(SlotSchema(name="text"),)))
    found = checked(KIOSK, greedy)
    assert found["kiosk"].conflicts == []  # its own sentences still win
    assert found["notes"].conflicts == []  # none of those drawn is of a fruit


def test_a_sentence_that_names_a_part_of_anothers_takes_it() -> None:
    found = checked(KIOSK, skill("cherries", intent("Cherry", "order me a cherry")))
    (taken,), (given,) = found["cherries"].conflicts, found["kiosk"].conflicts
    assert (taken.other_intent, taken.rank) == ("Buy", Rank.WORSE)
    assert (given.sentence, given.rank) == ("order me a cherry", Rank.BETTER)


def test_a_slot_that_no_sentence_fills_is_a_fault() -> None:
    slots = (FRUIT, SlotSchema(name="count", kind="integer", required=False))
    (unfilled,) = checked(skill("kiosk", intent("Buy", "buy a {fruit}", slots=slots)))[
        "kiosk"
    ].unfilled
    assert (unfilled.intent, unfilled.slot) == ("Buy", "count")
    elsewhere = (
        intent("Buy", "buy a {fruit}", slots=slots),
        intent("Buy", "buy {count} {fruit}", slots=slots),
    )
    fixed = intent("Buy", "buy a {fruit}", slots=slots, count="1")
    for filled in (elsewhere, (fixed,)):
        assert checked(skill("kiosk", *filled))["kiosk"].unfilled == []


def test_a_sentence_that_another_of_the_skill_always_takes_is_told() -> None:
    twice = skill(
        "kiosk",
        intent("Buy", "buy a mango"),
        intent("Get", "buy a mango", "get a mango"),
        intent("Look", "look at {name}", slots=(entity("telescope"),)),
    )
    report = checked(twice)["kiosk"]
    told = [(u.intent, u.template, u.instead) for u in report.unreachable]
    assert told == [("Get", "buy a mango", ("Buy",))]
    assert "look at corner telescope" in report.claims["Look"]
    assert report.faults == 0


def test_home_assistants_own_words_are_taken_over_with_a_warning() -> None:
    home = next(m for m in load_registry().manifests if m.name == "home")
    report = checked(home, skill("robot", intent("Skip", "next track")), vocabulary=True)
    (override,) = report["robot"].overrides
    assert (override.other_skill, override.other_intent) == ("home", "HassMediaNext")
    assert (report["robot"].faults, report["home"].faults) == (0, 0)


@pytest.mark.depth
def test_the_skills_that_are_built_in_get_along() -> None:
    found = checked(*load_registry().manifests, vocabulary=True)
    assert {name: report.faults for name, report in found.items()} == dict.fromkeys(found, 0)


def test_sentences_that_look_like_another_skills_are_confused() -> None:
    rival = skill(
        "stall",
        intent("Trade", "(buy|order) [me] a {fruit} at the stall", slots=(FRUIT,)),
        intent("Odd", "how much is a pear"),
    )
    weather = skill("weather", intent("Rain", "(will|does) it rain [(today|tomorrow|tonight)]"))
    manifests = (KIOSK, rival, weather)
    drawn = Templates.compile(manifests, specimen_home(manifests)).labelled(15)
    talk = [f"my {who} {did} again" for who in ("dog", "boss", "son") for did in ("ate", "slept")]
    others = Examples([None] * len(talk), WordBag().encode(talk))
    found = confusions(drawn, WordBag(), others, owners_of(manifests))
    (odd,) = (c for c in found["stall"] if c.intent == "Odd")
    assert (odd.sentence, odd.other_skill, odd.other_intent) == (
        "how much is a pear",
        "kiosk",
        "Price",
    )
    assert 0.3 < odd.belief <= 1
    assert "weather" not in found
    assert confusions([], WordBag(), Examples([], np.zeros((0, WIDTH), np.float32)), {}) == {}


SOURCE = """
from enum import Enum
from assistant.skill import Reply, Skill

skill = Skill("{name}", api=1)
Fruit = Enum("Fruit", [(f, f) for f in ("mango", "cherry")])

@skill.intent("{intent}", "(buy|order) a {{fruit}}")
def buy(fruit: Fruit{more}) -> Reply:
    return Reply("Bought.")
"""
FACTS = """
[project]
name = "{name}"
version = "1"
[project.entry-points."assistant.skills"]
{name} = "{name}:skill"
[tool.assistant]
api = 1
"""


TWO = ("clock", "timer")
LEFT_OUT = [m.name for m in load_registry().manifests if m.name not in TWO]


def folder_of(root: Path, name: str, intent_name: str, more: str = "") -> Path:
    folder = root / name
    folder.mkdir()
    source = SOURCE.format(name=name, intent=intent_name, more=more)
    (folder / f"{name}.py").write_text(source)
    (folder / "pyproject.toml").write_text(FACTS.format(name=name))
    return folder


def check(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `skills check` with two of the built-in skills; all are checked without the command."""
    (folder / "two.toml").write_text(f"[skills]\ndisabled = {LEFT_OUT}\n")
    return assistant(folder, "skills", "check", "--config", folder / "two.toml", *arguments)


@pytest.fixture
def nothing_confused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which sentences the models would confuse, for which some are fitted, is not looked for."""
    monkeypatch.setattr("assistant.skill_development.check.confusions", lambda *_: {})


@pytest.mark.depth
def test_the_command_fails_on_a_planted_conflict(tmp_path: Path) -> None:
    kiosk, stall = folder_of(tmp_path, "kiosk", "Buy"), folder_of(tmp_path, "stall", "Trade")
    alone = check(tmp_path, "--skill", kiosk)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "Buy: “buy a mango”" in alone.stdout
    both = check(tmp_path, "--skill", kiosk, "--skill", stall, "--json")
    assert both.returncode == 1
    (line,) = both.stdout.splitlines()
    told = json.loads(line)
    assert told["faults"] == 2
    reports = {report["skill"]: report for report in told["skills"]}
    assert reports.keys() == {*TWO, "kiosk", "stall"}
    (conflict,) = reports["stall"]["conflicts"]
    assert (conflict["other_skill"], conflict["other_intent"]) == ("kiosk", "Buy")


@pytest.mark.usefixtures("nothing_confused")
def test_the_command_fails_on_a_slot_never_filled_and_on_a_refused_skill(tmp_path: Path) -> None:
    kiosk = folder_of(tmp_path, "kiosk", "Buy", ", count: int = 1")
    stopwatch = folder_of(tmp_path, "stopwatch", "HassStartTimer")
    shown = check(tmp_path, "--skill", kiosk, "--skill", stopwatch)
    assert shown.returncode == 1
    assert "fault: Buy: no sentence fills {count}" in shown.stdout
    assert "does not run" in shown.stdout
    assert "faults: 2, " in shown.stdout
    refused(check(tmp_path, "--skill", tmp_path / "none"), "no such folder")


@pytest.mark.usefixtures("nothing_confused")
def test_the_command_speaks_of_one_skill(tmp_path: Path) -> None:
    kiosk, stall = folder_of(tmp_path, "kiosk", "Buy"), folder_of(tmp_path, "stall", "Trade")
    faulty = folder_of(tmp_path, "faulty", "Sell", ", count: int = 1")
    beside = check(tmp_path, kiosk, "--skill", stall, "--skill", faulty, "--json")
    assert beside.returncode == 1
    told = json.loads(beside.stdout)
    found = {report["skill"]: report for report in told["skills"]}
    assert next(iter(found)) == "kiosk"
    assert found.keys() == {"kiosk", "stall", "faulty"}  # each has its sentence, too
    for other in ("stall", "faulty"):
        assert found[other]["claims"] == {}
        assert {c["other_skill"] for c in found[other]["conflicts"]} == {"kiosk"}
        assert found[other]["unfilled"] == []  # its own affair
    broken = folder_of(tmp_path, "broken", "Break", ", count: str")
    refused(check(tmp_path, broken), "broken.py, line 8", '"count" is required')
