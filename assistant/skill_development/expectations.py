"""Compares what happened in one turn of a test with what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import UNSET

from assistant.core.messages import (
    Command,
    Interpretation,
    Message,
    Slot,
    SlotValue,
    SpokenReply,
)
from assistant.skill_development.cases import Expected, Texts

FAULT = "say"
"""The key that a fault of the skill itself is told of."""


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one turn: the words as they were understood, what they meant, and the reply.

    `fault` says how the skill failed, "" where it did not.
    """

    text: str
    intents: tuple[str, ...]
    slots: tuple[Slot, ...]
    reply: str
    asked: bool
    milliseconds: float
    fault: str = ""

    @classmethod
    def of(cls, messages: Sequence[Message], milliseconds: float, fault: str = "") -> Happened:
        """Fold the messages of one turn."""
        replies = [m for m in messages if isinstance(m, SpokenReply)]
        commands = _carried_out(messages, next((r.intent for r in replies if r.intent), None))
        read = (m.text for m in messages if isinstance(m, Interpretation))
        return cls(
            text=next(read, ""),
            intents=tuple(command.intent for command in commands),
            slots=commands[0].slots if commands else (),
            reply=" ".join(reply.text for reply in replies),
            asked=any(reply.listen for reply in replies),
            milliseconds=milliseconds,
            fault=fault,
        )


def _carried_out(messages: Sequence[Message], replied_to: str | None) -> Sequence[Command]:
    """The commands that were carried out; a short form may have come before what was understood."""
    meant = next((m for m in messages if isinstance(m, Interpretation)), None)
    readings = (meant.commands, *meant.conditional) if meant is not None else ()
    if replied_to is None:
        return readings[0] if readings else ()
    fitting = (some for some in readings if any(one.intent == replied_to for one in some))
    return next(fitting, (Command(intent=replied_to),))


def deviations(expected: Expected, happened: Happened) -> Iterator[tuple[str, str, str]]:
    """Each key whose expectation was not met, with what was expected and what came of it."""
    if happened.fault:
        yield FAULT, "a reply", happened.fault
        return
    if expected.intent is not UNSET and _intents(expected.intent) != happened.intents:
        yield "intent", _listed(_intents(expected.intent)), _listed(happened.intents)
    if expected.slots is not UNSET and not _same(expected.slots, happened.slots):
        actual = ((s.name, s.value) for s in happened.slots)
        yield "slots", _named(expected.slots.items()), _named(actual)
    for text in _texts(expected.reply):
        if not _contains(happened.reply, text):
            yield "reply", f"… {text} …", happened.reply or "no reply"
    yield from _question(expected.asks, happened)
    for text in _texts(expected.absent):
        if text in happened.intents:
            yield "absent", f"not {text}", _listed(happened.intents)
        elif _contains(happened.reply, text):
            yield "absent", f"not … {text} …", happened.reply
    if expected.within_ms is not UNSET and happened.milliseconds > expected.within_ms:
        yield "within_ms", f"{expected.within_ms:g} ms", f"{happened.milliseconds:.0f} ms"


def _question(
    wanted: bool | str | msgspec.UnsetType, happened: Happened
) -> Iterator[tuple[str, str, str]]:
    if wanted is UNSET:
        return
    actual = happened.reply or "no reply"
    if isinstance(wanted, bool):
        if wanted != happened.asked:
            yield "asks", "a question" if wanted else "no question", actual
    elif not happened.asked:
        yield "asks", wanted, f"no question: {actual}"
    elif not _contains(happened.reply, wanted):
        yield "asks", f"… {wanted} …", actual


def _intents(wanted: str | tuple[str, ...] | msgspec.UnsetType | None) -> tuple[str, ...]:
    if wanted is None or wanted is UNSET:
        return ()
    return (wanted,) if isinstance(wanted, str) else tuple(wanted)


def _texts(texts: Texts) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else texts


def _contains(text: str, part: str) -> bool:
    return _plain(part) in _plain(text)


def _plain(value: object) -> str:
    return " ".join(str(value).casefold().split())


def _same(wanted: dict[str, SlotValue], slots: Sequence[Slot]) -> bool:
    """Whether exactly these slots are there, each with its value or its words."""
    there = {slot.name: slot for slot in slots}
    return there.keys() == wanted.keys() and all(
        _equal(value, there[name]) for name, value in wanted.items()
    )


def _equal(value: SlotValue, slot: Slot) -> bool:
    if isinstance(value, str):
        return _plain(value) in (_plain(slot.value), _plain(slot.raw))
    if isinstance(value, bool) or isinstance(slot.value, bool):
        return value is slot.value
    return value == slot.value


def _named(slots: Iterable[tuple[str, SlotValue]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in slots) or "no slots"


def _listed(intents: Sequence[str]) -> str:
    return ", ".join(intents) or "no intent"
