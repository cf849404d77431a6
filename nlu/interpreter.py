"""What one text means: the commands in it.

The order of precedence; what comes later is asked only where all before it failed:

1. a sentence of a skill fits the whole text, without free text;
2. the text comes apart into such sentences (`nlu.clauses`): joined, sharing words, put right;
3. a sentence fits with free text in it, and the words are no report or negation;
4. the text comes apart into parts that are each one of the above or a guess of the models;
5. the intent model knows the wish, and the words hold what its slots need (`nlu.guess`);
6. nothing is understood.

What is not obeyed: a wish turned round ("don't turn on the light") and one that is only told of
("she told me to turn off the oven"), even where free text would swallow the telling.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from itertools import islice, pairwise
from typing import Protocol

import msgspec

from assistant.core.messages import Command, SlotValue
from nlu import clauses, phrases
from nlu.normalize import Canonical, canonical, cuts
from nlu.templates import Match, Templates
from nlu.withheld import doubtful, reported, withheld

_FREE_TEXT_CONFIDENCE = 0.9
_MOST_COMMANDS = 5
_LONGEST_APART = 60
"""Words of the longest text that is taken apart."""
_MOST_READ = 400
"""Parts of a text that are read in search of the commands in it. The search grows with every pause
and every correction, beyond all bounds in a long text: past this it is given up."""
_MOST_BORROWED = 12
"""Texts that are tried for a part that borrows words from its neighbour."""
_REMEMBERED = 512
_LISTED = ("item",)
"""Free text that may name several things."""


@dataclass(frozen=True)
class Reading:
    """One part of a text as a command; `match` is None for a guess of the models."""

    said: Canonical
    command: Command
    match: Match | None = None

    @property
    def exact(self) -> bool:
        """Whether it is a sentence without free text that lacks no slot."""
        return self.match is not None and not (self.match.wildcard or self.match.missing)

    @property
    def confidence(self) -> float:
        """How sure it is that this was meant, from 0 to 1."""
        return self.command.confidence

    @property
    def free(self) -> int:
        """Characters that were taken as free text."""
        return self.match.wildcard if self.match is not None else 0

    @property
    def open_ended(self) -> bool:
        """Whether free text would run on to the end of whatever follows."""
        return self.match is not None and self.match.open_ended

    @property
    def referent(self) -> str:
        """The words for what the command is about: "it" and "them" may stand for these."""
        slots = {slot.name: str(slot.value) for slot in self.command.slots}
        if "name" in slots:
            return canonical(slots["name"]).text
        return canonical(f"{slots.get('area', '')} {self.kind}").text if self.kind else ""

    @property
    def kind(self) -> str:
        """The words for the kind of devices that it is about: "lights"; "" for none."""
        slots = {slot.name: str(slot.value) for slot in self.command.slots}
        kind = slots.get("device_class") or slots.get("domain", "")
        return f"{kind}s" if kind else ""

    @property
    def values(self) -> dict[str, SlotValue]:
        """The values of its slots by their names."""
        return {slot.name: slot.value for slot in self.command.slots}

    def with_words(self) -> Reading:
        """The same, with the command's own words in it."""
        return replace(self, command=msgspec.structs.replace(self.command, text=self.said.words))

    def like(self, other: Reading) -> bool:
        """Whether both fill the same slots of the same intent."""
        mine, others = ({s.name for s in r.command.slots} for r in (self, other))
        return self.command.intent == other.command.intent and mine == others


class By(Enum):
    """Which rule of precedence had the last word."""

    SENTENCE = "a sentence fits the whole text"
    PARTS = "sentences fit its parts"
    FREE_TEXT = "a sentence fits, with free text in it"
    GUESS = "the models know what it is"
    GUESSED_PARTS = "the models know what its parts are"
    NOTHING = "nothing fits, and the models would not stand by a guess"


@dataclass(frozen=True)
class Understood:
    """The commands of a text, none when one part of it is not understood.

    `withheld` tells that the text turns a wish round, takes it back, or only tells of one.
    """

    readings: tuple[Reading, ...] = ()
    by: By = By.NOTHING
    withheld: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands in the order in which they were said."""
        return tuple(reading.command for reading in self.readings)

    @property
    def exact(self) -> bool:
        """Whether there are commands and each is an exact sentence."""
        return bool(self.readings) and all(reading.exact for reading in self.readings)

    def with_confidence(self, most: float) -> Understood:
        """The same, with no command surer than `most`."""
        commands = (
            msgspec.structs.replace(r.command, confidence=min(r.command.confidence, most))
            for r in self.readings
        )
        readings = zip(self.readings, commands, strict=True)
        return replace(self, readings=tuple(replace(r, command=c) for r, c in readings))


class Guess(Protocol):
    """What the models take a text for."""

    def __call__(self, said: Canonical, now: datetime) -> Command | None:
        """The likeliest command; None when they know nothing they would stand by."""

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that a sentence with free text fits may be meant so."""


_One = Callable[[Canonical], "Reading | None"]


