"""Commands that are tried without a trace, and carried out with answers that were given before."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from datetime import date, time, timedelta
from enum import Enum
from functools import partial
from typing import Any

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import SlotValue
from assistant.skill import Area, Ask, Cancelled, Confirm, Context, Dialog, Entity, Floor, Reply
from assistant.skill.context import Answer
from assistant.skill.reply import Query
from assistant.skill.signature import convert
from skills.rights.pin import AskPin

Rehearsed = tuple[Reply, tuple[Answer, ...]]
"""The reply to a command, and the answers to what it asked."""


class Rehearsal:
    """Tries commands; nothing of it stays on the disk, and so nothing is sent to a device."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, call: Dialog) -> Generator[Query, Any, Rehearsed]:
        """Try a call within the transaction that is open, asking what it asks."""
        answers: list[Answer] = []
        move = partial(next, call)
        while True:
            try:
                with self._database.rehearsal():
                    query = move()
            except StopIteration as end:
                return end.value, tuple(answers)
            try:
                answer = yield query
            except Cancelled as cancelled:
                move = partial(call.throw, cancelled)
                continue
            if not isinstance(query, AskPin):
                answers.append(Answer(question=query.text, value=_as_data(answer)))
            move = partial(call.send, answer)


def answered(call: Dialog, answers: Sequence[Answer], context: Context) -> Reply:
    """Carry a call out with answers that were given before.

    Raises `SkillError` where it asks what it did not ask then: nobody has agreed to that.
    """
    asking = with_answers(call, answers, context)
    try:
        next(asking)
    except StopIteration as end:
        reply: Reply = end.value
        return reply
    asking.close()
    raise SkillError("later.asks", "a planned command asks what was not asked before")


def with_answers(call: Dialog, answers: Sequence[Answer], context: Context) -> Dialog:
    """Carry a call out with answers that were given before; all else is asked, and the PIN."""
    known = {answer.question: answer.value for answer in answers}
    move = partial(next, call)
    try:
        while True:
            query = move()
            answer = None if isinstance(query, AskPin) else _known(known, query, context)
            try:
                answer = (yield query) if answer is None else answer
            except Cancelled as cancelled:
                move = partial(call.throw, cancelled)
            else:
                move = partial(call.send, answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    finally:
        call.close()


def _known(known: Mapping[str, SlotValue], query: Query, context: Context) -> Any:
    """The answer that was given before; None for none, and for a thing that is no longer there."""
    if query.text not in known:
        return None
    try:
        return _typed(known[query.text], query, context)
    except SkillError:
        return None


def _typed(value: SlotValue, query: Query, context: Context) -> Any:
    wanted = bool if isinstance(query, Confirm) else query.answer if isinstance(query, Ask) else str
    home = context.home
    return convert(value, wanted, home.areas, home.entities, home.floors)


def _as_data(answer: Any) -> SlotValue:
    """An answer as a value of the bus, from which `convert` makes it again."""
    match answer:
        case bool() | int() | float() | str():
            return answer
        case timedelta():
            return answer.total_seconds()
        case date() | time():
            return answer.isoformat()
        case Enum():
            return str(answer.value)
        case Area() | Entity() | Floor():
            return answer.id
    return str(answer)
