"""Which alarms a request means, and how they are called in replies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Annotated

from assistant.core.calendar.series import RuleError, days_of
from assistant.english.commands.half_days import says_half_of_day
from assistant.english.words import words
from assistant.skill import (
    AT,
    Alarm,
    Choose,
    Context,
    Dialog,
    Reply,
    Request,
    Traits,
    choices,
)

KIND = "alarm"
NAMES = (
    *("work", "school", "gym", "morning", "weekend", "holiday", "medicine", "tablets", "nap"),
    *("baby", "bus", "train", "flight", "church", "swimming", "running", "yoga", "breakfast"),
    *("dinner", "lunch", "bedtime", "meeting", "shift", "early", "late"),
)
"""Names that an alarm may be given; a closed list, so that speech recognition can know them."""
Name = Annotated[str, choices(*NAMES)]

ALARM = Traits(thing="alarm", only_now=True)
_HALF_DAY_MIN = 12 * 60
_SMALL = frozenset(words("the my our a an alarm alarms one ones for at"))


@dataclass(frozen=True)
class AlarmMention:
    """The slots that say which alarm is meant: its name, its time of day, its day."""

    name: Name | None = None
    clock: time | None = None
    day: date | None = None


def alarms(context: Context) -> tuple[Alarm, ...]:
    """Every alarm, the next first."""
    return tuple(alarm for alarm in context.alarms.all() if alarm.kind == KIND)


def matching(context: Context, request: Request, mention: AlarmMention) -> tuple[Alarm, ...]:
    """The alarms that are meant, the next first; those spoken of last where nothing is named."""
    found = alarms(context)
    if mention.day is not None:
        found = tuple(alarm for alarm in found if rings_on(alarm, mention.day))
    if (at := mention.clock) is not None:
        slot = request.slot("clock")
        exact = slot is not None and says_half_of_day(slot.raw)
        found = tuple(alarm for alarm in found if _is_at(alarm, at, exact))
    if mention.name is not None:
        named = frozenset(words(mention.name)) - _SMALL
        found = tuple(alarm for alarm in found if named <= frozenset(words(alarm.name)))
    if mention == AlarmMention():
        said = frozenset(words(request.text))
        about = tuple(alarm for alarm in found if alarm.id in context.conversation.about)
        if "next" in said:
            return found[:1]
        if "other" in said and about:
            return tuple(alarm for alarm in found if alarm not in about)
        return about or found
    return found


def on_alarm(
    context: Context,
    request: Request,
    mention: AlarmMention,
    act: Callable[[Alarm], Reply],
) -> Dialog:
    """Do `act` with the alarm that is meant; ask which where several may be."""
    found = matching(context, request, mention)
    if not found:
        return no_such(context, mention)
    return act((yield from one_of(found, context)))


def one_of(found: Sequence[Alarm], context: Context) -> Generator[Choose, str, Alarm]:
    """The one of several alarms that the user chooses."""
    if len(found) == 1:
        return found[0]
    labels = {described(alarm): alarm for alarm in found}
    options = tuple(labels)
    asked = ", ".join(options[:-1]) + f" or {options[-1]}"
    return labels[(yield Choose(f"Which alarm: {asked}?", options))] if options[1:] else found[0]


def no_such(context: Context, mention: AlarmMention) -> Reply:
    """The reply where none is meant."""
    if mention == AlarmMention() or not alarms(context):
        return Reply("No alarm is set.", done=False)
    when = f" {context.say(mention.day)}" if mention.day is not None else ""
    named = f" {mention.name}" if mention.name is not None else ""
    at = f" at {context.say(mention.clock)}" if mention.clock is not None else ""
    return Reply(f"You have no{named} alarm{at}{when}.", done=False)


def called(alarm: Alarm) -> str:
    """An alarm as it is called after "your"."""
    return f"{alarm.name} alarm" if alarm.name else "alarm"


def described(alarm: Alarm) -> str:
    """An alarm by its name and its time, as one of several."""
    return f"{alarm.name} {alarm.then}" if alarm.name else alarm.then


def rings(name: str) -> str:
    """What an alarm says when it rings."""
    return f"This is your {name} alarm for {AT}." if name else f"This is your alarm for {AT}."


def rings_on(alarm: Alarm, day: date) -> bool:
    """Whether an alarm rings on a day, at its next time or one after it."""
    if not alarm.rule or alarm.at.date() >= day:
        return alarm.at.date() == day
    try:
        days = (found.date() for found in days_of(alarm.rule, alarm.at.replace(tzinfo=None)))
        return next((found for found in days if found >= day), None) == day
    except RuleError:  # a skill's rule that never comes again
        return False


def _is_at(alarm: Alarm, at: time, exact: bool) -> bool:
    """Whether an alarm is at a time of day, in either half of it unless `exact`."""
    gap = abs((alarm.at.hour - at.hour) * 60 + alarm.at.minute - at.minute)
    return gap == 0 or (not exact and gap == _HALF_DAY_MIN)
