"""Explains what each part of understanding made of a text, and which part decided."""

from __future__ import annotations

from datetime import datetime

import msgspec

from assistant.core.messages import Command, SlotValue
from nlu.discourse.negation import addressed_to_other, not_a_command, reported, unlikely_command
from nlu.discourse.reading import ReadPart
from nlu.fallback.guesser import Guesser, spoken
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical, without_politeness
from nlu.understood import Understood

_MOST = 5
"""Most candidates of one kind that are listed."""


class IntentCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was considered, its weight, and what in the text spoke against it."""

    intent: str
    slots: dict[str, SlotValue]
    weight: float
    against: str = ""


class Explanation(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How one text was understood."""

    text: str
    words: str
    """The canonical words that were read."""
    sentences: list[IntentCandidate]
    """Commands whose sentences fit."""
    in_scope: float | None
    """How likely the text is meant for the assistant; None where there is no model."""
    intents: dict[str, float]
    """Probabilities of the likeliest intents."""
    spans: list[tuple[str, str, float]]
    """Label, words and confidence of each span that the NER model found."""
    guesses: list[IntentCandidate]
    """Commands that the models guessed."""
    doubts: list[str]
    """Reasons why the words may be no command."""
    composed: list[IntentCandidate]
    """Commands that the parts of the text make."""
    commands: list[Command]
    """The commands as they are carried out, each with the words that it was read from."""
    decided: str
    """Which rule decided."""


def explain(
    text: str,
    understood: Understood,
    templates: Templates,
    interpreter: Interpreter,
    now: datetime,
    before: ReadPart | None = None,
) -> Explanation:
    """Ask every part of understanding what it makes of a text that was `understood` so.

    `before` is the last command of the same conversation.
    """
    said = canonical(text)
    guesser = interpreter.guess if isinstance(interpreter.guess, Guesser) else None
    ranking = guesser.rank(said) if guesser else None
    spans = guesser.spans(said) if guesser else ()
    return Explanation(
        text=text,
        words=without_politeness(said).text,
        sentences=[
            _candidate(Command(intent=match.intent, slots=slots), 1.0, _against(match.missing))
            for match in templates.match_canonical(said)[:_MOST]
            if (slots := templates.slots(match, now)) is not None
        ],
        in_scope=round(ranking.in_scope, 3) if ranking else None,
        intents={i: round(p, 3) for i, p in ranking.intents()[:_MOST]} if ranking else {},
        spans=[
            (s.label, " ".join(said.source[s.start : s.end]), round(s.confidence, 2)) for s in spans
        ],
        guesses=[
            _candidate(guess.command, round(guess.weight, 3))
            for guess in (guesser.guesses(said, now) if guesser else [])[:_MOST]
        ],
        doubts=[
            reason
            for reason, test in (
                ("turned round or told of", not_a_command),
                ("somebody's words", reported),
                ("past, or under a condition", unlikely_command),
                ("said to somebody else", addressed_to_other),
            )
            if test(said)
        ],
        composed=[
            _candidate(command, round(command.confidence, 3))
            for command in interpreter.composed(said, before)
        ],
        commands=[
            msgspec.structs.replace(reading.command, text=spoken(reading.said))
            for reading in understood.readings
        ],
        decided=understood.by.value,
    )


def _candidate(command: Command, weight: float, against: str = "") -> IntentCandidate:
    slots = {slot.name: slot.value for slot in command.slots}
    return IntentCandidate(intent=command.intent, slots=slots, weight=weight, against=against)


def _against(missing: tuple[str, ...]) -> str:
    return f"lacks {', '.join(missing)}" if missing else ""
