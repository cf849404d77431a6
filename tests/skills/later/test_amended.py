"""A yes that adds when: what was asked about is done then, and nothing of the answer is dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.core.messages import Choice, Slot, SlotValue, SpokenReply, When
from assistant.skill.manifest import SlotSchema
from nlu.stage import NluStage
from skills.later.amended import amendment
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.talking import Talk, command

KNOWN: dict[tuple[str, str], SlotValue] = {
    ("ten minutes", "duration"): 600,
    ("ten", "datetime"): "2026-01-05T22:00:00+00:00",
}


def read(text: str, schema: SlotSchema) -> Slot | None:
    value = KNOWN.get((text, schema.kind))
    return None if value is None else Slot(name=schema.name, value=value, raw=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes, but for ten minutes", ("for", "for ten minutes", 600)),
        ("Yes but only for ten minutes", ("for", "for ten minutes", 600)),
        ("yeah for ten minutes", ("for", "for ten minutes", 600)),
        ("ok in ten minutes", ("in", "in ten minutes", 600)),
        ("yes please, until ten", ("until", "until ten", "2026-01-05T22:00:00+00:00")),
        ("sure but at ten", ("at", "at ten", "2026-01-05T22:00:00+00:00")),
        ("yes", None),
        ("yes, but for a moment", None),
        ("for ten minutes", None),
        ("no, for ten minutes", None),
        ("yes, ten minutes", None),
    ],
)
def test_what_a_yes_adds(text: str, expected: Any) -> None:
    found = amendment(text, read)
    assert (found and (found.kind, found.said, found.value)) == expected


@pytest.fixture
def say(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    return Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))


def test_what_would_be_done_at_once_is_planned(say: Conversation) -> None:
    assert say("clear the shopping list") == "Shall I take two things off your shopping list?"
    assert say("yes, but in five minutes") == "I will clear the shopping list in five minutes."
    assert say("read the shopping list") == "On your shopping list: milk and butter."
    (told, *_) = say.talk.wait(310)
    assert isinstance(told, SpokenReply)
    assert told.text == "As planned: Your shopping list is empty now."


def test_what_cannot_be_done_for_a_while_is_declined_by_name(say: Conversation) -> None:
    say("clear the shopping list")
    assert "for five minutes" in say("yes, but for five minutes")
    assert say("read the shopping list") == "On your shopping list: milk and butter."


def test_a_plain_yes_does_it_at_once(say: Conversation) -> None:
    """Control."""
    say("clear the shopping list")
    assert say("yes") == "Your shopping list is empty now."


def test_a_sentence_that_was_meant_gets_its_time(talks: Callable[..., Talk]) -> None:
    talk = talks()
    choice = Choice(sentence="turn on the kettle", command=command("HassTurnOn", name="Kettle"))
    (asked,) = (m for m in talk.hear("boil", choices=(choice,)) if isinstance(m, SpokenReply))
    assert asked.text == 'Did you mean "turn on the kettle"?'
    assert talk.say("yes, but for five minutes") == "I turned on the kettle for five minutes."
    assert talk.state("switch.kettle") == "on"
    talk.wait(310)
    assert talk.state("switch.kettle") == "off"


def test_of_several_commands_none_is_done_twice(talk: Talk) -> None:
    talk.say("x", command("HassShoppingListAddItem", item="milk"))
    clear = command("ClearList", name="shopping list")
    asked = talk.say("both", command("HassStartTimer", duration=60), clear)
    assert asked.endswith("Shall I take one thing off your shopping list?")
    talk.hear("yes, but for five minutes")
    assert talk.timers() == 1
    assert talk.database.execute("SELECT * FROM plans") == []


def test_a_when_is_kept_as_it_was_said() -> None:
    assert amendment("yes, till ten", read) == When(
        kind="until", said="till ten", value="2026-01-05T22:00:00+00:00"
    )
