"""Divides a command from what is said beside it that asks for nothing.

    "switch the telly off, nobody's watching"     a statement after the command says why
    "I'm cold, put the heater on"                 or before it
    "Good girl. Radio off."                       a sentence of its own only remarks on something

What names anything of the home stays, so that nothing that was said is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise

from assistant.english.commands.modifiers import EVENTS, FOR, SPELLS
from assistant.english.commands.short_forms import NO_LABEL
from assistant.english.commands.words import (
    ACTIONS,
    ASKING,
    AUXILIARIES,
    BEGINNINGS,
    OURS,
    QUESTIONS,
    STATEMENTS,
    SUBJECTS,
    WHILE,
    WISHING,
)
from nlu.discourse import clauses
from nlu.text.canonical import Canonical, without_politeness

Mentions = Callable[[Sequence[str]], bool]
"""Whether words name anything of the home, or an amount."""

Alone = Callable[[Canonical, Mentions], Canonical | None]
"""The command of a text without some of what is said beside it; None where nothing is."""

_LATEST_VERB = 3
"""Last place of the verb in a statement that a pause divides: "the baby next door is asleep"."""
_FEWEST = 2
"""Fewest words of a statement."""
_LONGEST_CALL = 4
"""Most words of a call that is no statement: "hens in", "good girl", "Wilf, shoes"."""


def without_remarks(said: Canonical, mentions: Mentions) -> Canonical | None:
    """The sentences of a text that ask for something; None where all of them do, or none does.

    Calls are remarks before a command only: after it "Tomorrow night." would say when.
    """
    count = len(said.tokens)
    stops = [0, *(at for at in range(1, count) if said.stopped(at)), count]
    sentences = [said.part(start, end) for start, end in pairwise(stops)]
    asking = [part for part in sentences if not _remarks(part, mentions)]
    last = sentences.index(asking[-1]) if asking else 0
    staying = [
        part
        for at, part in enumerate(sentences)
        if part in asking and not (at < last and _calls(part, mentions))
    ]
    if not staying or len(staying) == len(sentences):
        return None
    return reduce(clauses.joined, staying)


def without_reason(said: Canonical, mentions: Mentions) -> Canonical | None:
    """The command of a text without the statement that gives its reason; None without such one."""
    said = without_politeness(said)
    words = tuple(token.text for token in said.tokens)
    pauses = [at for at in range(1, len(words)) if said.paused(at)]
    starts = [at for at in range(len(words)) if _begins_statement(words, at, pauses)]
    if not starts:
        return None
    begin = starts[0]
    end = next((at for at in pauses if at > begin and at not in starts), len(words))
    if end - begin == len(words) or mentions(words[begin:end]):
        return None
    return clauses.joined(said.part(0, begin), said.part(end, len(words)))


def without_beneficiary(said: Canonical, mentions: Mentions) -> Canonical | None:
    """A command without the one for whom it is: "a light on for Wilf"; None without such words."""
    said = without_politeness(said)
    words = tuple(token.text for token in said.tokens)
    at = max((i for i, word in enumerate(words) if word in FOR and i >= _FEWEST), default=0)
    whom = tuple(word for word in words[at + 1 :] if word not in OURS)
    known = not (NO_LABEL | EVENTS | SPELLS).isdisjoint(whom) or mentions(whom)
    return said.part(0, at) if at and len(whom) == 1 and not known else None


def _remarks(sentence: Canonical, mentions: Mentions) -> bool:
    """Whether a sentence states something that is not of the home."""
    words = tuple(token.text for token in without_politeness(sentence).tokens)
    pauses = [at for at in range(1, len(words)) if sentence.paused(at)]
    return bool(words) and _begins_statement(words, 0, pauses) and not mentions(words)


def _calls(sentence: Canonical, mentions: Mentions) -> bool:
    """Whether a sentence is too short to state anything, and has no word of a command."""
    words = tuple(token.text for token in sentence.tokens)
    return (
        len(words) <= _LONGEST_CALL
        and ASKING.isdisjoint(words)
        and not any((word,) in ACTIONS for word in words)
        and not mentions(words)
    )


def _begins_statement(words: tuple[str, ...], at: int, pauses: Sequence[int]) -> bool:
    if at and words[at] in WHILE and len(words) > at + _FEWEST:
        return True
    if any(words[at : at + length] in STATEMENTS for length in (2, 3)):
        return True
    if words[at] in SUBJECTS:
        return WISHING.isdisjoint(words[at + 1 : at + 2])
    if at and at not in pauses:
        return False
    end = next((pause for pause in pauses if pause > at), len(words))
    clause = words[at:end]
    asks = clause[0] in QUESTIONS or clause[0] in BEGINNINGS or (clause[0],) in ACTIONS
    verbs = clause[1 : _LATEST_VERB + 1]
    return not asks and len(clause) >= _FEWEST and not AUXILIARIES.isdisjoint(verbs)
