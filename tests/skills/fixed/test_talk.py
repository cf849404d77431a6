"""Small talk gets a short human reply, and nothing is done."""

from __future__ import annotations

import pytest

from skills.fixed.talk import REPLIES
from tests.skills.fixed.test_unserved import intents
from tests.support.talking import Talk, command

SAID = {
    "TalkThanks": "thank you very much",
    "TalkHello": "hey there",
    "TalkMorning": "good morning",
    "TalkAfternoon": "good afternoon",
    "TalkEvening": "good evening",
    "TalkNight": "sleep well",
    "TalkGoodbye": "bye bye",
    "TalkHome": "we're back",
    "TalkHowAreYou": "how are you today",
    "TalkWhoAreYou": "what's your name",
    "TalkComputer": "how old are you",
    "TalkAreYouThere": "are you still there",
    "TalkPraise": "well done",
    "TalkLove": "I love you",
    "TalkScold": "you're useless",
    "TalkApology": "I'm sorry",
    "TalkNotYou": "I wasn't talking to you",
    "TalkHush": "shh the baby is asleep",
    "TalkFine": "that's much better",
    "TalkUnwell": "my head hurts",
    "TalkBored": "I'm so bored",
    "TalkWishes": "happy new year",
    "TalkBirthday": "it's my birthday",
}


@pytest.mark.parametrize(("intent", "text"), SAID.items())
def test_it_is_understood(intent: str, text: str) -> None:
    assert intents(text) == [intent]


def test_every_reply_has_a_case() -> None:
    assert [reply.intent for reply in REPLIES] == list(SAID)


def test_it_is_only_answered(talk: Talk) -> None:
    assert talk.ask("TalkThanks") == "You're welcome."
    assert talk.ask("TalkNight") == "Good night."


def test_it_is_left_out_beside_a_command(talk: Talk) -> None:
    fine, time = command("TalkFine"), command("HassGetCurrentTime")
    assert talk.say("okay, what time is it", fine, time) == "It's 6:30 pm."
    assert talk.say("thanks, bye", command("TalkThanks"), command("TalkGoodbye")) == "Goodbye."


def test_it_drops_an_open_question(talk: Talk) -> None:
    talk.ask("HassStartTimer")
    assert talk.ask("TalkGoodbye") == "Goodbye."
    assert talk.stage.deadline_s() is None


def test_what_follows_continues_the_command_before_it() -> None:
    assert intents("turn on the kettle") == ["HassTurnOn"]
    assert intents("thanks robot") == ["TalkThanks"]
    assert intents("turn it off") == ["HassTurnOff"]
