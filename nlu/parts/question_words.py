"""What the words of a question about the home say: how it asks, about what, where, which state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from assistant.english.commands import states as english
from assistant.english.commands.kinds import KINDS
from assistant.english.commands.words import STATEMENTS
from assistant.english.stop_words import COMMON
from assistant.skill.home import Entity, Home
from nlu.parts.askable import can_be
from nlu.parts.chunks import Chunker, Level, Named, OfKind, OneOf, Spoken, Unknown
from nlu.parts.division import cheapest
from nlu.parts.names import LONGEST, Where
from nlu.text.canonical import Canonical, canonical

_T = TypeVar("_T")
_LONGEST_STRANGER = 2
"""Most words for something that the home does not have."""
_THING, _PART, _WORD, _FILLER, _STRANGER = 1.0, 1.7, 1.1, 1.3, 9.0
"""Costs of parts: the fewest and most certain parts of a text win."""
_FEWEST_LETTERS = 3
_PLACING = ("in", "at", "inside")
_VOCABULARY = frozenset((*english.STATES, *english.SENSED, *english.LEVELS))
_SINGLE_WORDS = frozenset(key[0] for key in _VOCABULARY if len(key) == 1)


@dataclass(frozen=True)
class Stated:
    """A state that is asked about."""

    state: str


@dataclass(frozen=True)
class Sensed:
    """What a sensor of a class may notice."""

    device_class: str


@dataclass(frozen=True)
class Measured:
    """A level that is asked for."""

    level: str


@dataclass(frozen=True)
class Outdoors:
    """Where no room is, and the word for it: "outside"."""

    word: str


@dataclass(frozen=True)
class Partly:
    """Devices of whose names these words are a part."""

    words: str
    entities: tuple[Entity, ...]


@dataclass(frozen=True)
class Filler:
    """A word that adds nothing."""


Who = Named | Partly | OfKind | Unknown | Spoken
_Part = Who | Where | OneOf | Level | Stated | Sensed | Measured | Outdoors | Filler


@dataclass(frozen=True)
class _Piece:
    """One part and the canonical words that it stands for."""

    part: _Part
    start: int
    end: int
    cost: float


@dataclass(frozen=True)
class Asked:
    """The parts of one question; those that were not said are empty."""

    words: tuple[str, ...]
    who: Who | None = None
    where: Where | None = None
    outdoors: str = ""
    """The word for where no room is: "outside"."""
    one: bool = False
    state: str = ""
    either: bool = False
    """Whether a state or its opposite is asked for: "on or off"."""
    sensed: str = ""
    sensed_word: str = ""
    level: str = ""
    value: float | None = None
    fillers: frozenset[str] = frozenset()
    """Its words that add nothing."""

    @property
    def says_what(self) -> bool:
        """Whether it says what is asked."""
        return bool(self.state or self.sensed or self.level)

    @property
    def names_anything(self) -> bool:
        """Whether it names a device, or a place."""
        named = self.who is not None and not isinstance(self.who, Spoken)
        return named or self.where is not None or bool(self.outdoors)

    @property
    def moves(self) -> bool:
        """Whether what is asked about goes up and down."""
        if isinstance(self.who, Named | Partly):
            return any(can_be(entity, self.state) for entity in self.who.entities)
        return isinstance(self.who, OfKind) and "cover" in self.who.kind.domains

    @property
    def everywhere(self) -> bool:
        """Whether it is about the whole home: all of it, or what may have been forgotten in it."""
        return not (english.EVERYTHING | english.LEFT).isdisjoint(self.words)

    def with_implied_level(self) -> Asked:
        """The question with the level that it implies: of a player what is on, of a number what."""
        entity = self.who.entities[0] if isinstance(self.who, Named | Partly) else None
        kinds = self.who.kind.domains if isinstance(self.who, OfKind) else ()
        domain = entity.domain if entity is not None else next(iter(kinds), "")
        amount = self.value is not None and not self.says_what
        if (amount or self.level == english.AMOUNT) and domain in english.LEVEL_OF_DOMAIN:
            return replace(self, level=english.LEVEL_OF_DOMAIN[domain])
        if self.words[0] not in ("what", "which") or self.level or self.everywhere:
            return self
        shows = not self.says_what or (self.state == "on" and "got" in self.words)
        plays = self.state == "playing" or (domain == "media_player" and shows)
        if plays and {"on", "playing"} & set(self.words):
            return replace(self, level="title", state="")
        return self


class QuestionWords:
    """Divides questions into parts, with the names of one home."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self._chunker = Chunker(home, area)

    def __call__(self, said: Canonical, strangers: bool = False) -> Asked | None:
        """The parts of a text; None where a word belongs to none, or two say different things.

        With `strangers`, one run of other words may name what the home does not have.
        """
        words = tuple(token.text for token in said.tokens)
        pieces = cheapest(
            len(words),
            LONGEST,
            lambda start, end: self._candidates(words, start, end, strangers),
        )
        return None if pieces is None else _asked(words, pieces)

    def cores(self, said: Canonical) -> Iterator[Canonical]:
        """A text without the statements around the question, the whole of it first."""
        words = tuple(token.text for token in said.tokens)
        yield said
        stated = words[:2] in STATEMENTS or words[:1] == ("i",)
        starts = [
            at
            for at in range(1, len(words) if stated else 1)
            if words[at] in english.LATE_BEGINNINGS
            and words[at - 1] not in (*english.SPEAKERS, *english.BEGINNINGS)
            and english.INDIRECT.isdisjoint(words[:at])
            and not self._chunker.mentions(words[:at])
        ]
        ends = [
            at
            for at in range(2, len(words))
            if (words[at : at + 2] in STATEMENTS or words[at] in english.SPEAKERS)
            and words[at - 1] not in (*english.BEGINNINGS, *english.INVERTED)
            and not self._chunker.mentions(words[at:])
        ]
        for start in (*starts, 0):
            for end in (*(e for e in ends if e > start + 1), len(words)):
                if (start, end) != (0, len(words)):
                    yield said.part(start, end)

    def _candidates(
        self, words: Sequence[str], start: int, end: int, strangers: bool
    ) -> Iterator[_Piece]:
        key = tuple(words[start:end])
        for part, cost in self._parts(key, words[start - 1] if start else ""):
            yield _Piece(part, start, end, cost)
        if strangers and start and _is_strange(key):
            stranger = " ".join(key)
            placed = words[start - 1] in _PLACING
            part = Where(unknown=stranger) if placed else Unknown(stranger)
            yield _Piece(part, start, end, _STRANGER * len(key))

    def _parts(self, key: tuple[str, ...], before: str) -> Iterator[tuple[_Part, float]]:
        for thing in self._chunker.things(key):
            if not (isinstance(thing, OfKind) and key in english.LEVELS):  # "volume of the tv"
                yield thing, _THING if isinstance(thing, Named) else _WORD
        if key[-1].endswith("'s"):
            owner = (*key[:-1], key[-1].removesuffix("'s"))
            named = (t for t in self._chunker.things(owner) if isinstance(t, Named))
            yield from ((thing, _WORD) for thing in named)
        if entities := self._partial.get(key):
            yield Partly(" ".join(key), entities), _PART
        if key in english.OUTDOOR_PHRASES:
            yield Outdoors(english.ANY_OUTDOORS[0]), _WORD
        if key in english.STATES:
            yield Stated(english.STATES[key]), _WORD
        if key in english.SENSED:
            yield Sensed(english.SENSED[key]), _WORD
        if key in english.LEVELS:
            yield Measured(english.LEVELS[key]), _WORD
        if len(key) == 1:
            yield from _single(key[0], before)

    @cached_property
    def _partial(self) -> dict[tuple[str, ...], tuple[Entity, ...]]:
        """Parts of names → the devices whose names they are in; none that mean another thing."""
        found: dict[tuple[str, ...], dict[str, Entity]] = {}
        for entity in self._home.entities:
            for name in (entity.name, *entity.aliases):
                words = tuple(canonical(name).text.split())
                for start in range(len(words)):
                    for end in range(start + 1, len(words) + 1):
                        if end - start < len(words):
                            found.setdefault(words[start:end], {})[entity.id] = entity
        return {
            key: tuple(entities.values())
            for key, entities in found.items()
            if any(len(word) >= _FEWEST_LETTERS for word in key)
            and not (_VOCABULARY.union(KINDS).issuperset((word,) for word in key))
            and key not in _VOCABULARY
            and not english.FILLERS.issuperset(key)
            and not any(isinstance(t, Where | OfKind) for t in self._chunker.things(key))
        }