class Interpreter:
    """Reads texts as commands: the sentences of `templates` first, then what `guess` knows."""

    def __init__(self, templates: Templates, guess: Guess | None = None) -> None:
        self._templates = templates
        self.guess = guess
        self._matches: OrderedDict[Canonical, tuple[Match, ...]] = OrderedDict()

    def __call__(self, said: Canonical, now: datetime, before: Reading | None = None) -> Understood:
        """Read the whole of a text at an aware time, after `before` of the same conversation."""
        by, readings = self._read(said, now, before)
        if readings and len(readings) > 1:
            readings = [reading.with_words() for reading in readings]
        if not readings:
            return Understood(by=by, withheld=readings is not None or withheld(said))
        return Understood(tuple(readings), by)

    def _read(
        self, said: Canonical, now: datetime, before: Reading | None
    ) -> tuple[By, list[Reading] | None]:
        def strict(part: Canonical) -> Reading | None:
            return self._sentence(part, now, free_text=False)

        def free(part: Canonical) -> Reading | None:
            return self._sentence(part, now, free_text=True)

        def loose(part: Canonical) -> Reading | None:
            return free(part) or self._guessed(part, now)

        if whole := strict(said):
            return By.SENTENCE, [whole]
        if (found := _Apart(strict, strict).read(said, before)) is not None:
            return By.PARTS, found
        whole, apart = free(said), _Apart(free, free).read(said, before)
        if whole and self._doubts(whole):
            whole = None
        if apart and any(map(self._doubts, apart)):
            apart = None
        if apart and (whole is None or sum(r.free for r in apart) < whole.free):
            return By.FREE_TEXT, apart
        if whole:
            return By.FREE_TEXT, _each_item(whole)
        if self.guess is None:
            return By.NOTHING, None
        guessed, apart = self._guessed(said, now), _Apart(loose, free).read(said, before)
        if guessed and (not apart or guessed.confidence >= min(r.confidence for r in apart)):
            return By.GUESS, [guessed]
        return (By.NOTHING if apart is None else By.GUESSED_PARTS), apart

    def _sentence(self, said: Canonical, now: datetime, *, free_text: bool) -> Reading | None:
        careful = free_text and withheld(said)
        for match in self._matched(said):
            if match.wildcard and (careful or not free_text):
                continue
            slots = self._templates.slots(match, now)
            if slots is not None:
                confidence = _FREE_TEXT_CONFIDENCE if match.wildcard else 1.0
                command = Command(intent=match.intent, slots=slots, confidence=confidence)
                return Reading(said, command, match)
        return None

    def _doubts(self, reading: Reading) -> bool:
        """Whether a reading that took free text is of something not meant for the assistant."""
        if not reading.free or self.guess is None:
            return False
        return not self.guess.may_be(reading.said, reading.command.intent)

    def _guessed(self, said: Canonical, now: datetime) -> Reading | None:
        command = self.guess(said, now) if self.guess else None
        return Reading(said, command) if command else None

    def _matched(self, said: Canonical) -> tuple[Match, ...]:
        """The matches of a text, which hold at any time, remembered for the texts seen last."""
        if said in self._matches:
            self._matches.move_to_end(said)
        else:
            self._matches[said] = self._templates.match_canonical(said)
            if len(self._matches) > _REMEMBERED:
                self._matches.popitem(last=False)
        return self._matches[said]


class _TooManyError(Exception):
    """The search for the parts of a text is given up."""


