"""Reminders told, cancelled, and moved to another time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import datetime, timedelta

from assistant.english.words import words
from assistant.skill import (
    Alarm,
    Choose,
    Confirm,
    Context,
    Dialog,
    Period,
    Reply,
    Request,
    Skill,
    SkillError,
    Traits,
    ask_time,
    count,
    moved_to,
)
from skills.reminders.setting import reminders

_SMALL = frozenset(words("a an the my our your for to of off on in at it that do about reminder"))
LATER, EARLIER = "later", "earlier"
ASKS = Traits(asks=True, thing="reminder", unmistakable=True)
ACTS = Traits(thing="reminder", only_now=True, unmistakable=True, takes=("when",))
CANCELLING = Traits(
    thing="reminder", only_now=True, unmistakable=True, guarded=True, directions=("cancel",)
)

skill = Skill("reminders")
skill.rule("mine", "(the|my|that|this)")


def _is_meant(request: Request, context: Context) -> bool:
    """Whether a reminder is spoken of, so that "it" is one."""
    return any(one.id in context.conversation.about for one in reminders(context))


@skill.intent(
    "ReminderStatus",
    "(what|which) reminders (do i have|have i got|are there|are set|have i set) [[for] {period}]",
    "(what are|read me|tell me|list|show me) (my|the|all my) reminders [for {period}]",
    "(do i have|have i got|are there) any reminders [[for] {period}]",
    "what (did i ask you|have i ask_time you|are you going|do you have) to remind me (of|about)"
    " [{period}]",
    "what (will you|are you going to) remind me (of|about) [{period}]",
    traits=ASKS,
)
def reminder_status(context: Context, period: Period | None = None) -> Reply:
    """Tell what the user will be reminded of."""
    found = [
        one for one in reminders(context) if period is None or period.since <= one.at < period.until
    ]
    if not found:
        return Reply("You have no reminders." if period is None else "You have no reminders then.")
    about = tuple(one.id for one in found)
    told = context.say([_described(one) for one in found])
    if len(found) == 1:
        return Reply(f"You have a reminder: {told}.", about=about)
    return Reply(f"You have {count(len(found), 'reminder')}: {told}.", about=about)


@skill.intent(
    "WhenReminded",
    "when (will you|are you going to) remind me (to|about|of) {what}",
    "when is (my|the) reminder (to|about|for) {what}",
    traits=ASKS,
)
def when_reminded(what: str, context: Context) -> Reply:
    """Tell when the user will be reminded of a thing."""
    found = _about(what, reminders(context))
    if not found:
        return Reply(f"You have no reminder about {what}.", done=False)
    told = context.say([_described(one) for one in found])
    return Reply(f"I will remind you: {told}.", about=tuple(one.id for one in found))


@skill.intent(
    "CancelReminder",
    "<drop> (the|my|that) reminder (to|about|for|of) [the|my] {what}",
    "<drop> (the|my|that) {what} reminder",
    "(do not|you do not need to|no need to) remind me (to|about|of) {what}",
    "(stop|quit) reminding me (to|about|of) {what}",
    "<drop> (the|my|that) reminder",
    traits=CANCELLING,
)
@skill.short(
    "CancelReminder",
    "[no] <drop> (it|that|that one|the reminder)",
    "(do not|no need to|you do not need to) remind me [of it|about it|any more]",
    holds=_is_meant,
)
def cancel_reminder(context: Context, what: str = "") -> Dialog:
    """Cancel a reminder, asking which where several may be meant."""
    found = _meant(context, what)
    if not found:
        return _none(what)
    one = yield from _one_of(found)
    undo = context.alarms.cancel(one.id)
    return Reply(f"I will not remind you: {_described(one)}.", undo=undo)


@skill.intent(
    "CancelAllReminders",
    "<drop> (all|all [of] (the|my)|both|my|the) reminders",
    traits=CANCELLING,
)
@skill.short(
    "CancelAllReminders",
    "<drop> (them|them all|all of them|both|both of them|the lot)",
    holds=_is_meant,
)
def cancel_all_reminders(context: Context) -> Dialog:
    """Cancel every reminder, asking first."""
    found = reminders(context)
    if not found:
        return _none("")
    told = context.say([_described(one) for one in found])
    number = count(len(found), "reminder")
    if not (yield Confirm(f"You have {number}: {told}. Shall I cancel that?")):
        return Reply("Okay, I left it as it is.")
    return Reply(f"I cancelled {number}.", undo=tuple(context.alarms.cancel(r.id) for r in found))


@skill.intent(
    "ChangeReminder",
    "(move|change|push|shift|put) (the|my|that) {what} reminder [back|on] to {moment}",
    "(move|change|push|shift|put) (the|my|that) reminder (to|about|for) {what} [back|on] to"
    " {moment}",
    "(move|change|push|shift|put) (the|my|that) reminder [back|on] to {moment}",
    traits=ACTS,
)
@skill.intent(
    "ChangeReminder",
    "(make|push) (the|my|that) [{what}] reminder {duration} later",
    fixed={"direction": LATER},
)
@skill.intent(
    "ChangeReminder",
    "make (the|my|that) [{what}] reminder {duration} earlier",
    fixed={"direction": EARLIER},
)
@skill.short(
    "ChangeReminder",
    "(make|move|change|push) (it|that|that one) [to] {moment}",
    "remind me {moment} instead",
    holds=_is_meant,
)
@skill.short(
    "ChangeReminder",
    "[make|move|push] (it|that|that one) [back] [by] {duration} later",
    fixed={"direction": LATER},
    holds=_is_meant,
)
@skill.short(
    "ChangeReminder",
    "[make|move|bring] (it|that|that one) [forward] [by] {duration} (earlier|sooner)",
    fixed={"direction": EARLIER},
    holds=_is_meant,
)
def change_reminder(
    request: Request,
    context: Context,
    what: str = "",
    moment: datetime | None = None,
    duration: timedelta | None = None,
    direction: str = "",
) -> Dialog:
    """Say a reminder at another time."""
    found = _meant(context, what)
    if not found:
        return _none(what)
    one = yield from _one_of(found)
    by = duration if direction == LATER or duration is None else -duration
    wish = moved_to(request, one, moment, by=by)
    when, clock = yield from ask_time(wish, context, "To what time?")
    try:
        undo = context.alarms.move(one.id, when, at=clock)
    except SkillError as error:
        return Reply(error.message, done=False)
    moved = next(other for other in reminders(context) if other.id == one.id)
    return Reply(f"I will remind you: {_described(moved)}.", undo=undo, about=(one.id,))


def _meant(context: Context, what: str) -> tuple[Alarm, ...]:
    """The reminders about a thing; those spoken of last where none is named."""
    found = reminders(context)
    if what:
        return _about(what, found)
    about = tuple(one for one in found if one.id in context.conversation.about)
    return about or found


def _about(what: str, found: Sequence[Alarm]) -> tuple[Alarm, ...]:
    """The reminders whose words have all those that matter of what was named."""
    named = frozenset(words(what)) - _SMALL
    return tuple(one for one in found if named and named <= frozenset(words(one.name)))


def _none(what: str) -> Reply:
    told = f"You have no reminder about {what}." if what else "You have no reminders."
    return Reply(told, done=False)


def _described(one: Alarm) -> str:
    return f"{one.name} {one.then}"


def _one_of(found: Sequence[Alarm]) -> Generator[Choose, str, Alarm]:
    """The one of several reminders that the user chooses."""
    labels = {_described(one): one for one in found}
    options = tuple(labels)
    if len(options) == 1:
        return found[0]
    ask_time = ", ".join(options[:-1]) + f" or {options[-1]}"
    return labels[(yield Choose(f"Which reminder: {ask_time}?", options))]
