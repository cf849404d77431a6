"""What nothing understands is said in plain words, checked, and then done, asked or left."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError
from assistant.core.messages import Interpretation, Transcript
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.rewriter.judge import RewriterCalibration
from nlu.rewriter.rewriter import Rewriter
from nlu.rewriter.rewriting import Rewriting
from nlu.stage import NluStage
from tests.support.scripted_rewriter import SURE, UNSURE, Scripted, tokenizer

TABLE = RewriterCalibration(weights={"likelihood": 1.0}, offset=3.0, act=0.85, ask=0.5)
"""Sure of what the model is sure of, and in doubt below that."""
LAMP = "it's murder on the eyes in here"
PLAIN = {
    LAMP: "turn off the reading lamp",
    "that's worse mate": "turn on the reading lamp",
    "let the postie in": "unlock the back door",
    "both of them please mate": "turn on the reading lamp ; turn on the ceiling light",
    "blather": "frobnicate the lamp",
}


class Household:
    """A stage whose language model writes as it is told, and what was said to it."""

    def __init__(self, templates: Templates, now: datetime, model: Scripted) -> None:
        self.model, self.faults = model, Degraded("nlu")
        self._said = 0
        parts = Composer(templates.home), Questions(templates.home)
        interpreter = Interpreter(templates, None, *parts)
        self.stage = NluStage(templates, interpreter, lambda: now)
        rewriter = Rewriter(model, tokenizer(), templates.home)
        self.stage.rewriting = Rewriting(
            lambda: rewriter, TABLE, templates.home, templates.traits, self.faults
        )

    def hears(self, text: str, **other: Any) -> Interpretation:
        self._said += 1
        said = Transcript(
            utterance_id=f"u{self._said}", revision=1, text=text, at_s=self._said * 5.0, **other
        )
        *_, meant = self.stage.feed(said)
        assert isinstance(meant, Interpretation)
        return meant


def household(
    templates: Templates, now: datetime, plain: Mapping[str, str] = PLAIN, score: float = SURE
) -> Household:
    return Household(templates, now, Scripted(plain, score))


def told(meant: Interpretation) -> list[tuple[str, str]]:
    slots = [{slot.name: slot.value for slot in one.slots} for one in meant.commands]
    return [(one.intent, str(slots[place].get("name"))) for place, one in enumerate(meant.commands)]


def test_what_is_surely_meant_is_done(templates: Templates, now: datetime) -> None:
    meant = household(templates, now).hears(LAMP)
    assert told(meant) == [("HassTurnOff", "Reading Lamp")]
    assert household(templates, now, {}).hears(LAMP).commands == ()


def test_several_plain_sentences_are_several_commands(templates: Templates, now: datetime) -> None:
    meant = household(templates, now).hears("both of them please mate")
    assert [intent for intent, _ in told(meant)] == ["HassTurnOn", "HassTurnOn"]


def test_what_is_less_sure_is_asked(templates: Templates, now: datetime) -> None:
    meant = household(templates, now, score=UNSURE).hears(LAMP)
    assert meant.commands == ()
    assert [one.sentence for one in meant.choices] == ["turn off the reading lamp"]


def test_what_opens_a_door_is_asked_however_sure_it_is(templates: Templates, now: datetime) -> None:
    meant = household(templates, now).hears("let the postie in")
    assert meant.commands == ()
    assert [one.command.intent for one in meant.choices] == ["HassUnlock"]


def test_it_goes_on_from_what_was_said_before_in_the_room(
    templates: Templates, now: datetime
) -> None:
    home = household(templates, now)
    home.hears("turn on the ceiling light")
    home.hears(LAMP)
    assert told(home.hears("that's worse mate")) == [("HassTurnOn", "Reading Lamp")]
    read = home.model.read_texts[-1]
    assert "said: turn on the ceiling light\nplain: turn on the ceiling light\n" in read
    assert f"said: {LAMP}\nplain: turn off the reading lamp\n" in read


def test_what_the_grammar_does_not_understand_is_left(templates: Templates, now: datetime) -> None:
    meant = household(templates, now).hears("blather")
    assert (meant.commands, meant.choices) == ((), ())


@pytest.mark.parametrize("how", ["unasked", "expected", "secret"])
def test_what_was_not_said_to_the_assistant_is_not_rewritten(
    templates: Templates, now: datetime, how: str
) -> None:
    home = household(templates, now)
    assert home.hears(LAMP, **{how: True}).commands == ()
    assert home.model.read_texts == []


def test_what_was_hardly_heard_is_not_rewritten(templates: Templates, now: datetime) -> None:
    home = household(templates, now)
    assert home.hears(LAMP, confidence=0.4).commands == ()
    assert home.model.read_texts == []
    assert home.hears(LAMP, confidence=0.6).commands


def test_a_negated_command_is_not_rewritten(templates: Templates, now: datetime) -> None:
    home = household(templates, now, {"don't turn on the ceiling light": PLAIN[LAMP]})
    assert home.hears("don't turn on the ceiling light").commands == ()


def test_without_a_sound_model_it_declines_and_says_why_once(
    templates: Templates, now: datetime
) -> None:
    home = household(templates, now)

    def load() -> Rewriter:
        raise ModelError("model.unusable", "its bytes are not as recorded")

    home.stage.rewriting = Rewriting(load, TABLE, templates.home, templates.traits, home.faults)
    assert home.hears(LAMP).commands == ()
    assert home.hears(LAMP).commands == ()
    assert [one.part for one in home.faults.take_reports()] == ["rewriter"]
