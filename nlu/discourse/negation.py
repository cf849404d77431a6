"""Tells texts that sound like a command and are none: negated, reported, past, or only supposed.

"don't turn on the light", "she told me to turn off the oven", "I already locked the door", "what
happens if I open the gate". Words alone decide, so that no model can overrule them.
"""

from __future__ import annotations

from assistant.english.negation import (
    CONDITION,
    DESCRIBED,
    EMBEDDED,
    PAST,
    REPORTED,
    TURNED_ROUND,
)
from assistant.english.people import ADDRESSEE, CALLED
from assistant.english.stop_words import ARTICLES
from nlu.grammar.match import Match
from nlu.text.canonical import Canonical, without_politeness


def not_a_command(said: Canonical) -> bool:
    """Whether the words begin by negating, supposing or reporting a command."""
    text = without_politeness(said).text
    return TURNED_ROUND.match(text) is not None or REPORTED.match(text) is not None


def reported(said: Canonical) -> bool:
    """Whether the words begin with a report of what somebody said or thought."""
    return REPORTED.match(without_politeness(said).text) is not None


def negates_itself(said: Canonical, match: Match) -> bool:
    """Whether the sentence that fits has the negation in its own words: "not {item}"."""
    text = without_politeness(said).text
    negation = TURNED_ROUND.match(text) or REPORTED.match(text)
    free = [text.find(captured.text) for captured in match.slots if captured.wildcard]
    return negation is not None and negation.end() <= min(free, default=len(text))


def addressed_to_other(said: Canonical) -> bool:
    """Whether somebody else is addressed: "mum, can you …", "… please, Miss Jones"."""
    # Not "the kids", who are only mentioned; the canonical text has no articles any more.
    if CALLED.search(said.text) and said.source[0] not in ARTICLES:
        return True
    ends = [at for at in range(1, len(said.tokens)) if said.paused(at)]
    parts = [said.part(0, ends[0]), said.part(ends[-1], len(said.tokens))] if ends else []
    return any(ADDRESSEE.fullmatch(part.text) for part in parts)


def unlikely_command(said: Canonical) -> bool:
    """Whether words anywhere in a text make it unlikely that it is a command.

    This is for guesses, which no template supports; a template itself may contain such words.
    """
    text = without_politeness(said).text
    patterns = (PAST, EMBEDDED, CONDITION, DESCRIBED)
    return not_a_command(said) or any(pattern.search(text) for pattern in patterns)
