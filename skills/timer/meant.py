"""Which timers a request means, and how they are called in replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import msgspec

from assistant.english.commands.short_forms import LENGTHS, PLACES
from assistant.english.numbers import TIMED_BY
from assistant.english.spoken import in_place
from assistant.english.stems import short_stem
from assistant.skill import (
    Area,
    Choose,
    Context,
    Dialog,
    Reply,
    Request,
    Timer,
    Traits,
    Undo,
    choices,
    prompt,
)

NAMES = (
    *("pasta", "pizza", "egg", "eggs", "tea", "coffee", "rice", "bread", "cake", "cookies"),
    *("chicken", "potatoes", "soup", "steak", "oven", "cooking", "baking", "dinner", "lunch"),
    *("breakfast", "kitchen", "laundry", "washing", "dryer", "dishwasher", "garden", "sprinkler"),
    *("work", "break", "nap", "sleep", "workout", "exercise", "yoga", "meditation", "reading"),
    *("homework", "study", "game", "screen", "parking", "meeting", "medicine", "bath", "shower"),
    *("first", "second", "third"),
)
"""Names that a timer may be given; a closed list, so that speech recognition can know them."""

Name = Annotated[str, choices(*NAMES)]
HowLong = Annotated[timedelta, prompt("For how long?")]

TIMER = Traits(thing="timer", only_now=True)

IT = "it"
"""Name of the timer that was spoken of last."""
THEM = "them"
"""Name of all that run, or of those that were spoken of last."""
OTHER = "other"
"""Name of the one that was not."""
FIRST = "first of all"
"""Name of the timer that is due next."""

_AROUND_NAME = frozenset(
    ("the", "my", "our", "a", "an", "timer", "timers", "one", "ones", "those", "that", "for", "s")
)
"""Words beside the name of a timer that are no part of it."""

_AND = re.compile(r" and | as well as ")
_THEM = re.compile(r"(?:them|those|both|all|them (?:both|all)|(?:both|all) of (?:them|those))")
_BOTH = re.compile(r"\bboth\b")


@dataclass(frozen=True)
class TimerMention:
    """The slots that say which timer is meant: its name, the time it was set to, or its room."""

    name: Name | None = None
    start_duration: timedelta | None = None
    area: Area | None = None


def on_timer(
    context: Context,
    request: Request,
    mention: TimerMention,
    act: Callable[[Timer], Reply],
    likely: Callable[[Timer], bool] = lambda timer: True,
) -> Dialog:
    """Do `act` with the timer that is meant, a `likely` one before others; or reply that none runs.

    Of several, one of the room where it is said is meant. The user is asked where it is not clear.
    """
    return on_one_of(matching(context, request, mention), context, mention, act, likely)


def on_one_of(
    timers: tuple[Timer, ...],
    context: Context,
    mention: TimerMention,
    act: Callable[[Timer], Reply],
    likely: Callable[[Timer], bool],
) -> Dialog:
    """Do `act` with the one that is meant of the `timers` that may be."""
    if len(timers) > 1 and mention.name and _means_each(mention.name, len(timers)):
        return _together([act(timer) for timer in timers])
    timers = tuple(filter(likely, timers)) or timers
    here = tuple(timer for timer in timers if timer.area == context.room)
    timer = yield from _one_of(here or timers, context)
    return no_such(context, mention) if timer is None else act(timer)


def _means_each(name: str, count: int) -> bool:
    """Whether a name means each of the `count` timers that it may be for: "both" are two."""
    if _THEM.fullmatch(name):
        return count == 2 or not _BOTH.search(name)
    return _AND.search(name) is not None


def _together(replies: Sequence[Reply]) -> Reply:
    """The replies about several timers as one."""
    undo = [r.undo if isinstance(r.undo, tuple) else (r.undo,) for r in replies]
    return Reply(
        " ".join(reply.text for reply in replies),
        undo=sum(undo, ()),
        about=tuple(one for reply in replies for one in reply.about),
        done=all(reply.done for reply in replies),
    )


def _one_of(timers: tuple[Timer, ...], context: Context) -> Generator[Choose, str, Timer | None]:
    """The one of several timers that the user chooses; None for none."""
    if len(timers) < 2:
        return timers[0] if timers else None
    labels = {_label(timer, context): timer for timer in reversed(timers)}
    if len(labels) == 1:
        return timers[0]
    options = tuple(reversed(labels))
    asked = ", ".join(options[:-1]) + f" or {options[-1]}"
    return labels[(yield Choose(f"Which timer: {asked}?", options))]


def matching(context: Context, request: Request, mention: TimerMention) -> tuple[Timer, ...]:
    """Every timer that is meant, the next due first."""
    timers = context.timers.all()
    if (length := mention.start_duration) is not None:
        timers = tuple(timer for timer in timers if timer.duration == length)
    if mention.area is not None:
        timers = _of_room(mention.area, timers)
    spoken_of = tuple(timer for timer in timers if timer.id in context.conversation.about)
    match mention.name:
        case None:
            return timers
        case "it":
            said = _words(request.text)
            mentioned = tuple(t for t in timers if t.name and _words(t.name) <= said)
            return mentioned or spoken_of or timers
        case "other":
            return tuple(timer for timer in timers if timer not in spoken_of)
        case "first of all":
            return timers[:1]
    if _THEM.fullmatch(mention.name):
        return spoken_of if len(spoken_of) > 1 else timers
    room = next((a for a in context.home.areas if _words(a.name) == _words(mention.name)), None)
    return _called(mention.name, timers) or (_of_room(room, timers) if room is not None else ())


def _of_room(area: Area, timers: tuple[Timer, ...]) -> tuple[Timer, ...]:
    """The timers of a room, and those that are called after it."""
    name = _words(area.name)
    return tuple(t for t in timers if t.area == area.id or name <= _words(t.name))


def rung_or_matching(
    context: Context, request: Request, mention: TimerMention
) -> tuple[Timer, ...]:
    """The timer that rings, or has just rung, where it may be meant; else those that are meant.

    Beside it, one that was spoken of last may be.
    """
    found, rung = matching(context, request, mention), context.timers.rung
    if rung is None or mention.start_duration not in (None, rung.duration):
        return found
    if mention.name not in (None, IT) and not _called(mention.name or "", (rung,)):
        return found
    about = context.conversation.about
    return (rung, *(timer for timer in found if timer.id in about and timer.id != rung.id))


def _called(name: str, timers: tuple[Timer, ...]) -> tuple[Timer, ...]:
    """The timers of a name, a part of one, a place, a length, or of several of these."""
    wanted = _words(name)  # none in "a timer", which is no name, also of one that has none
    same = tuple(timer for timer in timers if wanted and _words(timer.name) == wanted)
    part = tuple(t for t in timers if wanted and wanted <= _words(t.name))
    placed = tuple(t for t in timers if t.place == _place(name, len(timers)))
    if same or part or placed:
        return same or part or placed
    length = LENGTHS.get(next(iter(_bare(name)), "")) if len(_bare(name)) == 1 else None
    if length is not None and len(timers) > 1:
        return (sorted(timers, key=lambda timer: timer.duration)[length],)
    several = [_called(each, timers) for each in _AND.split(name)] if _AND.search(name) else []
    return tuple(dict.fromkeys(t for each in several for t in each)) if all(several) else ()


def is_meant(request: Request, context: Context) -> bool:
    """Whether a short form means a timer: by its name, or as what was spoken of last.

    One that is only of a room of that name is not: "a kitchen timer" is one more.
    Where none was spoken of, it is one if nothing else was understood, and if it does not put right
    another thing that was just done.
    """
    timers = context.timers.all()
    name, length = request.slot("name"), request.slot("start_duration")
    if name is None and length is not None:
        return any(timer.duration.total_seconds() == length.value for timer in timers)
    if name is not None and _THEM.fullmatch(str(name.value)):
        return is_spoken_of(context)
    if name is None or name.value in (IT, OTHER, FIRST) or _place(str(name.value), len(timers)):
        alone = request.alone and not _puts_other_right(request, context)
        return bool(timers) and (alone or is_spoken_of(context))
    return bool(_called(str(name.value), timers))


def _puts_other_right(request: Request, context: Context) -> bool:
    """Whether words without a unit of time follow something that was done, and to no timer."""
    length = request.slot("duration")
    unitless = length is not None and TIMED_BY.isdisjoint(length.raw.split())
    changes = unitless or request.slot("times") is not None
    return changes and context.conversation.acted and not is_spoken_of(context)


def _place(name: str, count: int) -> int:
    """The place of "the second" of `count` timers, in the order of their starts; 0 for no place."""
    words = _bare(name)
    place = PLACES.get(words[0], 0) if len(words) == 1 else 0
    return count if place < 0 else place


def _bare(name: str) -> list[str]:
    """The words of a name, without those beside it."""
    return [word for word in name.casefold().split() if word not in _AROUND_NAME]


def names_one(text: str, context: Context) -> bool:
    """Whether a text has the name of a running timer in it."""
    said = _words(text)
    return any(timer.name and _words(timer.name) <= said for timer in context.timers.all())


def is_spoken_of(context: Context) -> bool:
    """Whether a timer that still runs was spoken of last."""
    return any(timer.id in context.conversation.about for timer in context.timers.all())


def no_such(context: Context, mention: TimerMention) -> Reply:
    """Say that no such timer runs."""
    name = mention.name
    if mention.area is not None:
        return Reply(f"There is no such timer {in_place(mention.area.name)}.", done=False)
    if name is None or name in (IT, THEM, OTHER, FIRST):
        text = "There is no such timer." if context.timers.all() else "There is no timer."
        return Reply(text, done=False)
    called = " ".join(word for word in name.split() if word not in _AROUND_NAME) or name
    return Reply(f"There is no {called} timer.", done=False)


def restoring(timer: Timer) -> Undo:
    """How to put back a timer that is cancelled."""
    return Undo("timers.restore", timer.id, msgspec.json.encode(timer).decode())


def called(timer: Timer, context: Context) -> str:
    """A timer as replies call it: "pasta timer for 5 minutes in the kitchen".

    Its room is told where it is another than the one where this is said.
    """
    room = next((area for area in context.home.areas if area.id == timer.area), None)
    place = f" {in_place(room.name)}" if room is not None and room != context.area else ""
    return f"{short_name(timer)} for {context.say(timer.duration)}{place}"


def short_name(timer: Timer) -> str:
    """A timer without its length: "pasta timer"."""
    return f"{timer.name} timer".lstrip()


def time_left(timer: Timer, context: Context) -> str:
    """ "3 minutes left"."""
    return f"{context.say(timer.remaining)} left"


def left(timer: Timer, context: Context) -> str:
    """How a timer stands: "is done", "has 3 minutes left"."""
    if timer.ringing:
        return "is done"
    return f"has {time_left(timer, context)}" + (" and is paused" if timer.paused else "")


def _label(timer: Timer, context: Context) -> str:
    return timer.name or context.say(timer.duration)


def _words(name: str) -> frozenset[str]:
    """The words by which names of timers are compared."""
    plain = name.casefold().replace("’", "'").replace("'s", "").replace("-", " ")
    words = (word.strip(".,;:!?'") for word in plain.split())
    stems = (short_stem(word) for word in words if word and word not in _AROUND_NAME)
    return frozenset(re.sub("y$", "i", stem) for stem in stems)  # "jelly", "jellies"
