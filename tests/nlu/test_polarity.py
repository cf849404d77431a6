"""No homophone, no lost and no doubled word turns an act into its opposite."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from assistant.core.messages import Command
from assistant.english.commands.directions import DIRECTIONS
from assistant.english.commands.homophones import HOMOPHONES
from assistant.english.commands.modifiers import ALL
from assistant.english.negation import NEGATIONS
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.text.canonical import canonical
from tests.nlu.parts.test_composer import HOME
from tests.support.grammars import templates_of

OPPOSITE = {
    a: b
    for pair in (
        ("HassTurnOn", "HassTurnOff"),
        ("HassMediaPause", "HassMediaUnpause"),
        ("HassMediaNext", "HassMediaPrevious"),
        ("HassMediaPlayerMute", "HassMediaPlayerUnmute"),
        ("HassPauseTimer", "HassUnpauseTimer"),
        ("HassIncreaseTimer", "HassDecreaseTimer"),
    )
    for a, b in (pair, pair[::-1])
}
KEPT = {"except", "but", "not", "without", *NEGATIONS, *ALL}
"""Words that may turn an act round when they are lost: negations and exceptions."""
SAID = {word for key in DIRECTIONS for word in key}
"""Words that name a direction: without one of them, nothing may be done."""

ACTS = [
    f"{verb} {particle} the {name}"
    for verb in ("turn", "switch")
    for particle in ("on", "off")
    for name in ("reading lamp", "spots", "coffee machine", "telly", "fan", "lights")
] + [
    *(
        "open the kitchen blind",
        "close the kitchen blind",
        "kitchen blind up",
        "kitchen blind down",
    ),
    *(
        "lock the front door",
        "unlock the front door",
        "open the garage door",
        "close the garage door",
    ),
    *("spots on", "spots off", "reading lamp off please", "coffee on", "everything off"),
    *("turn off all the lights except the spots", "turn the spots and the reading lamp off"),
    *("raise the lounge blind", "lower the lounge blind", "pause the telly", "mute the telly"),
    *("turn the telly down a bit", "turn the telly up", "spots brighter", "spots a bit dimmer"),
    *("two degrees warmer in the lounge", "a degree cooler in the nursery", "louder", "quieter"),
    *("set a timer for four minutes", "stop the kitchen blind", "send robbie home"),
]


def altered(text: str) -> Iterator[tuple[str, str]]:
    """A text with one word replaced by a homophone, doubled, or lost, and that word."""
    words = text.split()
    for at, word in enumerate(words):
        before, after = words[:at], words[at + 1 :]
        for other in HOMOPHONES.get(word, ()):
            yield " ".join([*before, other, *after]), ""
        yield " ".join([*before, word, word, *after]), ""
        if word not in KEPT:
            yield " ".join([*before, *after]), word


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    templates = templates_of(HOME)
    return Interpreter(templates, compose=Composer(HOME, "lounge"))


def ways(commands: tuple[Command, ...]) -> set[tuple[str, str]]:
    """What commands do, each with its way: an intent, or the sign of a change."""
    found = set()
    for command in commands:
        slots = {slot.name: str(slot.value) for slot in command.slots}
        found.add((command.intent, slots.get("change", "")[:1]))
    return found


@pytest.mark.parametrize("text", ACTS)
def test_no_small_change_turns_an_act_round(
    interpreter: Interpreter, now: datetime, text: str
) -> None:
    meant = ways(interpreter(canonical(text), now).commands)
    assert meant
    turned = {(OPPOSITE.get(intent, ""), sign) for intent, sign in meant}
    turned |= {(intent, {"+": "-", "-": "+"}.get(sign, "?")) for intent, sign in meant}
    for other, lost in altered(text):
        found = ways(interpreter(canonical(other), now).commands)
        assert not found & turned, other
        if lost in SAID and not SAID.intersection(other.split()):
            assert not found & meant, other


def test_a_real_opposite_is_told(interpreter: Interpreter, now: datetime) -> None:
    on, off = (ways(interpreter(canonical(f"spots {w}"), now).commands) for w in ("on", "off"))
    assert {(OPPOSITE[intent], sign) for intent, sign in on} == off