def _single(word: str, before: str) -> Iterator[tuple[_Part, float]]:
    if word == "they":
        yield Spoken(), _WORD
    if word in english.OUTDOORS:
        yield Outdoors(word), _WORD
    if word.isdecimal():
        yield Level("", float(word)), _WORD
    if word in english.FILLERS or word in english.EVERYTHING or word in english.LEFT:
        yield Filler(), _FILLER
    if before in ("did", "has", "have") and word.isalpha() and word not in COMMON:
        yield Filler(), _FILLER + 0.5


def _is_strange(key: tuple[str, ...]) -> bool:
    """Whether words may name something that the home does not have."""
    return (
        len(key) <= _LONGEST_STRANGER
        and (COMMON | english.FILLERS | english.ELSEWHERE | _SINGLE_WORDS).isdisjoint(key)
        and not any(word.isdecimal() for word in key)
    )


def _asked(words: tuple[str, ...], pieces: Sequence[_Piece]) -> Asked | None:
    whos = _distinct(_who(words, pieces))
    wheres = _distinct(p.part for p in pieces if isinstance(p.part, Where))
    states = _distinct(_states(words, pieces))
    either = set(states) in english.OPPOSITES and "or" in words
    states = [] if either else states
    sensed = _distinct(_sensed(pieces, bool(states)))
    levels = _distinct(p.part.level for p in pieces if isinstance(p.part, Measured))
    if len(levels) > 1:
        levels = [one for one in levels if one != "temperature"]
    values = [p.part.value for p in pieces if isinstance(p.part, Level)]
    if any(len(found) > 1 for found in (whos, wheres, states, sensed, levels, values)):
        return None
    return Asked(
        words,
        who=next(iter(whos), None),
        where=next(iter(wheres), None),
        outdoors=next((p.part.word for p in pieces if isinstance(p.part, Outdoors)), ""),
        one=any(isinstance(p.part, OneOf) for p in pieces),
        state=next(iter(states), ""),
        either=either,
        sensed=next(iter(sensed), ""),
        sensed_word=next((words[p.start] for p in pieces if isinstance(p.part, Sensed)), ""),
        level=next(iter(levels), ""),
        value=float(values[0]) if values else None,
        fillers=frozenset(words[p.start] for p in pieces if isinstance(p.part, Filler)),
    )


