"""Words that add to a command who is excepted from it, and when it holds.

They are canonical words: a contraction is written out, and there is no "the"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from assistant.english.commands.words import AUXILIARIES
from assistant.english.dates import WEEKDAYS
from assistant.english.lists import phrase_list, word_set


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted((tuple(p.split()) for p in phrase_list(text)), key=len, reverse=True))


EXCEPTING = _phrases(
    "except for, except, but for, but not, apart from, other than, excluding, with exception of, "
    "aside from, besides, not counting, leaving out, save for, but leave out, and not, just not"
)
"""Phrases before what is excepted from everything that was named before."""

LEAVING = _phrases("leave, but leave, and leave, just leave, but just leave, but keep")
"""Phrases inside a text before what is to stay as it is: "lights off, leave the hall"."""
AS_IT_IS = _phrases(
    "alone, as is, as it is, as they are, be, how it is, how they are, on, off, open, running,"
    " going"
)
"""Words after it."""
JOINING = word_set("but and")
"""Words before a clause that says what is to stay."""
STAYING = _phrases(
    "can stay, can stay on, may stay, may stay on, should stay, should stay on, stay on, stays on,"
    " stays, can stay off, stay off, stays off, can be left on, can remain on, can keep going,"
    " stays as it is, can stay as it is"
)
"""Words behind what is to stay as it is: "lights off, the hall can stay on"."""
THE_REST = _phrases(
    "others, other, other 1, other ones, rest, rest of them, everything else, all others"
)
"""Words for what a command does not name, and leaves as it is anyway."""
WHOSE = word_set("his hers theirs mine yours ours")
"""Words for what belongs to people, that do not tell what it is."""

EXCEPTING_OF_ALL = _phrases("but, not, bar, minus, without")
"""Words before what is excepted, where all of something was named before."""

ALL = word_set("all every everything everywhere everyone whole any both")

EXCEPTED_FRAME = word_set(
    "a 1 ones light lights lamp lamps room in of from at for that which is are my our"
    " switch switches fan fans blind blinds device devices"
)
"""Words around the name of what is excepted: "the one in the bedroom", "the bedroom lights"."""

TRAILING = word_set("on off up down open closed out please")
"""Words of a command that may follow the exception: "turn all but the hall off"."""

SPELLS = word_set("bit while sec secs tick mo moment jiffy ages ever good spell age instant")
"""Words for a time that is not told: "for a bit"."""
ENDING = TRAILING | word_set("now then")
"""Words with which a command may end before another clause."""

AT_TIME = word_set("at by around before after from past about starting until till")
BEFORE_CLAUSES = word_set("after before until till")
"""Words before a clause that tells a time by what then happens."""
BEFORE_OR_AFTER = word_set("before after")
"""Words between a length of time and what happens before or after it."""
NO_HOURS = range(13, 100)
"""Numbers that say how much after "at", and no time: "heating on at nineteen"."""
UNTIL = word_set("until till")
"""Words before the end of what is asked for: "until eight"."""
FOR = word_set("for")
RANGES: Mapping[str, frozenset[str]] = {
    "from": word_set("to until till"),
    "between": word_set("and"),
}
"""Words before a beginning → those between it and the end: "from seven to nine"."""

GRADUAL = word_set("slowly gradually very really nice bit little")
"""First words of `GRADUALLY`."""
GRADUALLY = _phrases(
    "slowly, very slowly, really slowly, nice and slowly, nice and slow, gradually, very gradually,"
    " bit by bit, little by little"
)
"""Phrases for what is to take a while."""
OVER = word_set("over")
"""Words before how long something is to take: "over ten minutes"."""

DAY_BEGINNINGS = word_set("in on tomorrow this next every today tonight") | frozenset(WEEKDAYS)
"""First words of what tells a day, or a part of one, behind a time of the clock."""
RECURRING = word_set("every each daily weekdays weekends") | {f"{day}s" for day in WEEKDAYS}
"""Words of which a recurrence has one: "every day", "on weekdays"."""
TIME_BEGINNINGS = (
    AT_TIME
    | FOR
    | frozenset(RANGES)
    | word_set(
        "in on when whenever once if unless as while every each tomorrow this next daily"
        " weekly hourly nightly later soon sometime a some one eventually another first in weekdays"
        " weekends early late day over half tonight today"
    )
    | GRADUAL
    | frozenset(WEEKDAYS)
    | frozenset(f"{day}s" for day in WEEKDAYS)
)
"""First words of what says when."""
TIME_ENDINGS = word_set("now later tomorrow morning evening night")
"""Last words of what says when, where it begins with a number: "ten minutes from now"."""

SUN: Mapping[str, Literal["dawn", "sunrise", "sunset", "dusk"]] = {
    "dawn": "dawn",
    "daybreak": "dawn",
    "sunrise": "sunrise",
    "sunup": "sunrise",
    "sunset": "sunset",
    "sundown": "sunset",
    "dusk": "dusk",
    "twilight": "dusk",
    "nightfall": "dusk",
}
"""Words for a time of day that the sun tells → the event."""
SUN_CLAUSES: Mapping[tuple[str, ...], Literal["dawn", "sunrise", "sunset", "dusk"]] = {
    ("sun", "rises"): "sunrise",
    ("sun", "comes", "up"): "sunrise",
    ("sun", "is", "up"): "sunrise",
    ("it", "gets", "light"): "dawn",
    ("sun", "sets"): "sunset",
    ("sun", "goes", "down"): "sunset",
    ("sun", "is", "down"): "sunset",
    ("it", "gets", "dark"): "dusk",
    ("it", "is", "dark"): "dusk",
}
"""Clauses behind "when" or "until" that tell the same."""
WHEN = word_set("when once after before until till")
"""Words before them."""

EVENTS = word_set(
    "dark bedtime dinner lunch breakfast supper"
    " teatime brunch work school bath showers shower film movie show news night morning noon"
    " midnight game match party nap homework arrival christmas easter weekend"
    " evening afternoon training practice"
)
"""Things that happen at a time that nobody has told: "after dinner"."""

LATER = _phrases(
    "later, later on, later today, a bit later, a little later, soon, in a while, in a bit, "
    "in a moment, sometime, at some point, one day, eventually, some other time, another time, "
    "when time comes, in good time, at a later time, in time, first thing, first thing tomorrow"
)
"""Phrases that put something off without saying until when."""

TODAY = _phrases("today, tonight, now, this evening, this morning, this afternoon, this time")
"""Days and parts of one that delay nothing while they last."""

NO_TIMES = _phrases(
    "once more, once again, once, at once, again, 1 more time, first, for night,"
    " for evening, for day"
)
"""Phrases that look like a time and put nothing off."""

ASKING = word_set("wondering wonder know see check tell me ask asking sure find remember say")
"""Words before an "if" that is a question, and no condition."""
ASKED_WITH = AUXILIARIES | word_set("should shall would might may must")
"""Verbs behind a "when" that is a question, and no condition: "when should they be up"."""
