"""The names by which the devices and rooms of one home are called, in canonical words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assistant.english.commands.directions import DIRECTIONS
from assistant.english.commands.kinds import KINDS
from assistant.english.commands.short_forms import NO_LABEL
from assistant.english.commands.words import (
    ACTIONS,
    CONTENTLESS,
    FILLERS,
    GENERIC,
    HERE,
    OWN_ROOM,
    PRONOUNS,
    QUANTIFIERS,
    QUESTIONS,
    STOREYS,
    THERE,
)
from assistant.english.stems import beginning, is_possessive, singular
from assistant.english.stop_words import COMMON
from assistant.skill.home import Area, Entity, Floor, Home
from nlu.text.canonical import canonical
from nlu.text.kinds import names_of_others
from nlu.values.colours import colour

LONGEST = 6
"""Most words of a name, or of any other part of a command."""
FUNCTIONAL = COMMON | QUESTIONS | CONTENTLESS
"""Words that name nothing."""
MEASURING = ("sensor", "binary_sensor")
"""Domains of which nothing can be asked to be done."""
_ROUTINES = ("scene", "script")
"""Domains of what is done as a whole, and has no state to be brought into."""
_NEEDING_A_WORD = ("open", "unlock", "cancel")
"""Directions in which nothing goes without a word for it."""
_FEWEST_LETTERS = 3
"""Fewest letters of a word that names a device by a part of its name."""
_MOST_SHARING = 4
"""Most devices among which the user is asked to choose."""
_FEW = 2
"""Most devices of different kinds that share a word, of which what is to be done tells one."""


@dataclass(frozen=True)
class Where:
    """A room, a floor, a place that the home does not have, the one spoken of before, or here."""

    area: Area | None = None
    floor: Floor | None = None
    unknown: str = ""
    there: bool = False
    """Whether it is the place that was spoken of before."""
    own: bool = False
    """Whether it is the room of whoever speaks."""
    near: bool = False
    """Whether it is the floor of whoever speaks, where that is known: "up here"."""
    others: tuple[Area, ...] = ()
    """Rooms that may be meant as well, so that the user is asked which."""


class Names:
    """The names of one home, as they are used in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self._of_others = names_of_others(home, area)

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether words name anything of this home."""
        keys = [
            tuple(words[start:end])
            for start in range(len(words))
            for end in range(start + 1, min(len(words), start + LONGEST) + 1)
        ]
        return not self._known.isdisjoint(keys)

    @cached_property
    def wholes(self) -> dict[tuple[str, ...], tuple[Entity, ...]]:
        """Names of devices → the devices that have them."""
        found: dict[tuple[str, ...], tuple[Entity, ...]] = {}
        for entity in self._home.entities:
            for key in _keys(entity):
                mine = " ".join(key) not in self._of_others
                if mine and entity not in found.get(key, ()):
                    found[key] = (*found.get(key, ()), entity)
        return found

    @cached_property
    def shorts(self) -> dict[tuple[str, ...], tuple[Entity, ...]]:
        """Parts of names that mean nothing else here → the one device that has them.

        A few devices may share a part that ends with their kind, "reading light", and two of
        different kinds a word: "annexe" for a door and a heating.
        """
        return {key: those for key, those in self._sharing.items() if self._tells(key, those)}

    @cached_property
    def _sharing(self) -> dict[tuple[str, ...], tuple[Entity, ...]]:
        """Parts of names that mean nothing else → the devices that have them."""
        found: dict[tuple[str, ...], set[str]] = {}
        for key, entities in self.wholes.items():
            for start in range(len(key)):
                for end in range(start + 1, len(key) + 1):
                    found.setdefault(key[start:end], set()).update(e.id for e in entities)
        by_id = {entity.id: entity for entity in self._home.entities}
        return {
            key: tuple(by_id[one] for one in sorted(ids))
            for key, ids in found.items()
            if key not in self._taken
            and any(len(word) >= _FEWEST_LETTERS for word in key)
            and colour(" ".join(key)) is None
        }

    @cached_property
    def _taken(self) -> set[tuple[str, ...]]:
        """Words that mean something else than a device."""
        return {*KINDS, *self.places, *FILLERS, *ACTIONS, *PRONOUNS, *QUANTIFIERS, *HERE}

    def _tells(self, key: tuple[str, ...], those: Sequence[Entity]) -> bool:
        """Whether words are of one device, or of a few of which what is to be done tells one."""
        kinds = {entity.domain for entity in those}
        apart = len(key) == 1 and len(kinds) == len(those) <= _FEW
        apart = apart and all(any(name[0] in key for name in _keys(e)) for e in those)
        return len(those) == 1 or apart or (len(those) <= _MOST_SHARING and self._tells_kind(key))

    def _tells_kind(self, key: tuple[str, ...]) -> bool:
        """Whether words end with a kind of devices, and say more of them than the room."""
        return len(key) > 1 and key[-1:] in KINDS and key[:-1] not in self.places

    def routines(self, key: tuple[str, ...]) -> tuple[Entity, ...]:
        """The scenes and scripts that have these words in their names, where nothing else does.

        Opening and unlocking have to be said: "annexe" is not enough for "Unlock Annexe".
        """
        if len(key) > LONGEST or key in self._taken or colour(" ".join(key)) is not None:
            return ()
        found = {
            entity.id: entity
            for name, entities in self.wholes.items()
            if any(name[at : at + len(key)] == key for at in range(len(name)))
            for entity in entities
            if entity.domain not in MEASURING
        }
        others = any(entity.domain not in _ROUTINES for entity in found.values())
        unsaid = (word for e in found.values() for word in _keys(e)[0] if word not in key)
        ways = {way for word in unsaid for way in DIRECTIONS.get((word,), ())}
        if others or len(found) > _MOST_SHARING or not ways.isdisjoint(_NEEDING_A_WORD):
            return ()
        return tuple(found.values())

    def called(self, key: tuple[str, ...]) -> tuple[Entity, ...]:
        """The devices that have these words in their names, in the singular or the plural.

        "The balcony lights" are those of the balcony, be one of them called "Balcony Light".
        """
        if found := self.shorts.get(key):
            return found
        of_room = key[:-1] in self.places and key[-1:] in KINDS
        return () if of_room else self.shorts.get((*key[:-1], singular(key[-1])), ())

    def near(self, key: tuple[str, ...], here: Area | None) -> tuple[Entity, ...]:
        """The one device of the room whose name has these words: "the ceiling" for its light."""
        if here is None or not FUNCTIONAL.isdisjoint(key) or GENERIC.issuperset(key):
            return ()  # a "machine" of the room may be another one than is meant
        sharing = self._sharing.get(key, ())
        found = [e for e in sharing if e.area == here.id and e.domain not in MEASURING]
        return tuple(found) if len(found) == 1 else ()

    def loosely(self, key: tuple[str, ...]) -> tuple[Entity, ...]:
        """The one device that has all these words in its name, its room's name or its kind.

        Forms of a word are the same: "the heated towel thing" is the towel heater. The owner of
        several may be meant with any of them: "Claire's light".
        """
        words = [word for word in key if word not in GENERIC]
        telling = [word for word in words if (word,) not in KINDS]
        if len(key) < 2 or not telling or not FUNCTIONAL.isdisjoint(telling):
            return ()
        if (key[-1],) in self.places or (key[0],) in ACTIONS or (key[-1],) in ACTIONS:
            return ()
        wanted = {beginning(word) for word in words}
        fits = tuple(
            entity
            for entity, own, kinds in self._words
            if wanted <= own | kinds and not wanted <= kinds
        )
        owned = is_possessive(key[0]) and len(fits) <= _MOST_SHARING
        return fits if len(fits) == 1 or owned else ()

    @cached_property
    def places(self) -> dict[tuple[str, ...], Where]:
        """Names of rooms and floors, and words for here."""
        found = {words: Where() for words in HERE}
        found |= {words: Where(there=True) for words in THERE}
        found |= {words: Where(own=True) for words in OWN_ROOM}
        for floor in self._home.floors:
            for name in (floor.name, *floor.aliases):
                found[tuple(canonical(name).text.split())] = Where(floor=floor)
        for words, (stairs, way) in STOREYS.items():
            usual = next((f for f in self._home.floors if storey(f) == way), None)
            meant = found[stairs].floor if stairs in found else usual
            if meant is not None:
                found[words] = Where(floor=meant, near=words[-1:] in HERE)
        for area in self._home.areas:
            for name in (area.name, *area.aliases):
                key = tuple(canonical(name).text.split())
                found[key] = Where(area=area)
                found.setdefault((*key, "room"), Where(area=area))
                if is_possessive(key[0]):  # "the light in Mia's"
                    found.setdefault(key[:1], Where(area=area))
        if bedroom := found.get(("bedroom",)):
            found |= {words: bedroom for words in OWN_ROOM if words[-1] == "bedroom"}
        return found

    @cached_property
    def _known(self) -> frozenset[tuple[str, ...]]:
        """All words that name something of this home."""
        shorts = (key for key in self.shorts if not NO_LABEL.issuperset(key))  # "last night"
        places = self.places.keys() - THERE - HERE - OWN_ROOM  # "nobody is in here" names nothing
        return frozenset((*self.wholes, *shorts, *places, *KINDS))

    @cached_property
    def _words(self) -> list[tuple[Entity, frozenset[str], frozenset[str]]]:
        """Each device, the beginnings of the words of its name and its room's, and of its kind."""
        areas = {area.id: (area.name, *area.aliases) for area in self._home.areas}
        kinds: dict[str, set[str]] = {}
        for key, kind in KINDS.items():
            for domain in kind.domains:
                kinds.setdefault(domain, set()).update(map(beginning, key))
        return [
            (
                entity,
                frozenset(
                    beginning(word)
                    for name in (entity.name, *entity.aliases, *areas.get(entity.area or "", ()))
                    for word in canonical(name).text.split()
                ),
                frozenset(kinds.get(entity.domain, ())),
            )
            for entity in self._home.entities
            if entity.domain not in MEASURING
        ]


def _keys(entity: Entity) -> list[tuple[str, ...]]:
    """The canonical words of each name of a device."""
    names = (tuple(canonical(name).text.split()) for name in (entity.name, *entity.aliases))
    return [name for name in names if name]


def storey(floor: Floor) -> str:
    """ "up" or "down" for the floors that people call upstairs and downstairs, else ""."""
    name = floor.name.casefold()
    if any(word in name for word in ("ground", "down", "lower")):
        return "down"
    return "up" if any(word in name for word in ("first", "up", "second", "top")) else ""
