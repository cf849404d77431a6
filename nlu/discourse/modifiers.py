"""Divides a command from what its sentence adds: who is excepted from it, and when it holds.

    excepted    "turn off all the lights except the bedroom"     the bedroom stays as it is
    when        "close the blinds at sunset"                     not now
                "when I get home turn on the heating"

Each function gives ways to divide a text; the caller keeps the first whose plain command means
something. What is left of the text is a command that any sentence or model may read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from assistant.core.messages import Slot, When
from assistant.english.commands import modifiers
from assistant.english.commands.amounts import COMPARATIVE_WORDS
from assistant.english.commands.kinds import KINDS
from assistant.english.commands.words import ACTIONS, BEGINNINGS, HERE, PRONOUNS
from nlu.discourse import clauses, times
from nlu.text.canonical import Canonical, without_polite_ending

_LONGEST_EXCEPTED = 12
"""Most words of what is excepted."""
_LONGEST_WHEN = 12
_MOST_TRAILING = 3
"""Most words of a command that may follow an exception."""
_FEWEST = 2
"""Fewest words of a command that something is added to."""

UNKNOWN = "unknown"
"""Name of the slot of an exception that names nothing in the home."""

Named = Callable[[str], Slot | None]
"""Gives the area, floor or device that canonical words name, as a slot of that kind."""


class Modifiers(NamedTuple):
    """What a sentence adds to its command."""

    excluded: tuple[Slot, ...] = ()
    when: When | None = None


Divided = tuple[Canonical, Modifiers]
"""The plain command, and what was added to it."""


def divisions(said: Canonical, named: Named, now: datetime) -> Iterator[Divided]:
    """The ways to divide a text, those that leave the least to the plain command first."""
    said = without_polite_ending(said)
    for core, when in timed(said, now):
        for plain, excluded in excepted(core, named):
            yield plain, Modifiers(excluded, when)
        yield core, Modifiers((), when)
    for plain, excluded in excepted(said, named):
        yield plain, Modifiers(excluded, None)


def taken_out(said: Canonical) -> Canonical | None:
    """What a text takes out of the command before it: "not the bathroom"; None for nothing.

    It may say twice that it is to stay: "except the bathroom, leave that off".
    """
    words = tuple(token.text for token in said.tokens)
    length = len(_excepting(words, 0)) or (words[:1] == ("not",))
    end = _stop(said, words, length)
    return said.part(length, end) if 0 < length < end else None


def _stop(said: Canonical, words: tuple[str, ...], begin: int) -> int:
    """Where a text says once more that what it excepts is to stay, or its end: "leave that off"."""
    for at in range(begin + 1, len(words)):
        phrase = _leaving(said, words, at)
        of_it = next((p for p in PRONOUNS if words[at + len(phrase) :][: len(p)] == p), ())
        rest = words[at + len(phrase) + len(of_it) :]
        if phrase and of_it and (not rest or rest in modifiers.AS_IT_IS):
            return at
    return len(words)


def excepted(said: Canonical, named: Named) -> Iterator[tuple[Canonical, tuple[Slot, ...]]]:
    """The ways to divide an exception from a text, first those whose names are all known."""
    found = [
        (core, () if _is_rest(core, part) else tuple(_references(part, named)))
        for core, part in _exceptions(said)
        if part.tokens
    ]
    yield from sorted(found, key=lambda way: any(s.name == UNKNOWN for s in way[1]))


def _exceptions(said: Canonical) -> Iterator[tuple[Canonical, Canonical]]:
    """The ways to divide a text into a command and what is excepted, the latter longest first."""
    words = tuple(token.text for token in said.tokens)
    for start in range(1, len(words) - 1):
        if phrase := _leaving(said, words, start):
            yield said.part(0, start), _left(said.part(start + len(phrase), len(words)))
        stays = next((p for p in modifiers.STAYING if words[-len(p) :] == p), ())
        if stays and start + len(stays) < len(words) and _begins_clause(said, words, start):
            joint = words[start] in modifiers.JOINING
            yield said.part(0, start), said.part(start + joint, len(words) - len(stays))
    for start in range(len(words) - 1):
        phrase = _excepting(words, start)
        begin = start + len(phrase)
        stop = _stop(said, words, begin) if phrase else begin
        for end in range(min(stop, begin + _LONGEST_EXCEPTED), begin, -1):
            rest = words[end:stop]
            if start and (len(rest) > _MOST_TRAILING or not modifiers.TRAILING.issuperset(rest)):
                continue
            core = clauses.joined(said.part(0, start), said.part(end, stop))
            if len(core.tokens) >= _FEWEST:
                yield core, said.part(begin, end)


def _leaving(said: Canonical, words: tuple[str, ...], at: int) -> tuple[str, ...]:
    """The phrase at a place, where a clause begins, before what is to stay; () for none."""
    phrase = next((p for p in modifiers.LEAVING if words[at : at + len(p)] == p), ())
    begins = len(phrase) > 1 or said.paused(at) or words[at - 1] in modifiers.ENDING
    amount = any(word.isdecimal() for word in words[at:])  # "leave the blind 30 percent open"
    return phrase if begins and not amount else ()


def _begins_clause(said: Canonical, words: tuple[str, ...], at: int) -> bool:
    """Whether a clause begins at a place: after a pause, or with "but" or "and"."""
    return said.paused(at) or words[at] in modifiers.JOINING


def _left(said: Canonical) -> Canonical:
    """What is to stay as it is, without the words that say so."""
    words = tuple(token.text for token in said.tokens)
    ends = (len(p) for p in modifiers.AS_IT_IS if words[-len(p) :] == p and len(p) < len(words))
    return said.part(0, len(words) - next(ends, 0))


def _excepting(words: tuple[str, ...], at: int) -> tuple[str, ...]:
    """The phrase at a place that excepts what follows it; () for none."""
    phrases = modifiers.EXCEPTING
    if not modifiers.ALL.isdisjoint(words[:at]):
        phrases += modifiers.EXCEPTING_OF_ALL
    return next((p for p in phrases if words[at : at + len(p)] == p), ())


def _is_rest(core: Canonical, left: Canonical) -> bool:
    """Whether what is to stay as it is is anyway nothing that a command names."""
    words = tuple(token.text for token in left.tokens)
    named = {token.text for token in core.tokens}
    kinds = {word for word in named if (word,) in KINDS}
    several = not modifiers.ALL.isdisjoint(named) or any(kind.endswith("s") for kind in kinds)
    several = several or named <= kinds | modifiers.EXCEPTED_FRAME | modifiers.TRAILING | BEGINNINGS
    return words in modifiers.THE_REST or (modifiers.WHOSE.issuperset(words) and not several)


def _references(said: Canonical, named: Named) -> Iterator[Slot]:
    """What the words after "except" name, as slots."""
    whole = named(said.text)
    for part in (said,) if whole else _listed(said):
        words = [token.text for token in part.tokens]
        bare = [word for word in words if word not in modifiers.EXCEPTED_FRAME]
        found = named(" ".join(words)) or named(" ".join(bare)) or _kind(words)
        raw = part.spoken(0, len(part.text))
        if found is not None:
            yield Slot(name=found.name, value=found.value, raw=raw)
        else:
            yield Slot(name=UNKNOWN, value=" ".join(bare or words), raw=raw)


def _kind(words: Sequence[str]) -> Slot | None:
    """The slot of a kind of devices, or of here, that words name."""
    key = tuple(words)
    if key in HERE:
        return Slot(name="area", value="", raw=" ".join(words))
    kind = KINDS.get(key)
    return Slot(name="domain", value=kind.domains[0], raw=" ".join(words)) if kind else None


def _listed(said: Canonical) -> Iterator[Canonical]:
    begin = 0
    for at, token in enumerate(said.tokens):
        if token.text in ("and", "or", "nor"):
            if begin < at:
                yield said.part(begin, at)
            begin = at + 1
        elif at > begin and said.paused(at):
            yield said.part(begin, at)
            begin = at
    if begin < len(said.tokens):
        yield said.part(begin, len(said.tokens))


def timed(said: Canonical, now: datetime) -> Iterator[tuple[Canonical, When]]:
    """The ways to divide what says when from the end of a text, the longest first.

    That may be two times: "turn on the heater | at seven | for an hour".
    """
    for core, when in _timed(said, now):
        for plain, other in _timed(core, now):
            if both := times.together(other, when, now):
                yield plain, both
        yield core, when


def _timed(said: Canonical, now: datetime) -> Iterator[tuple[Canonical, When]]:
    count = len(said.tokens)
    bare = count > 0 and (said.tokens[0].text,) in ACTIONS  # "off in ten minutes"
    fewest = 1 if bare else _FEWEST
    for start in range(max(fewest, count - _LONGEST_WHEN), count):
        if said.tokens[start].text == "if" and said.tokens[start - 1].text in modifiers.ASKING:
            continue  # "I wonder if the light is on" is a question
        if _is_amount(said, start):
            continue
        if when := times.when(said.part(start, count), now):
            yield said.part(0, start), when


def _is_amount(said: Canonical, start: int) -> bool:
    """Whether a number at the end says by how much, and no hour: "make it warmer by two"."""
    words = [token.text for token in said.tokens]
    ends = words[start] == "by" and [word.isdecimal() for word in words[start + 1 :]] == [True]
    return ends and not COMPARATIVE_WORDS.isdisjoint(words[:start])


def only_when(said: Canonical, now: datetime) -> When | None:
    """What a text says of when something is to be done, where it says nothing else."""
    words = [token.text for token in said.tokens[:2]]
    begin = 1 if words[:1] == ["only"] and words[1:] else 0
    begins = said.tokens[begin].text in modifiers.AT_TIME | {"in"}
    return times.when(said.part(begin, len(said.tokens)), now) if begins else None


def timed_before(said: Canonical, now: datetime) -> Iterator[tuple[Canonical, When]]:
    """The ways to divide what says when from the beginning of a text."""
    count = len(said.tokens)
    ends = range(min(_LONGEST_WHEN, count - _FEWEST), 0, -1)
    # "When we get back | put the porch light on": a command begins with its verb.
    for end in sorted(ends, key=lambda end: said.tokens[end].text not in BEGINNINGS):
        if when := times.when(said.part(0, end), now):
            yield said.part(end, count), when
