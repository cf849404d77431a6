"""What nothing here can do gets a plain "no" by its subject, unless a skill really does it."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.core.messages import Interpretation, OpenQuestion, Question, Transcript
from assistant.skill import Reply as Said
from assistant.skill import Skill
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from skills.fixed.unserved import NAME, SUBJECTS, unserved
from skills.registry import Registry
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, HOME, Talk, command


@cache
def stage() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


def intents(text: str) -> list[str]:
    said = Transcript(utterance_id=text, revision=1, text=text)
    (meant,) = (m for m in stage().feed(said) if isinstance(m, Interpretation))
    return [one.intent for one in meant.commands]


@pytest.mark.parametrize(
    "text",
    ["set a timer for ten minutes", "wake me up at seven", "what time is it", "stop"],
)
def test_what_is_served_is_not_taken_for_it(text: str) -> None:
    (intent,) = intents(text)
    assert intent not in {subject.intent for subject in SUBJECTS}


def test_the_reply_names_what_cannot_be_done(talk: Talk) -> None:
    assert talk.ask("MakeCall", who="grandma") == "I can't make calls."
    assert talk.ask("HassMediaSearchAndPlay", search_query="jazz", area="Kitchen") == (
        "I can't play music or films by name yet."
    )


def test_what_the_documents_may_know_is_asked_of_them_first(talk: Talk) -> None:
    text = "how do I get to the museum"
    (question,) = talk.hear(text, command("GetDirections", place="museum"))
    assert isinstance(question, Question)
    assert (question.text, question.task) == (text, OpenQuestion())
    assert question.fallback == "I can't give directions."


def test_a_skill_that_serves_an_intent_takes_its_place() -> None:
    weather = Skill("weather")

    @weather.intent("HassGetWeather", "what is the weather")
    def sunny() -> Said:
        return Said("Sunny.")

    registry = Registry()
    registry.add("weather", lambda: weather)
    registry.add(NAME, lambda: unserved(registry.served))
    assert registry.faults == ()
    talk = Talk(registry=registry)
    assert talk.ask("HassGetWeather") == "Sunny."
    assert talk.ask("GetForecast") == "I can't tell that of the weather."
    talk.database.close()
