"""Plans in words: what will be done, and when."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from assistant.core.messages import SunEvent
from assistant.english.commands.verbs import orders, promised
from assistant.english.dates import WEEKDAYS, month_and_day, weekday_name
from assistant.english.people import said_back
from assistant.english.spoken import joined, length, plural, spoken
from skills.later.plan import After, AtTime, Due
from skills.later.timing import Timing

_DAYS = dict(zip(("MO", "TU", "WE", "TH", "FR", "SA", "SU"), WEEKDAYS, strict=True))
_GROUPS = {"MO,TU,WE,TH,FR": "every weekday", "SA,SU": "every Saturday and Sunday"}
_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_INTRADAY = ("MINUTELY", "HOURLY")


def title_of(report: str, said: str) -> str:
    """What a report says was done, or else the user's words, as a phrase that fits "I will …"."""
    words = said_back(said.casefold())
    return promised(report) or (words if orders(words) else f'do "{words}"')


def core_of(text: str, when: str) -> str:
    """The words of a command without those that say when."""
    at = text.casefold().find(when.casefold())
    if not when or at < 0:
        return text
    rest = f"{text[:at].rstrip(' ,')} {text[at + len(when) :].lstrip(' ,')}"
    return rest.strip(" ,.")


def in_words(due: Due, timing: Timing, key: str = "", link: str = "at") -> str:
    """When a plan is due: "in ten minutes", "at 10 pm", "every weekday at 7 am".

    `link` is "until" for what is to end then.
    """
    if isinstance(due, After):
        left = timedelta(seconds=max(1.0, timing.left_s(key, due)))
        return f"in {length(_rounded(left))}"
    clock = _sun(due.sun, link) if due.sun else f"{link} {spoken(due.local.time(), timing.now)}"
    if due.rule:
        return _every(due, clock)
    return clock if due.local.date() == timing.now.date() else _on_a_day(due, clock, timing, link)


def day_in_words(day: date, rule: str, now: datetime) -> str:
    """When something that lasts whole days is: "tomorrow", "every year on May 5"."""
    told = spoken(day, now)
    on = told if told in ("today", "tomorrow", "yesterday") else f"on {told}"
    if "FREQ=YEARLY" in rule:
        return f"every year on {month_and_day(day)}"
    return f"{on}, and again after that" if rule else on


def clock_of(moment: datetime, now: datetime) -> str:
    """A moment that is over, in words: "at 7 am", "yesterday at 7 am"."""
    if moment.date() == now.date():
        return f"at {spoken(moment.timetz(), now)}"
    return spoken(moment, now)


def _rounded(left: timedelta) -> timedelta:
    """Without the seconds that nobody asks for: "in nine minutes"."""
    whole = timedelta(minutes=1)
    return left if left < 2 * whole else whole * round(left / whole)


def _on_a_day(due: AtTime, clock: str, timing: Timing, link: str) -> str:
    day = spoken(due.local.date(), timing.now)
    day = day if day == "tomorrow" else f"on {day}"
    if link == "until":
        return f"until {day} {clock.replace('until', 'at', 1)}"
    return f"{day} {clock}"


def _sun(sun: SunEvent, link: str) -> str:
    if not sun.offset_s:
        return f"{link} {sun.event}"
    side = "after" if sun.offset_s > 0 else "before"
    offset = f"{length(timedelta(seconds=sun.offset_s))} {side} {sun.event}"
    return f"until {offset}" if link == "until" else offset


def _every(due: AtTime, clock: str) -> str:
    parts = dict(part.split("=") for part in due.rule.split(";"))
    unit, count = _UNITS[parts["FREQ"]], int(parts.get("INTERVAL", "1"))
    if parts["FREQ"] in _INTRADAY:
        return f"every {unit}" if count == 1 else f"every {count} {plural(unit)}"
    days = parts.get("BYDAY", "")
    if days in _GROUPS and count == 1:
        return f"{_GROUPS[days]} {clock}"
    # In a calendar of others a day may have a number, which means nothing in a week.
    named = [_DAYS.get(day[-2:], "").capitalize() for day in days.split(",")]
    if parts["FREQ"] == "WEEKLY" and all(named):
        names = joined(named)
        return f"every {names} {clock}" if count == 1 else f"every {count} weeks on {names} {clock}"
    every = f"every {unit}" if count == 1 else f"every {count} {plural(unit)}"
    if parts["FREQ"] in ("MONTHLY", "YEARLY"):
        return f"{every}, next on {weekday_name(due.local)}, {due.local:%-d %B}, {clock}"
    return f"{every} {clock}"


def lowered(text: str) -> str:
    """A sentence as it goes on after others: "I" stays."""
    return text if re.match(r"I\b", text) else f"{text[:1].lower()}{text[1:]}"
