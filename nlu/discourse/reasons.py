"""Divides a command from the statement beside it that says why it is wanted.

    "switch the telly off, nobody's watching"     the statement comes after the command
    "I'm cold, put the heater on"                 or before it

A statement that names anything of the home stays, so that nothing that was said is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.english.commands.words import (
    ACTIONS,
    AUXILIARIES,
    BEGINNINGS,
    QUESTIONS,
    STATEMENTS,
    SUBJECTS,
    WISHING,
)
from nlu.discourse import clauses
from nlu.text.canonical import Canonical

Mentions = Callable[[Sequence[str]], bool]
"""Whether words name anything of the home, or an amount."""

_LATEST_VERB = 3
"""Last place of the verb in a statement that a pause divides: "the baby next door is asleep"."""
_FEWEST = 2
"""Fewest words of a statement."""


def without_reason(said: Canonical, mentions: Mentions) -> Canonical | None:
    """The command of a text without the statement that gives its reason; None without such one."""
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


def _begins_statement(words: tuple[str, ...], at: int, pauses: Sequence[int]) -> bool:
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
