"""The tests of built-in skills and examples hold, and one wrong line makes them fail."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import UTC
from functools import cache
from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.errors import SkillError
from assistant.skill.testing import NOW
from assistant.skill_development.cases import TESTS, load_tests
from assistant.skill_development.hearing import by_voice
from assistant.skill_development.loading import compose, is_built_in
from assistant.skill_development.package import write_package
from assistant.skill_development.testing import PRESENT, Chain, Failure, as_typed, run_tests
from nlu.classifier.intent import IntentModel
from tests.cli.test_bad_input import assistant, refused
from tests.support.voices import speech

REPOSITORY = Path(__file__).resolve().parents[2]
TESTED = sorted(
    file.parent for folder in ("skills", "examples") for file in (REPOSITORY / folder).rglob(TESTS)
)


@cache
def default_intents() -> IntentModel | None:
    """That of no home, from which those of the skills' own homes are fitted in little time."""
    return Composition(Config()).understanding.intents


def composed(folder: Path) -> Composition:
    start = default_intents() if is_built_in(folder) else None
    return compose(folder, Config(), now=lambda: PRESENT.replace(tzinfo=UTC), start=start)


def failing(
    folder: Path, text: str | None = None, composition: Composition | None = None
) -> list[Failure]:
    """What fails of a folder's tests, or of these instead."""
    if text is not None:
        (folder / TESTS).write_text(text)
    chain = Chain(composition or composed(folder), (), as_typed)
    return list(run_tests(load_tests(folder), chain))


@pytest.fixture
def tide(tmp_path: Path, sentences_alone: None) -> Path:
    return write_package("tide", tmp_path)


@pytest.mark.parametrize("folder", TESTED, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_the_tests_of_every_skill_hold(folder: Path, request: pytest.FixtureRequest) -> None:
    if not is_built_in(folder):
        request.getfixturevalue("sentences_alone")
    assert failing(folder) == []


def test_every_kind_of_skill_has_tests() -> None:
    assert len(TESTED) >= 7


def test_the_time_of_tests_is_that_of_the_fixtures() -> None:
    assert PRESENT.replace(tzinfo=UTC) == NOW


def test_a_new_skills_tests_hold_and_each_wrong_line_is_found(tide: Path) -> None:
    right, composition = (tide / TESTS).read_text(), composed(tide)
    assert failing(tide, composition=composition) == []
    for line, wrong, told in (
        ("slots: {times: 5}", "slots: {times: 6}", ("slots", "times = 6", "times = 5")),
        ("slots: {times: 5}", "slots: {}", ("slots", "no slots", "times = 5")),
        ("slots: {times: 5}", "slots: {times: true}", ("slots", "times = True", "times = 5")),
        ("intent: TryTide", "intent: Try", ("intent", "Try", "TryTide")),
        ("intent: TryTide", "intent: null", ("intent", "no intent", "TryTide")),
        (
            "tide five times\n  within",
            "tide twice\n  within",
            ("reply", "… I tried the tide tw", ""),
        ),
        ("asks: How many times?", "asks: How often?", ("asks", "… How often? …", "How many")),
        ("asks: How many times?", "asks: false", ("asks", "no question", "How many times?")),
        ("absent: five", "absent: three", ("absent", "not … three …", "I tried the tide three")),
        ("absent: five", "asks: true", ("asks", "a question", "I tried the tide three times.")),
        ("within_ms: 1000", "within_ms: 0", ("within_ms", "0 ms", "ms")),
    ):
        assert line in right
        (found,) = failing(tide, right.replace(line, wrong), composition)
        assert found.key == told[0]
        assert found.expected.startswith(told[1])
        assert told[2] in found.actual
        written = (tide / TESTS).read_text().splitlines()[found.line - 1]
        assert written.strip(" -").startswith(found.key)


def test_slots_may_be_told_by_their_words_and_intents_be_several(tide: Path) -> None:
    text = """\
- say: try the tide five times
  slots: {times: FIVE}
- say: set a pasta timer for five minutes
  slots: {name: pasta, duration: five minutes}
- say: try the tide twenty times and set a timer for five minutes
  intent: [TryTide, HassStartTimer]
- say: the neighbours went to sea
  intent: null
"""
    assert failing(tide, text) == []


def test_a_skill_that_fails_is_told_with_its_exception_and_line(tide: Path) -> None:
    module = tide / "__init__.py"
    module.write_text(module.read_text().replace("    return", "    times //= 0\n    return"))
    first, second = failing(tide)
    assert (first.say, second.say) == ("try the tide five times", "three")
    assert "ZeroDivisionError" in first.actual
    assert f"({module}, line 13)" in first.actual
    assert "by zero" in first.actual


def test_a_skill_that_cannot_be_loaded_is_refused_with_the_line(tide: Path) -> None:
    module = tide / "__init__.py"
    for wrong, told in (
        (("{times}", "{tims}"), "line 10"),
        (("    return", "    retrn"), "line 13"),
    ):
        right = module.read_text()
        module.write_text(right.replace(*wrong))
        with pytest.raises(SkillError, match=rf"__init__\.py, {told}"):
            composed(tide)
        module.write_text(right)
    (tide / "pyproject.toml").unlink()
    refused(assistant(tide.parent, "skills", "test", tide), "pyproject.toml")


def test_the_home_of_tests_is_the_folders_own(tide: Path) -> None:
    text = "- say: turn on the lamp\n  intent: HassTurnOn\n  reply: I turned on the lamp.\n"
    assert [one.key for one in failing(tide, text)] != []  # the control: no such lamp is made up
    home = "entities:\n  - {name: Lamp, id: light.lamp}\n"
    (tide / "home.yaml").write_text(home)
    assert failing(tide, text) == []


@cache
def heard(folder: Path) -> Sequence[Failure]:
    composition = composed(folder)
    asr = composition.asr()
    return tuple(run_tests(load_tests(folder), Chain(composition, (asr,), by_voice(asr))))


@pytest.mark.long
def test_the_same_sentences_are_heard(tide: Path) -> None:
    speech("ready")  # skips where there is no flite
    assert heard(tide) == ()
    wrong = tide.parent / "wrong" / "tide"
    shutil.copytree(tide, wrong)
    text = (wrong / TESTS).read_text().replace("times: 5", "times: 6")
    (wrong / TESTS).write_text(text)
    (found,) = heard(wrong)
    assert (found.heard, found.actual) == ("try the tide five times", "times = 5")


def test_the_command_fails_on_one_wrong_line(tide: Path) -> None:
    whole = assistant(tide.parent, "skills", "test", tide)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert "tide: 3 conversations of 4 turns, failed: 0" in whole.stdout
    text = (tide / TESTS).read_text()
    (tide / TESTS).write_text(text.replace("times: 5", "times: 6"))
    told = assistant(tide.parent, "skills", "test", tide, "--json")
    assert told.returncode == 1
    failure, figures = map(json.loads, told.stdout.splitlines())
    assert (failure["type"], failure["line"], failure["key"]) == ("Failure", 5, "slots")
    assert (figures["type"], figures["turns"], figures["failures"]) == ("Tested", 4, 1)
    (tide / TESTS).write_text(text.replace("reply:", "repyl:"))
    refused(assistant(tide.parent, "skills", "test", tide), "line 6", 'did you mean "reply"?')