class _Apart:
    """Takes a text apart into parts that `one` reads, or `sentence` with words of another part."""

    def __init__(self, one: _One, sentence: _One) -> None:
        self._left = _MOST_READ
        self._one = self._counted(one)
        self._sentence = self._counted(sentence)
        """Reads texts with borrowed words, of which there are many: too many for a model."""

    def read(self, said: Canonical, before: Reading | None) -> list[Reading] | None:
        """The commands; [] when all is taken back, None when a part is not understood."""
        if len(said.tokens) > _LONGEST_APART:
            return None
        try:
            return self._parts(said, before)
        except _TooManyError:
            return None

    def _counted(self, read: _One) -> _One:
        """Reads as `read` does, each text once, and raises `_TooManyError` when it is too much."""
        known: dict[Canonical, Reading | None] = {}

        def once(said: Canonical) -> Reading | None:
            if not self._left:
                raise _TooManyError
            self._left -= 1
            if said not in known:
                known[said] = read(said)
            return known[said]

        return once

    def _parts(self, said: Canonical, before: Reading | None) -> list[Reading] | None:
        found = self._corrected(said)
        if found is None:
            found = self._joined(said, None, _MOST_COMMANDS)
        if found is None and before is not None:
            found = self._following(said, before)
        return found

    def _following(self, said: Canonical, before: Reading) -> list[Reading] | None:
        """What only the command before it makes whole: "turn it off", "and the kitchen"."""
        words = [token.text for token in said.tokens]
        opening = next((n for n in (2, 1) if tuple(words[:n]) in phrases.FOLLOWING), 0)
        if not opening and phrases.PRONOUNS.isdisjoint(words):
            return None
        found = self._borrowing(said.part(opening, len(words)), before)
        return [found] if found else None

    def _plain(self, said: Canonical) -> list[Reading] | None:
        one = self._one(said)
        return [one] if one else self._joined(said, None, _MOST_COMMANDS)

    def _corrected(self, said: Canonical) -> list[Reading] | None:
        found = clauses.repair(said)
        if found is None:
            return None
        head, mended = found
        before = self._plain(head) or self._corrected(head)
        if clauses.takes_back(mended):
            return [] if before else None
        if before:
            mended = clauses.pointing(mended, before[-1].kind, phrases.ONES) or mended
        texts = islice(clauses.repaired(head, mended), _MOST_BORROWED)
        readings = [r for r in (self._plain(text) for text in texts) if r]
        if before and (alike := next((r for r in readings if _alike(r, before)), None)):
            return alike
        if alone := self._tail(mended, before[-1] if before else None, 2):
            return _once([*(before or [])[:-1], *alone])
        return next(iter(readings), None)

    def _joined(self, said: Canonical, before: Reading | None, most: int) -> list[Reading] | None:
        """The commands of a text of several, of which the first may borrow from `before`."""
        if most < 2:
            return None
        found = (self._cut(said, end, start, before, most) for end, start in cuts(said))
        # the fewest: "one hour and twenty minutes" is one duration, not two timers
        return min((f for f in found if f is not None), key=len, default=None)

    def _cut(
        self, said: Canonical, end: int, start: int, before: Reading | None, most: int
    ) -> list[Reading] | None:
        head, rest = said.part(0, end), said.part(start, len(said.tokens))
        first = self._borrowing(head, before) or self._lent(head, rest)
        if first is None:
            aside = _sets_aside(head, said, end, start)
            return self._tail(rest, before, most - 1) if aside else None
        if first.open_ended:  # free text would run on
            return None
        tail = self._tail(rest, first, most - 1)
        return None if tail is None else [first, *tail]

    def _tail(self, rest: Canonical, before: Reading | None, most: int) -> list[Reading] | None:
        if withheld(rest):
            found = self._joined(rest, before, most)
            return [] if found is None and before else found
        if one := self._borrowing(rest, before):
            return [one]
        return self._joined(rest, before, most)

    def _borrowing(self, part: Canonical, before: Reading | None) -> Reading | None:
        """A part as it is, pointing at what stood before it, or with the words it shares."""
        if (one := self._one(part)) or before is None:
            return one
        pointed = clauses.pointing(part, before.referent)
        if pointed is not None and (one := self._one(pointed)):
            return one
        if pointed is not None or withheld(part):
            return None
        texts = islice(clauses.shared(before.said, _without_same(part)), _MOST_BORROWED)
        found = [r for r in map(self._sentence, texts) if r]
        found = [r for r in found if r.command.intent == before.command.intent]
        return next((r for r in found if r.like(before)), found[-1] if found else None)

    def _lent(self, head: Canonical, rest: Canonical) -> Reading | None:
        texts = islice(clauses.lent(head, rest), _MOST_BORROWED)
        return next((r for r in map(self._sentence, texts) if r and r.exact), None)


def _each_item(whole: Reading) -> list[Reading]:
    """One command for each thing of a list that free text took as one: "milk, eggs and bread"."""
    at = next((i for i, s in enumerate(whole.command.slots) if s.name in _LISTED), None)
    if at is None:
        return [whole]
    slots = whole.command.slots
    things = clauses.enumerated(whole.said, slots[at].raw)
    items = [msgspec.structs.replace(slots[at], value=thing, raw=thing) for thing in things]
    commands = (
        msgspec.structs.replace(whole.command, slots=(*slots[:at], item, *slots[at + 1 :]))
        for item in items
    )
    return [replace(whole, command=command) for command in commands]


def _once(readings: Sequence[Reading]) -> list[Reading]:
    """The readings without one that says again what the one before it said."""
    again = {b.said for a, b in pairwise(readings) if a.like(b) and a.values == b.values}
    return [reading for reading in readings if reading.said not in again]


def _alike(some: Sequence[Reading], others: Sequence[Reading]) -> bool:
    return len(some) == len(others) and all(a.like(b) for a, b in zip(some, others, strict=True))


def _sets_aside(head: Canonical, said: Canonical, end: int, start: int) -> bool:
    """Whether `head` is no wish, and what follows it begins anew."""
    joint = {token.text for token in said.tokens[end:start]}
    anew = not phrases.NEW_BREATH.isdisjoint(joint | {said.tokens[start].text})
    if reported(head):
        return anew
    return doubtful(head) and (anew or said.paused(start))


def _without_same(part: Canonical) -> Canonical:
    """ "do the same in the office" → "in the office"."""
    words = [token.text for token in part.tokens]
    at = words.index("same") + 1 if "same" in words[:3] else 0
    return part.part(at, len(part.tokens))
