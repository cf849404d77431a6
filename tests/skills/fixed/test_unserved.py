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

SAID = {
    "InviteGuest": "invite tom to dinner",
    "TakeNote": "note that the filter is old",
    "MakeCall": "can you phone grandma please",
    "CallForHelp": "call an ambulance",
    "SendMessage": "text Oliver that dinner is ready",
    "OrderThing": "order us a pizza",
    "BookThing": "book a table for six at eight",
    "ControlCar": "start the car and warm it up",
    "CallTaxi": "get me a taxi to the airport",
    "RenameThing": "call it the second batch",
    "MakeAutomation": "create a new automation",
    "HassMediaSearchAndPlay": "put on some jazz",
    "TelevisionGuide": "what's on telly tonight",
    "SportsResults": "who won the match",
    "TellStory": "read us a bedtime story about pirates",
    "PlayGame": "let's play hide and seek",
    "RollDice": "flip a coin",
    "Sing": "sing me a lullaby",
    "ShowThing": "show me a picture of a giraffe",
    "TakePhoto": "take a photo",
    "PrintThing": "print this",
    "HassGetWeather": "is it raining outside",
    "GetForecast": "will it rain tomorrow",
    "SunTimes": "what time is sunset",
    "GetNews": "what's in the news",
    "TravelTimes": "is there much traffic to Leeds",
    "GetDirections": "how do I get to the museum",
    "OpeningHours": "what time does the bakery open on sunday",
    "DoHomework": "can you help me with my homework",
    "MedicalAdvice": "how many paracetamol can I take",
    "FindThing": "where's my phone",
    "WatchDoor": "who is at the front door",
    "ArmAlarm": "arm the burglar alarm",
    "Calculate": "what is seventeen times twenty three",
    "ConvertUnits": "how many ounces are in a pound",
    "ExchangeRates": "what's the dollar worth today",
    "Translate": "how do you say good luck in Italian",
    "SpellWord": "how do you spell rhythm",
    "DefineWord": "what is the definition of rhythm",
    "TimeElsewhere": "what time is it in Sydney",
    "SearchWeb": "search the internet for camping stoves",
    "ChangeVoice": "speak more slowly",
    "ChangeSettings": "update yourself",
}


@cache
def stage() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


def intents(text: str) -> list[str]:
    said = Transcript(utterance_id=text, revision=1, text=text)
    (meant,) = (m for m in stage().feed(said) if isinstance(m, Interpretation))
    return [one.intent for one in meant.commands]


@pytest.mark.parametrize(("intent", "text"), SAID.items())
def test_it_is_understood(intent: str, text: str) -> None:
    assert intents(text) == [intent]


def test_every_subject_has_a_case() -> None:
    assert [subject.intent for subject in SUBJECTS] == list(SAID)


@pytest.mark.parametrize(
    "text",
    ["set a timer for ten minutes", "wake me up at seven", "what time is it", "stop"],
)
def test_what_is_served_is_not_taken_for_it(text: str) -> None:
    (intent,) = intents(text)
    assert intent not in SAID


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
