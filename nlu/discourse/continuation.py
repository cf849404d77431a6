"""What a text takes over from the command before it, and its parts from one another.

redone      "every light off", then "do it again but leave the hall on"
recalled    "turn the lamp on", "what time is it", then "turn it off"    the lamp
leaning     "turn the fan on", then "off"                     the fan
put off     "lamp on", then "just till nine"                  the lamp, till nine
            "lamp off at nine", then "no, at ten"             the lamp, at ten
            "close the blinds at sunset", then "and the TV"   at sunset, too
shared      "the lamp and the fan off at ten"                 both at ten
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

import msgspec

from assistant.core.messages import Command, When
from assistant.english import phrases
from assistant.english.commands.words import ACTIONS, REDOING, THEM
from nlu.discourse import clauses
from nlu.discourse.modifiers import UNKNOWN, Divided, Modifiers, only_when
from nlu.discourse.reading import ReadPart
from nlu.discourse.times import retimed
from nlu.text.canonical import Canonical, without_politeness

_THEN, _TIMER = "then", "HassStartTimer"


def recalled(said: Canonical, before: ReadPart, back: bool) -> Iterator[ReadPart]:
    """What a text may be read after, the likeliest first: two utterances are remembered.

    "Them" are of both, where each was about one thing; else "it" and "and" may go back to the
    earlier one. Any text goes `back` to it first, as "a bit brighter" does after the time was told.
    """
    words = [token.text for token in said.tokens]
    earlier = before.earlier
    both = earlier is not None and len(before.turn) == len(earlier.turn) == 1
    if earlier is not None and both and not THEM.isdisjoint(words):
        yield replace(before, turn=earlier.turn + before.turn)
    if earlier is not None and back:
        yield earlier
    yield before
    goes_on = tuple(words[:1]) in phrases.FOLLOWING or not phrases.PRONOUNS.isdisjoint(words)
    if earlier is not None and goes_on and not back:
        yield earlier


def leans(said: Canonical, before: ReadPart) -> bool:
    """Whether a text is read as what goes on from the commands before it, if it can be.

    "Them" are all that were named; a bare "off" is for what was spoken of last.
    """
    words = tuple(token.text for token in without_politeness(said).tokens)
    several = len(before.turn) > 1 or before.values.get("name", "all") == "all"
    return words in ACTIONS or (several and not THEM.isdisjoint(words))


def put_off(parts: list[ReadPart], said: Canonical, before: ReadPart | None) -> list[ReadPart]:
    """The parts; those of "and …" after what was to be done later are for then, too."""
    words = {token.text for token in said.tokens}
    when = before.command.when if before and said.tokens[0].text == "and" else None
    if when is None or "now" in words or any(part.command.when for part in parts):
        return parts
    return [part.modified(Modifiers(when=when)) for part in parts]


def redone(said: Canonical, before: ReadPart, added: Iterable[Divided]) -> list[Command] | None:
    """The commands before once more, with what a text adds to them: "do it again, not the hall".

    `added` are the ways to divide the text; None where none of them only asks for that.
    """
    plain = without_politeness(said)
    for core, modifiers in (*added, (plain, Modifiers())):
        words = tuple(token.text for token in core.tokens)
        known = all(slot.name != UNKNOWN for slot in modifiers.excluded)
        if words in REDOING and known and not (before.missed or said.asked):
            return [_once_more(one, before, modifiers) for one in before.turn]
    return None


def _once_more(command: Command, before: ReadPart, modifiers: Modifiers) -> Command:
    """A command as it was said, so that it means the same devices."""
    return msgspec.structs.replace(
        command,
        text=command.text or before.said.words,
        excluded=command.excluded + modifiers.excluded,
        when=modifiers.when,
        instead=False,
    )


def put_off_alone(said: Canonical, before: ReadPart | None, now: datetime) -> list[Command] | None:
    """The commands before, for the time that is all that a text says: "just till nine".

    They take the place of those.
    """
    plain = without_politeness(clauses.correction(said)[1])
    if before is None or before.missed or said.asked or not plain.tokens:
        return None
    when = only_when(plain, now)
    if when is None:
        return None
    return [
        msgspec.structs.replace(one, when=retimed(one.when, when, now), instead=True)
        for one in before.turn
    ]


def after_a_timer(parts: list[ReadPart]) -> list[ReadPart]:
    """The parts; what "then" puts after a timer that is started is for its end."""
    found = list(parts)
    for at in range(1, len(found)):
        begins = found[at].said.tokens[0].start
        then = begins > 0 and found[at].said.source[begins - 1] == _THEN
        if then and found[at - 1].command.intent == _TIMER and found[at].command.intent != _TIMER:
            found[at] = found[at].modified(Modifiers(when=When(kind="event", said=_THEN)))
    return found


def shared_modifiers(parts: list[ReadPart]) -> list[ReadPart]:
    """The parts, where those that lend their words share what is added after the last one."""
    found = list(parts)
    for at in range(len(found) - 1, 0, -1):
        last, lender = found[at].command, found[at - 1]
        if found[at].borrowed and not (lender.command.when or lender.command.excluded):
            found[at - 1] = lender.modified(Modifiers(last.excluded, last.when))
    return found
