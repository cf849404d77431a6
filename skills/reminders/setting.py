"""Setting reminders."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from assistant.english.lists import word_set
from assistant.english.people import said_back
from assistant.skill import (
    Alarm,
    Ask,
    Context,
    Dialog,
    Recurrence,
    Reply,
    Request,
    Skill,
    SkillError,
    Traits,
    Undo,
    ask_time,
    named_time,
    naming,
    tells_time,
)

KIND = "reminder"
NO_TIME = "I can only remind you at a time."
TO, ABOUT, THAT = "to", "about", "that"

_LONGEST_NAME = 2
"""Most words for somebody who is to be reminded."""
_OURSELVES = ("me ", "us ")
_NOBODY = word_set("me us myself yourself you your it that this them to about of at in on for")

skill = Skill("reminders")
skill.rule("then", "({moment}|{period:moment}|{day}|{often})")
SETTING = Traits(thing="reminder", only_now=True, unmistakable=True, takes=("when",))


@skill.intent(
    "SetReminder",
    "<remind> (me|us) to {what}",
    "<remind> (me|us) <then> to {what}",
    "(do not|never) let (me|us) forget to {what}",
    "(make sure|see to it that) (i|we) (do not forget|remember) to {what}",
    "<remind> (me|us) to {what} in {duration}",
    "<make> (a|another) reminder to {what}",
    "<make> (a|another) reminder <then> to {what}",
    "[a|new] reminder to {what}",
    fixed={"link": TO},
    traits=SETTING,
)
@skill.intent(
    "SetReminder",
    "<remind> (me|us) about {what}",
    "<remind> (me|us) <then> (about|of) {what}",
    "<remind> (me|us) of {what} <then>",
    "<remind> (me|us) {moment} {what}",
    "<remind> (me|us) (about|of) {what} in {duration}",
    "(do not|never) let (me|us) forget about {what}",
    "<make> (a|another) reminder (for|about|of) {what}",
    "<make> (a|another) reminder <then> (for|about|of) {what}",
    "[a|new] reminder (for|about) {what}",
    fixed={"link": ABOUT},
)
@skill.intent(
    "SetReminder",
    "<remind> (me|us) that {what}",
    "<remind> (me|us) <then> that {what}",
    fixed={"link": THAT},
)
@skill.intent(
    "SetReminder", "<make> (a|another|the) reminder", "<make> (a|another) reminder <then>"
)
@skill.intent(
    "SetReminder",
    "<remind> {text:whom} to {what}",
    "<remind> {text:whom} <then> to {what}",
    "<remind> {text:whom} to {what} in {duration}",
    fixed={"link": TO},
)
@skill.short(
    "SetReminder",
    "<remind> (me|us) <then>",
    "<remind> (me|us)",
    holds=lambda request, context: request.alone,
)
def set_reminder(
    request: Request,
    context: Context,
    what: str = "",
    whom: str = "",
    link: str = TO,
    moment: datetime | None = None,
    day: date | None = None,
    often: Recurrence | None = None,
    duration: timedelta | None = None,
) -> Dialog:
    """Say words of the user's own at a time, or on the days of a rule."""
    if whom.casefold().startswith(_OURSELVES):  # "me in a bit"
        whom = ""
    whom = whom and _as_said(whom, request)
    if whom and not _is_somebody(whom):
        return Reply("I don't know whom to remind.", done=False)
    what = what or (yield Ask("What shall I remind you of?"))
    wish = named_time(request, context, moment=moment, day=day, often=often, after=duration)
    when, clock = yield from ask_time(wish, context, "When shall I remind you?")
    if not tells_time(when):
        return Reply(NO_TIME, done=False, about=naming(request, what))
    name = said_back(_as_said(what, request).casefold())
    rings = f"A reminder for {whom}: {name}." if whom else f"A reminder: {name}."
    try:
        alarm = context.alarms.set(when, rings, kind=KIND, name=name, at=clock)
    except SkillError as error:
        return Reply(error.message, done=False, about=naming(request, what))
    text = f"I will remind {whom or 'you'} {link} {name} {alarm.then}.{alarm.caveat}"
    after = timedelta(seconds=float(when.value or 0)) if when.kind == "in" else None
    about = (alarm.id, *naming(request, what, after))
    return Reply(text, undo=Undo("alarms.cancel", alarm.id), about=about)


@skill.intent(
    "RemindAtEvent",
    "<remind> (me|us) (when|before|after|once|as soon as) {what}",
    traits=Traits(thing="reminder", only_now=True, unmistakable=True),
)
def remind_at_event(request: Request, what: str) -> Reply:
    """Say that only a time can be waited for."""
    return Reply(NO_TIME, done=False, about=naming(request, what))


def _is_somebody(whom: str) -> bool:
    """Whether words may be a name: "grandma", "the kids", and not "about it"."""
    words = whom.casefold().split()
    return len(words) <= _LONGEST_NAME and _NOBODY.isdisjoint(words)


def _as_said(what: str, request: Request) -> str:
    """What was named, with the article that was said before it."""
    with_article = f"the {what.strip()}"
    return with_article if with_article in request.text.casefold() else what.strip()


def reminders(context: Context) -> tuple[Alarm, ...]:
    """Every reminder, the next first."""
    return tuple(alarm for alarm in context.alarms.all() if alarm.kind == KIND)
