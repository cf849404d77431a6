"""Divides texts into commands that are joined, share words, are corrected, or point back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice, pairwise

from assistant.english import phrases
from assistant.skill.manifest import Traits
from nlu.discourse import clauses
from nlu.discourse.modifiers import Modifiers, Named, divisions, timed
from nlu.discourse.negation import not_a_command, reported, unlikely_command
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import Canonical, cuts, without_politeness

_MOST_COMMANDS = 5
LONGEST = 60
"""Most words of a text that is divided."""
_MOST_READ = 400
"""Most parts of a text that are read in search of its commands; then the search is given up. It
grows with every pause and every correction, and would take too long in a long text."""
_LONGEST_SLIP = 4
"""Most words that may make no sense before they are corrected: a longer text is a story."""
_MOST_BORROWED = 12
"""Most texts that are tried for a part that borrows words from its neighbour."""
_LONGEST_LACKING = 8
"""Most words of a part that the one after it lends its end to: "turn the lamp" … "off"."""
_MOST_LENT = 5
"""Most words that are lent so."""

_MOMENTS = ("at", "in", "every", "event", "later")
"""Kinds of `When` that free text may end with; "for ten minutes" is part of what it says."""
One = Callable[[Canonical], "ReadPart | None"]
"""Reads a text as one command."""


class _TooManyError(Exception):
    """Too many parts of a text were read; the search is given up."""


class Segmenter:
    """Divides a text into parts that `one` reads, or `sentence` with another part's words.

    What comes before the words that it lacks is read by `exact`, which takes no free text.
    """

    def __init__(
        self, one: One, sentence: One, exact: One, traits: Callable[[str], Traits]
    ) -> None:
        self._left = _MOST_READ
        self._traits = traits
        self._one = self._counted(one)
        self._sentence = self._counted(sentence)
        """Reads texts with borrowed words; there are too many of them for a model."""
        self._exact = self._sentence if exact is sentence else self._counted(exact)

    def read(self, said: Canonical, before: ReadPart | None) -> list[ReadPart] | None:
        """The commands; [] when all is taken back, None when a part is not understood."""
        if len(said.tokens) > LONGEST:
            return None
        try:
            found = self._parts(said, before)
        except _TooManyError:
            return None
        return None if found is None else _once(found)

    def _counted(self, read: One) -> One:
        """Wrap `read` to read each text once, and raise `_TooManyError` past the limit."""
        known: dict[Canonical, ReadPart | None] = {}

        def once(said: Canonical) -> ReadPart | None:
            if not self._left:
                raise _TooManyError
            self._left -= 1
            if said not in known:
                known[said] = read(said)
            return known[said]

        return once

    def _parts(self, said: Canonical, before: ReadPart | None) -> list[ReadPart] | None:
        found = self._corrected(said)
        if found is None:
            found = self._joined(said, None, _MOST_COMMANDS)
        if found is None and before is not None:
            found = self._following(said, before)
        return found

    def _following(self, said: Canonical, before: ReadPart) -> list[ReadPart] | None:
        """A command that only the one before it completes: "turn it off", "and the kitchen"."""
        words = [token.text for token in said.tokens]
        opening = next((n for n in (2, 1) if tuple(words[:n]) in phrases.FOLLOWING), 0)
        if not opening and phrases.PRONOUNS.isdisjoint(words):
            return None
        found = self._borrowing(said.part(opening, len(words)), before)
        return [found] if found else None

    def _plain(self, said: Canonical) -> list[ReadPart] | None:
        one = self._one(said)
        return [one] if one else self._joined(said, None, _MOST_COMMANDS)

    def _corrected(self, said: Canonical) -> list[ReadPart] | None:
        found = clauses.repair(said)
        if found is None:
            return None
        head, correction = found
        before = self._plain(head) or self._corrected(head)
        if clauses.takes_back(correction):
            return [] if before else None
        if not_a_command(correction) and self._joined(correction, None, 2) is None:  # "no, don't"
            return [] if before else None
        if before:
            correction = clauses.pointing(correction, before[-1].kind, phrases.ONES) or correction
        texts = islice(clauses.repaired(head, correction), _MOST_BORROWED)
        whole = self._one(correction)
        if before and whole and whole.command.intent == before[-1].command.intent:
            return [*before[:-1], whole]
        readings = (reading for reading in map(self._plain, texts) if reading)
        if before is None and (unlikely_command(head) or len(head.tokens) > _LONGEST_SLIP):
            return next(readings, None)
        every = list(readings) if before else []
        if before and (alike := next((r for r in every if _alike(r, before)), None)):
            return alike
        if alone := self._tail(correction, before[-1] if before else None, 2):
            return _once([*(before or [])[:-1], *alone])
        return next(iter(every), None) if before else next(readings, None)

    def _joined(self, said: Canonical, before: ReadPart | None, most: int) -> list[ReadPart] | None:
        """The commands of a text of several, of which the first may borrow from `before`."""
        if most < 2:
            return None
        found = (self._cut(said, end, start, before, most) for end, start in cuts(said))
        # the least free text, and the fewest: "one hour and twenty minutes" is no two timers
        return min((f for f in found if f is not None), key=_cost, default=None)

    def _cut(
        self, said: Canonical, end: int, start: int, before: ReadPart | None, most: int
    ) -> list[ReadPart] | None:
        head, rest = said.part(0, end), said.part(start, len(said.tokens))
        if tuple(token.text for token in head.tokens) in phrases.OPENINGS:
            return None  # "oh and leave the lamp on" lends no word to "oh"
        first = self._borrowing(head, before) or self._lent(head, rest)
        if first is None:
            if not _sets_aside(head, said, end, start):
                return None
            # "don't cancel the timer, just pause it": "it" is the timer of the negated command
            return self._tail(rest, before or self._one(clauses.plain(head)), most - 1)
        if first.open_ended:
            tail = self._after_name(first, rest, most - 1)
        else:
            tail = self._tail(rest, first, most - 1)
        return None if tail is None else [first, *tail]

    def _after_name(self, first: ReadPart, rest: Canonical, most: int) -> list[ReadPart] | None:
        """The whole sentences after free text, which would run on over anything else."""
        if not self._traits(first.command.intent).by_name:
            return None
        tail = self._tail(rest, None, most)
        return tail if tail and all(one.exact and not one.borrowed for one in tail) else None

    def _tail(self, rest: Canonical, before: ReadPart | None, most: int) -> list[ReadPart] | None:
        if not_a_command(rest):
            found = self._joined(rest, before, most)
            return [] if found is None and before else found
        if one := self._borrowing(rest, before):
            return [one]
        return self._joined(rest, before, most)

    def _borrowing(self, part: Canonical, before: ReadPart | None) -> ReadPart | None:
        """Read a part as it is, with its pronoun replaced, or with words that it shares."""
        if (one := self._one(part)) or before is None:
            return one
        pointed = clauses.pointing(part, before.referent)
        if pointed is None:
            pointed = clauses.pointing(part, before.kind, phrases.ONES)
        if pointed is not None and (one := self._one(pointed)):
            return one
        if pointed is not None or not_a_command(part):
            return None
        texts = islice(clauses.shared(before.said, _without_same(part)), _MOST_BORROWED)
        found = [replace(r, borrowed=True) for r in map(self._sentence, texts) if r]
        found = [r for r in found if r.command.intent == before.command.intent]
        if not phrases.PRONOUNS.isdisjoint(token.text for token in part.tokens):
            found = [r for r in found if not r.free]  # "turn it off" is no name of a song
        return next((r for r in found if r.like(before)), found[-1] if found else None)

    def _lent(self, head: Canonical, rest: Canonical) -> ReadPart | None:
        if len(head.tokens) > _LONGEST_LACKING:
            return None
        texts = islice(clauses.lent(head, rest), _MOST_LENT)
        return next((r for r in map(self._exact, texts) if r and r.exact), None)


def with_modifiers(read: One, named: Named, now: datetime, traits: Callable[[str], Traits]) -> One:
    """Read with `read`, or else the plain command in a text with what the text adds to it.

    Free text at the end of an intent whose `traits` take a time, or that names something, is
    without that.
    """

    def modified(said: Canonical) -> ReadPart | None:
        whole = read(said)
        if whole is not None and whole.match is not None and not whole.puts_off:
            of = traits(whole.command.intent)
            ends = whole.open_ended and (of.by_name or "when" in of.takes)
            return (_before_time(whole, read, now) if ends else None) or whole
        added = False
        plain = without_politeness(said)
        for core, modifiers in divisions(plain, named, now):
            if whole is not None and whole.explains(modifiers):
                return whole
            added = True
            if part := read(core):
                return part.modified(modifiers)
        # What a guess on the whole leaves out would be dropped.
        return None if added else whole

    return modified


def _before_time(whole: ReadPart, read: One, now: datetime) -> ReadPart | None:
    """The same command without a time at its end, for then: "remind me to call mum | at six"."""
    for core, when in timed(without_politeness(whole.said), now):
        part = read(core) if when.kind in _MOMENTS and when.lasting is None else None
        if part is not None and part.like(whole) and part.open_ended:
            return part.modified(Modifiers(when=when))
    return None


def _cost(readings: Sequence[ReadPart]) -> tuple[int, int]:
    return sum(one.free for one in readings), len(readings)


def _once(readings: Sequence[ReadPart]) -> list[ReadPart]:
    """The readings without any that repeats the one before it."""
    again = {b.said for a, b in pairwise(readings) if a.like(b) and a.values == b.values}
    return [reading for reading in readings if reading.said not in again]


def _alike(some: Sequence[ReadPart], others: Sequence[ReadPart]) -> bool:
    return len(some) == len(others) and all(a.like(b) for a, b in zip(some, others, strict=True))


def _sets_aside(head: Canonical, said: Canonical, end: int, start: int) -> bool:
    """Whether `head` is no command, and what follows it is independent of it."""
    joint = {token.text for token in said.tokens[end:start]}
    new_start = not phrases.NEW_BREATH.isdisjoint(joint | {said.tokens[start].text})
    if reported(head):
        return new_start
    return unlikely_command(head) and (new_start or said.paused(start))


def _without_same(part: Canonical) -> Canonical:
    """ "do the same in the office" → "in the office"."""
    words = [token.text for token in part.tokens]
    at = words.index("same") + 1 if "same" in words[:3] else 0
    return part.part(at, len(part.tokens))