def _distinct(values: Iterable[_T]) -> list[_T]:
    """Values without those that stand twice; devices have no hash."""
    found: list[_T] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def _who(words: Sequence[str], pieces: Sequence[_Piece]) -> Iterator[Who]:
    """What is asked about; a strange word before a kind belongs to it: "the attic light"."""
    for at, piece in enumerate(pieces):
        after = pieces[at + 1].part if at + 1 < len(pieces) else None
        before = pieces[at - 1].part if at else None
        if isinstance(piece.part, OfKind) and isinstance(before, Unknown | Partly):
            continue
        if isinstance(piece.part, Unknown | Partly) and isinstance(after, OfKind):
            yield Unknown(" ".join(words[piece.start : pieces[at + 1].end]))
        elif isinstance(piece.part, Who):
            yield piece.part


def _states(words: Sequence[str], pieces: Sequence[_Piece]) -> Iterator[str]:
    """The states; an "on" before a name only places what is asked for: "what is on the radio"."""
    for at, piece in enumerate(pieces):
        if not isinstance(piece.part, Stated):
            continue
        after = pieces[at + 1].part if at + 1 < len(pieces) else None
        bare = words[piece.start : piece.end] in (("on",), ("up",), ("down",))
        place = isinstance(after, Where) and bool(after.floor or after.area)
        named = place or isinstance(after, Who)
        if not (bare and named and words[piece.end] not in english.STOREY_WORDS):
            yield piece.part.state


def _sensed(pieces: Sequence[_Piece], stated: bool) -> Iterator[str]:
    """What sensors notice; who has left something on is nothing that they notice."""
    for piece in pieces:
        if isinstance(piece.part, Sensed) and not stated:
            yield piece.part.device_class
