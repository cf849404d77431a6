"""The parts of a command, found in its words: who, where, what to do, how much.

Every word of a text belongs to one part; a text with a word that belongs to none is no command.
Where the words can be divided in several ways, the fewest and most certain parts win.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.english.commands import amounts
from assistant.english.commands.homophones import HOMOPHONES
from assistant.english.commands.kinds import EVERYTHING, KINDS, MAIN_LIGHTS, Kind
from assistant.english.commands.words import (
    ACTIONS,
    FILLERS,
    INSTEAD_OF,
    JOINTS,
    PRONOUNS,
    QUANTIFIERS,
    RELAYING,
    SIDES,
    THEIRS,
)
from assistant.skill.home import Entity, Home
from assistant.skill.values import Change
from nlu.parts.division import cheapest
from nlu.parts.names import FUNCTIONAL, LONGEST, MEASURING, Names, Where
from nlu.parts.places import Places
from nlu.text.canonical import Canonical
from nlu.values.colours import colour
from nlu.values.quantities import percentage

_COSTS = {
    "whole": 1.0,
    "part": 1.7,
    "word": 1.2,
    "loose": 2.6,
    "filler": 1.3,
    "misheard": 3.0,
    "stranger": 9.0,
}
_LONGEST_STRANGER = 2
"""Most words for something that the home does not have."""
_PLACING = ("in", "at", "round", "around", "hoover", "vacuum")
"""Words before a place."""
_ONES = (("1",), ("ones",))
_FRACTIONS = {(): 0.0, ("and", "a", "half"): 0.5, ("point", "5"): 0.5}
"""Words after a number → what they add to it."""
_AMOUNTING = (("to",), ("at",), ("by",))
"""Words before a "one" that is an amount."""


@dataclass(frozen=True)
class Named:
    """Devices that the words name: one, several with the same name, or with a part of it."""

    entities: tuple[Entity, ...]
    plural: bool = False
    kind: Kind | None = None
    """The kind for which the name is a word, too: "telly"."""


@dataclass(frozen=True)
class OfKind:
    """Devices of a kind."""

    kind: Kind
    plural: bool = False


@dataclass(frozen=True)
class MainLight:
    """The light that lights the whole of a room; `named` have these words in their names."""

    named: tuple[Entity, ...] = ()


@dataclass(frozen=True)
class Spoken:
    """The devices that were spoken of before: "it", "them"; `other` for "the other one"."""

    other: bool = False


@dataclass(frozen=True)
class Unknown:
    """Words for a device that the home does not have."""

    words: str


@dataclass(frozen=True)
class Act:
    """What to do."""

    action: str


@dataclass(frozen=True)
class Level:
    """An absolute level: percent, degrees, a bare number, or a colour."""

    unit: str
    value: float | str
    furthest: bool = False
    """Whether it is as far as it goes, which is down after a change downwards."""


@dataclass(frozen=True)
class Relative:
    """A relative change, of a property where the words name one."""

    change: Change | None = None
    property: str = ""
    way: int = 0
    size: str = ""


@dataclass(frozen=True)
class OneOf:
    """One of the kind that was spoken of before: "the kitchen one"."""


@dataclass(frozen=True)
class Every:
    """All, both, any; `both` are those of the room."""

    both: bool = False


@dataclass(frozen=True)
class Joint:
    """An "and" between parts."""


@dataclass(frozen=True)
class InsteadOf:
    """The words before what is to be the other way round: "on instead of the lamp"."""


@dataclass(frozen=True)
class Filler:
    """A word that adds nothing."""


Who = Named | OfKind | MainLight | Unknown | Spoken
Thing = Named | OfKind | Spoken | Where | OneOf
Part = Who | Where | Act | Level | Relative | Every | OneOf | Joint | InsteadOf | Filler


@dataclass(frozen=True)
class Chunk:
    """One part and the canonical words that it stands for."""

    part: Part
    start: int
    end: int
    cost: float


class Chunker:
    """Divides texts into parts, with the names of one home, heard in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self.names = Names(home, area)
        """What the devices and rooms of the home are called."""
        self._places = Places(home, area)

    def chunks(self, said: Canonical, strangers: bool = False) -> list[Chunk] | None:
        """The parts of a text in order; None where a word belongs to none.

        With `strangers`, one run of other words may name what the home does not have.
        """
        words = tuple(token.text for token in said.tokens)
        return cheapest(
            len(words),
            LONGEST,
            lambda start, end: self._candidates(words, start, end, strangers),
        )

    def _candidates(
        self, words: Sequence[str], start: int, end: int, strangers: bool
    ) -> Iterator[Chunk]:
        key = tuple(words[start:end])
        before = tuple(words[max(0, start - 1) : start])
        if key[0] in THEIRS and len(key) == 1 and self.names.mentions(words[end : end + LONGEST]):
            yield Chunk(Where(there=True), start, end, _COSTS["filler"])
            return
        for part, how in self._parts(key, before):
            if key == ("dim",) and isinstance(part, Relative) and start:
                continue  # "on really dim" is a level, "dim the lamp" a change
            yield Chunk(part, start, end, _COSTS[how])
        verb = start == 0 and key[0] in RELAYING  # "read me the first one" sets no red
        for other in HOMOPHONES.get(key[0], ()) if len(key) == 1 and not verb else ():
            for part, _ in self._parts((other,), before):
                if isinstance(part, Level):  # no direction hangs on it, and no name
                    yield Chunk(part, start, end, _COSTS["misheard"])
        if strangers and start and self._is_strange(key):
            stranger = " ".join(key)
            placed = words[start - 1] in _PLACING
            yield Chunk(
                Where(unknown=stranger) if placed else Unknown(stranger),
                *(start, end, _COSTS["stranger"] * len(key)),
            )

    def _parts(self, key: tuple[str, ...], before: tuple[str, ...]) -> Iterator[tuple[Part, str]]:
        if key in self.names.wholes:
            yield Named(self.names.wholes[key], kind=KINDS.get(key)), "whole"
        elif entities := self.names.called(key):
            yield Named(entities, key not in self.names.shorts), "part"
        elif entities := self.names.near(key, self._places.here):
            yield Named(entities), "part"
        elif entities := self.names.loosely(key):
            yield Named(entities), "loose"
        if key in self.names.places:
            yield self._places.found(self.names.places[key]), "word"
        if key in KINDS:
            yield OfKind(KINDS[key], key[-1].endswith("s")), "word"
        if key in MAIN_LIGHTS and key not in self.names.wholes:
            yield MainLight(self.names.shorts.get(key, ())), "word"
        if key in QUANTIFIERS:
            yield Every(both=key[0] == "both"), "word"
            if key[0].startswith("every"):
                yield OfKind(EVERYTHING, True), "word"
        if key in PRONOUNS:
            yield Spoken("other" in key), "word"
        if key in ACTIONS:
            yield Act(ACTIONS[key]), "word"
        if key in INSTEAD_OF:
            yield InsteadOf(), "word"
        if key in JOINTS:
            yield Joint(), "filler"
        if key in FILLERS:
            yield Filler(), "filler"
        if key in _ONES and before not in _AMOUNTING:
            yield OneOf(), "filler"
            return
        yield from ((part, "word") for part in _amounts(key))

    def things(self, key: tuple[str, ...]) -> Iterator[Thing]:
        """What words name as a whole: devices, a kind of them, a place, or what was spoken of."""
        for part, how in self._parts(key, ()):
            everything = isinstance(part, OfKind) and part.kind is EVERYTHING
            if isinstance(part, Thing) and how not in ("part", "loose") and not everything:
                yield part

    def named(self, key: tuple[str, ...]) -> tuple[Entity, ...]:
        """The devices that words name as a whole."""
        parts = (part for part, _ in self._parts(key, ())) if key else ()
        return next((part.entities for part in parts if isinstance(part, Named)), ())

    def named_domains(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """For each whole name and each kind in a text: the domains of what has it, but sensors."""
        at = 0
        while at < len(words):
            ends = range(min(len(words), at + LONGEST), at, -1)
            keys = (tuple(words[at:end]) for end in ends)
            key = next((k for k in keys if k in self.names.wholes or k in KINDS), ())
            named = tuple(entity.domain for entity in self.names.wholes.get(key, ()))
            kinds = KINDS[key].domains if key in KINDS else ()
            if domains := tuple(d for d in (*named, *kinds) if d not in MEASURING):
                yield domains
            at += len(key) or 1

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether words name anything of this home, or an amount."""
        return self.names.mentions(words) or any(word.isdecimal() for word in words)

    def _is_strange(self, key: tuple[str, ...]) -> bool:
        """Whether words may name something that the home does not have."""
        known = any((word,) in self.names.wholes or (word,) in self.names.places for word in key)
        fits = len(key) <= _LONGEST_STRANGER and key not in self.names.places and not known
        return fits and FUNCTIONAL.isdisjoint(word for word in key if word not in SIDES)


def _amounts(key: tuple[str, ...]) -> Iterator[Part]:
    """Levels and changes that words say."""
    text = " ".join(key)
    if key in amounts.COMPARATIVES:
        what, way = amounts.COMPARATIVES[key]
        yield Relative(property=what, way=way)
    if key in amounts.UP_OR_DOWN:
        yield Relative(way=amounts.UP_OR_DOWN[key])
    if key in amounts.SIZES:
        yield Relative(size=amounts.SIZES[key])
    yield from _shares(key)
    if text in amounts.FURTHEST:
        yield Level("%", 100, furthest=True)
    if text in amounts.LEVELS:
        yield Level("%", amounts.LEVELS[text])
    if key[-1] in amounts.PARTS and (share := percentage(text)) is not None:
        yield Level("%", share)
    if key[-1] == "percent" and (share := percentage(text)) is not None:
        yield Level("%", share)
    if len(key) > 1 and key[-1] in ("degrees", "degree") and (n := _number(key[:-1])) is not None:
        yield Level("°", n)
    if (number := _number(key)) is not None:
        yield Level("", number)
    if key[0] == "by" and len(key) > 1:
        yield from (
            Relative(change=Change(1, part.value, part.unit or "%"), way=0)
            for part in _amounts(key[1:])
            if isinstance(part, Level) and isinstance(part.value, int | float)
        )
    if len(key) > 1 and (sign := amounts.SIGNS.get(key[0])):  # "plus two" is never two
        yield from (
            Relative(change=Change(sign, part.value, part.unit), way=sign)
            for part in _amounts(key[1:])
            if isinstance(part, Level) and isinstance(part.value, int | float)
        )
    if (named := colour(text)) is not None and text not in amounts.LEVELS:
        yield Level("colour", str(named))


def _shares(key: tuple[str, ...]) -> Iterator[Part]:
    """Factors and shares: "half as loud", "twice as bright", "by a third"."""
    for words, (way, amount) in amounts.FACTORS.items():
        rest = key[len(words) :]
        if key[: len(words)] != words or len(rest) > 1:
            continue
        unit = "x" if way else "/"
        if rest and (what := amounts.ADJECTIVES.get(rest[0])):
            yield Relative(Change(way or 1, amount, unit), property=what, way=way)
        elif not rest and "as" not in words:
            yield Relative(Change(way or 1, amount, unit), way=way)


def _number(key: tuple[str, ...]) -> float | None:
    """A number of digits: "20", "20 and a half"."""
    if not (key and key[0].isdecimal() and key[1:] in _FRACTIONS):
        return None
    return float(key[0]) + _FRACTIONS[key[1:]]
