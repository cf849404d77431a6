"""What came of one input, folded from its messages."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assistant.core.messages import (
    Command,
    Interpretation,
    Message,
    SlotValue,
    SpokenReply,
    Transcript,
    Woke,
)


class OutcomeCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One command of a sentence that held several."""

    intent: str
    slots: dict[str, SlotValue]
    confidence: float


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag="Summary"):
    """One input's outcome; nothing heard is an empty transcript, nothing understood a null intent.

    Several utterances: their transcripts joined by a space, the rest from the last one.
    """

    input: str
    wake: bool
    transcript: str
    intent: str | None
    confidence: float
    slots: dict[str, SlotValue]
    commands: list[OutcomeCommand]
    reply: str
    timings_ms: dict[str, float]


def summarise(given: str, messages: Sequence[Message], timings_ms: dict[str, float]) -> Outcome:
    """Fold the messages that one input led to."""
    transcripts = {m.utterance_id: m.text for m in messages if isinstance(m, Transcript)}
    last = next(reversed([i for i, text in transcripts.items() if text]), None)
    commands = [_outcome_command(c) for c in _commands(messages, last)]
    replies = [m for m in messages if isinstance(m, SpokenReply) and m.utterance_id == last]
    first = commands[0] if commands else None
    return Outcome(
        input=given,
        wake=any(isinstance(m, Woke) and m.wake_word != "" for m in messages),
        transcript=" ".join(text for text in transcripts.values() if text),
        intent=first.intent if first else next((r.intent for r in replies), None),
        confidence=first.confidence if first else 0.0,
        slots=first.slots if first else {},
        commands=commands,
        reply=" ".join(r.text for r in replies),
        timings_ms=timings_ms,
    )


def in_words(command: Command) -> str:
    """A command in words: "HassTurnOn(name = Lamp)"."""
    slots = ", ".join(f"{slot.name} = {slot.value}" for slot in command.slots)
    return f"{command.intent}({slots})"


def _commands(messages: Sequence[Message], utterance_id: str | None) -> tuple[Command, ...]:
    interpretations = [
        m for m in messages if isinstance(m, Interpretation) and m.utterance_id == utterance_id
    ]
    return interpretations[-1].commands if interpretations else ()


def _outcome_command(command: Command) -> OutcomeCommand:
    return OutcomeCommand(
        intent=command.intent,
        slots={s.name: s.value for s in command.slots},
        confidence=command.confidence,
    )
