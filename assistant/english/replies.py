"""What people reply to a question: yes, no, none, stop, and which one is meant."""

from __future__ import annotations

import re

from assistant.english.lists import phrase_list, word_set

YES = phrase_list(
    "yes, yeah, yep, yup, sure, of course, ok, go ahead, do it, do that, correct, right, exactly, "
    "that's right, yes please, please do, true, on"
)
NO = phrase_list(
    "no, nope, nah, no thanks, no thank you, don't, please don't, not now, wrong, false, off"
)
"""Whole replies to a question for yes or no.

`THAT_ONE` and `NONE_OF_THEM` have further words, which answer an offer alone: "nothing" is no
answer to "Shall I open the door?".
"""

SPOKEN_YES = ("okay", *(phrase for phrase in YES if phrase not in ("true", "on", "ok")))
SPOKEN_NO = tuple(phrase for phrase in NO if phrase not in ("wrong", "false", "off"))
"""Replies that an ear expects: those that are typed, or sound like others, are left out."""
SPOKEN_CANCEL = phrase_list("cancel, cancel that, stop, never mind, forget it, forget that")
"""Usual replies of `CANCEL`, as an ear expects them."""

THAT_ONE = re.compile(r"(yes|yeah|yep|yup|sure|right|correct|exactly|i did|please do)( .*)?")
"""A reply that accepts the only option."""
NONE_OF_THEM = re.compile(
    r"(no|nope|nah|neither|none|not|nothing|both wrong)( (one|of|them|those|these|that|thanks?|any"
    r"|the|two|either|thank|you|please))*"
)
"""A reply that refuses all options."""
CANCEL = re.compile(
    r"(please )?(stop|cancel|never ?mind|forget (it|that)|no thanks?|no thank you|nothing)"
    r"( it| that| please)?"
)
"""A reply that ends a dialog, whatever was asked. A plain "no" does not: it may be the answer."""

_ALL_NAMED = (
    r"that(?:'s|s| is| was| will be) (?:all|it|everything)(?: for now)?|nothing(?: else| more)?"
    r"|no more|none|(?:i'm|i am|we're|we are|all)? ?(?:done|finished)|enough"
)
NO_MORE = re.compile(
    r"(?:no|nope|nah|not now"
    rf"|(?:(?:no|nope|nah|okay|ok|right),? )?(?:thanks,? |thank you,? )?(?:{_ALL_NAMED}))"
    r"(?:,? (?:thanks|thank you|please))?"
)
"""A reply, in lower case, by which somebody who names one thing after the other has named all."""

PLACES = {
    **dict.fromkeys(("first", "former", "1", "1st"), 0),
    **dict.fromkeys(("second", "two", "2", "2nd"), 1),
    **dict.fromkeys(("third", "three", "3", "3rd"), 2),
    **dict.fromkeys(("fourth", "four", "4", "4th"), 3),
    **dict.fromkeys(("last", "latter"), -1),
}
"""Words for one of several options → its index."""
PLACES_OF_TWO = {"first": 0, "first 1": 0, "former": 0, "second": 1, "second 1": 1, "latter": 1}
"""Canonical words for one of two readings of a value → its index; a bare "2" is itself a value."""
EARLIER = phrase_list("earlier, earlier 1, sooner, sooner 1")
LATER = phrase_list("later, later 1")

AROUND_CHOICE = word_set(
    "the a an i mean meant want would like please no yes my mine number option choice it is was"
    " with that one ones those"
)
"""Words that may stand around the words that choose an option."""
IN_ROOM = "in here, just only this room"
IN_HOME = "in the whole house, home, flat, all of them, every room, everywhere, everything, lot"
"""Words by which people answer whether their room or the whole home is meant."""
AROUND_VALUE = word_set(
    "for at in to on of with about around it is that this make let us say i would like want "
    "will take have go be should maybe probably think a my 1 number sorry no yes yeah ok well "
    "actually then from now until set put only just room mean meant said was rather by"
)
"""Canonical words that may stand around a value without changing it."""
DROPPING = word_set("cancel delete remove clear erase wipe empty scrap")
"""Verbs that ask for something to be gone, which is told where there is nothing."""
