"""Small talk gets a short human reply, and nothing is done."""

from __future__ import annotations

from tests.skills.fixed.test_unserved import intents
from tests.support.talking import Talk, command


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
