"""Commands that a skill keeps: tried without a trace, and carried out as if they were said."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from assistant.core.messages import When
from assistant.english.commands.verbs import orders, promised
from assistant.english.people import said_back
from assistant.skill import Cancelled, Dialog, KeptCommand, Reply, Request
from assistant.skill.reply import Query
from skills.capabilities.bound import NamedUndo
from skills.dialog import joined_reply
from skills.dialogs.rooms import Room
from skills.later.rehearsal import Rehearsal, with_answers
from skills.later.wording import title_of
from skills.registry import Registry

NOT_ALONE = "Please say what you mean by its name."
AT_ONCE = "I can only do that at once."
NO_TIME = "I can keep how long to wait, but no time and no date."
LEFT = "Okay, I left the rest."
_WILL = re.compile(r"I will ([^.:?!]+)\.")
"""A reply to what is done after a while."""
_WHOLE = frozenset(("the", "my", "our", "all", "every", "both"))
"""Words without which those of a command may be only the ones that count: "turn on lamp"."""
_JOINT = re.compile(r"(?:(?:and|then|also|please) )+")
_DATE = re.compile(r"(DTSTART|\d{4}-\d\d-\d\d)")
"""Beginning of a value that is of one day, or counts from one."""


class KeptCommands:
    """The `Commands` of the skills in a `room`."""

    def __init__(self, registry: Registry, rehearsal: Rehearsal, room: Callable[[], Room]) -> None:
        self._registry, self._rehearsal, self._room = registry, rehearsal, room

    def tried(self, request: Request) -> Generator[Query, Any, KeptCommand | Reply]:
        """Try a command, asking what it asks; a Reply says why it cannot be kept.

        As with what is planned, a skill of others that may do anything is taken at its word.
        """
        plain = msgspec.structs.replace(request, instead=False, alone=False)
        room = self._room()
        area = room.context.area.id if room.context.area else ""
        if reason := self._unfit(plain):
            return Reply(reason, done=False)
        if not self._registry.rehearses(plain.intent):
            return KeptCommand(title=title_of("", plain.text), request=plain, area=area)
        call = room.openings.begun(plain)
        tried, answers = yield from self._rehearsal.of(call)
        if not tried.done or any(answer.value is False for answer in answers):
            return msgspec.structs.replace(tried, done=False)
        if tried.task is not None:
            return Reply(AT_ONCE, done=False)
        title = self._title(plain, tried.text)
        return KeptCommand(title=title, request=plain, area=area, answers=answers)

    def carry_out(self, kept: Sequence[KeptCommand], request: Request) -> Dialog:
        """Carry out commands, one after the other, in the name of who says `request`."""
        room, said = self._room(), list[Reply]()
        areas = {area.id: area for area in room.context.home.areas}
        for one in kept:
            again = msgspec.structs.replace(one.request, utterance_id=request.utterance_id)
            there = replace(room.context, area=areas.get(one.area, room.context.area))
            call = room.openings.carry_out(again, there)
            try:
                said.append((yield from with_answers(call, one.answers, there)))
            except Cancelled:
                if not said:
                    raise
                said.append(Reply(LEFT))
                break
        reply = joined_reply(said)
        steps = reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)
        named = (NamedUndo(s.operation, s.id, s.value, s.name) for s in steps)
        return msgspec.structs.replace(reply, undo=tuple(named))

    def _title(self, request: Request, report: str) -> str:
        """What a command does: its words, where they are sure and whole, or else its report.

        A report is of the state that things are in: "turn on one light".
        """
        if (planned := _WILL.fullmatch(report)) is not None:
            return planned[1]
        words = _JOINT.sub("", request.text.casefold().strip(" .!?"))
        whole = not _WHOLE.isdisjoint(words.split()) and request.confidence >= 1
        if orders(words) and (whole or not promised(report)):
            return said_back(words)
        return (
            f'answer "{words}"' if self._registry.asks(request.intent) else title_of(report, words)
        )

    def _unfit(self, request: Request) -> str:
        """Why a command cannot be kept, whatever it does; "" where it can."""
        if request.referring:
            return NOT_ALONE
        if self._registry.at_once(request.intent) and not self._registry.declines(request.intent):
            return AT_ONCE
        dated = any(_DATE.match(str(slot.value)) for slot in request.slots)
        return NO_TIME if dated or _dated(request.when) else ""


def _dated(when: When | None) -> bool:
    """Whether a time is one by the clock, which another day has not, or an event."""
    if when is None or when.sun is not None:
        return False
    return when.kind not in ("in", "for") or _dated(when.lasting)
