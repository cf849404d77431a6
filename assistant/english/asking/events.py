"""How the calendar is asked about one event: whether, when, and when again."""

from __future__ import annotations

import re

from assistant.english.asking.mentions import ABOUT_EVENTS, PRONOUNS
from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.lists import word_set
from assistant.english.numbers import ORDINALS
from assistant.english.stop_words import SEARCH_STOP_WORDS
from assistant.english.words import words

TAKES_PLACE = re.compile(r"\b(?:on|got|have|has|there|happening|coming up)\b")
"""Words of a question whether an event takes place."""
AFTER_THAT = re.compile(
    r"\b(?:(?:the )?(?:one|ones|time|next|lesson|date) )?after (?:that|this|it)(?: one)?\W*$"
    r"|\bthe (?:next|following) (?:one|time)(?: again)?\W*$"
)
"""The end of a question for the time after the one that was told."""

WHO_COMES = re.compile(
    r"(?:(?:so|and|but|well|oh|ok|okay|then),? )*"
    r"(?:who(?:['’]?s| is| are|m)?|(?:is|are) any(?:one|body))"
    r"(?: (?:we|you))? (?:coming|comes|visiting|expecting|expected|due|having)\b"
)
"""A question for visitors at a time."""
VISITING = word_set(
    "coming comes visiting expecting expected due having over round here us dinner lunch tea"
    " supper breakfast coffee anyone anybody"
)
"""Words of it that name no event."""
WITH_OTHERS = re.compile(r"\b(?:with|visit|visits|visitor|visitors|guest|guests)\b")
"""What the name of an event has that others come to."""
FROM_NOW = re.compile(
    r"\bhow (?:far|soon)\b|\bhow many (?:minutes|hours|days|weeks|nights|sleeps) (?:is|are|s)\b"
    r"|\bhow (?:long|many)\b.*\b(?:now|until|till|away|off|to go|left|before)\b"
)
"""A question how long it is until what was told of."""
ASKS_TIME = re.compile(
    r"\b(?:when|(?:what|which) (?:time|day|date|weekday))\b(?!.*\b(?:ends?|finish(?:es)?|over)\b)"
)
"""A question when something begins, anywhere in a text."""
ASKS_PLACE = re.compile(r"\bwhere(?:abouts)?(?:['’]?s)?\b")
"""A question where something is, anywhere in a text."""
_STANDS_FOR_EVENT = frozenset(("it", "its", "that", "this", "those", "one", "there"))
_SHORTEST_WHOLE = 4
"""Most words of a question that has no subject, and so goes on from what was told."""

DAY_WORDS = (
    word_set(
        """
            week weeks weekend month year morning afternoon evening night noon midday early later
            then still yet too also already actually again mid end beginning fortnight got gotten
            until till away
        """
    )
    | frozenset((*WEEKDAYS, *MONTHS, *(f"{day}s" for day in WEEKDAYS)))
    | frozenset(ORDINALS)
)
"""Words that only say when."""
SORTS = word_set(
    """
        lesson lessons practice practise session sessions training class classes appointment
        appointments match game meeting meetings club course date visit
    """
)
"""Words for an event of any sort, which need not be in its name beside one that is."""


def naming_event(tokens: list[str]) -> list[str]:
    """The words of a question that the name of the event must hold."""
    return [
        token
        for token in tokens
        if token not in SEARCH_STOP_WORDS
        and token not in ABOUT_EVENTS
        and token not in DAY_WORDS
        and not token[0].isdigit()
    ]


def asks_of_event(question: str) -> bool:
    """Whether a question names nothing and may be about the event just told: "what time"."""
    tokens = re.findall(r"\w+", question.casefold())
    if naming_event(words(question)):
        return False
    if not _STANDS_FOR_EVENT.isdisjoint(tokens):
        return True
    return len(tokens) <= _SHORTEST_WHOLE and PRONOUNS.isdisjoint(tokens)
