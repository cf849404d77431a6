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
    BEFORE_VERBS,
    BEGINNINGS,
    BEING,
    CONDITIONS,
    EVERYTHING,
    GREETINGS,
    OURS,
    QUESTIONS,
    SINGULAR,
    STATEMENTS,
    STATES,
    SUBJECTS,
    WHILE,
    WISHING,
)
from assistant.english.stop_words import COMMON
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
    starts = [
        at
        for at in range(len(words))
        if _begins_statement(words, at, pauses) and words[at - 1 : at] not in CONDITIONS
    ]
    if not starts:
        return None
    begin = starts[0]
    ends = (at for at in pauses if at > begin and at not in starts)
    end = next(ends, 0) or _command_after(words, begin)
    if end - begin == len(words) or mentions(_told(words[begin:end])):
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


def _command_after(words: tuple[str, ...], begin: int) -> int:
    """Where a command begins without a pause after a statement of what is; else the end."""
    if not any(words[begin : begin + length] in STATES for length in (1, 2)):
        return len(words)
    for at in range(begin + _FEWEST + 1, len(words) - 1):
        if words[at] in BEGINNINGS | EVERYTHING and words[at - 1] not in BEFORE_VERBS:
            return at
    return len(words)


def _remarks(sentence: Canonical, mentions: Mentions) -> bool:
    """Whether a sentence states something that is not of the home."""
    words = tuple(token.text for token in without_politeness(sentence).tokens)
    pauses = [at for at in range(1, len(words)) if sentence.paused(at)]
    return bool(words) and _begins_statement(words, 0, pauses) and not mentions(words)


def _calls(sentence: Canonical, mentions: Mentions) -> bool:
    """Whether a sentence is too short to state anything, and has no word of a command."""
    words = tuple(token.text for token in sentence.tokens)
    if words in GREETINGS:
        return True
    return (
        len(words) <= _LONGEST_CALL
        and ASKING.isdisjoint(words)
        and not any((word,) in ACTIONS for word in words)
        and not mentions(words)
    )


def _begins_statement(words: tuple[str, ...], at: int, pauses: Sequence[int]) -> bool:
    if at and words[at] in WHILE and len(words) > at + _FEWEST:
        return True
    if _states(words, at) or (at and _tells_of(words, at)):
        return True
    if words[at] in SUBJECTS:
        return WISHING.isdisjoint(words[at + 1 : at + 2])
    if at and at not in pauses:
        return False
    stops = (i for i in range(at + 1, len(words)) if i in pauses or _states(words, i))
    clause = words[at : next(stops, len(words))]
    asks = clause[0] in QUESTIONS or clause[0] in BEGINNINGS or (clause[0],) in ACTIONS
    verbs = clause[1 : _LATEST_VERB + 1]
    return not asks and len(clause) >= _FEWEST and not AUXILIARIES.isdisjoint(verbs)


def _told(statement: tuple[str, ...]) -> tuple[str, ...]:
    """What a statement says of somebody, without who that is: "Ida's asleep" names no room."""
    return statement[1:] if _is_somebody(statement, 0) else statement


def _is_somebody(words: tuple[str, ...], at: int) -> bool:
    """Whether what somebody does, or how they are, stands at a place: "Ida's sleeping"."""
    does = next(iter(words[at + 1 : at + 2]), "")
    return words[at].endswith("'s") and (does in BEING or does.endswith("ing"))


def _tells_of(words: tuple[str, ...], at: int) -> bool:
    """Whether a thing or somebody with its verb stands at a place: "the glare is awful"."""
    is_so = words[at + 1 : at + 2] == ("is",) and at + _FEWEST < len(words)
    return _is_somebody(words, at) or (is_so and words[at] not in COMMON | QUESTIONS)


def _states(words: tuple[str, ...], at: int) -> bool:
    """Whether a subject with its verb stands at a place: "it's freezing", "it stinks"."""
    if any(words[at : at + length] in STATEMENTS for length in (1, 2, 3)):
        return True
    verb = next(iter(words[at + 1 : at + 2]), "")
    return words[at] in SINGULAR and verb.endswith("s") and not verb.endswith(("ss", "'s", "wards"))
