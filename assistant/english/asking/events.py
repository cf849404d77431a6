"""How the calendar is asked about one event: whether, when, and when again."""

from __future__ import annotations

import re

from assistant.english.asking.mentions import ABOUT_EVENTS
from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.lists import word_set
from assistant.english.numbers import ORDINALS
from assistant.english.stop_words import SEARCH_STOP_WORDS

TAKES_PLACE = re.compile(r"\b(?:on|got|have|has|there|happening|coming up)\b")
"""Words of a question whether an event takes place."""
AFTER_THAT = re.compile(
    r"\b(?:(?:the )?(?:one|ones|time|next|lesson|date) )?after (?:that|this|it)(?: one)?\W*$"
    r"|\bthe (?:next|following) (?:one|time)(?: again)?\W*$"
)
"""The end of a question for the time after the one that was told."""

DAY_WORDS = (
    word_set(
        """
            week weeks weekend month year morning afternoon evening night noon midday early later
            then still yet too also already actually again mid end beginning fortnight got gotten
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
