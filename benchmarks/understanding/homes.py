"""The same sentences in made-up homes.

Run `python -m benchmarks.understanding.homes SENTENCES --home FIXTURES`.

Each home has the fixtures' devices, or some of them, under other names and in other rooms, and
further ones; the names in the sentences are replaced alike. A sentence counts where it says the
names of what is meant, and the home has that. Beside each home stands what the same sentences give
in the home that they were written for.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.english.lists import phrase_list
from assistant.evaluation.home_tests import (
    HomeTestCase,
    Suite,
    Wanted,
    WantedCommand,
    load_suites,
)
from assistant.evaluation.sentences import Miss, Prepare, evaluate_sentences, reader
from assistant.skill.home import Area, Entity, Home

HOMES, SMALLEST, LARGEST = 20, 5, 200
ROOMS = phrase_list(
    "Scullery, Parlour, Attic, Conservatory, Nursery, Library, Cellar, Porch, Workshop, Den, "
    "Laundry, Pantry, Sunroom, Loft, Landing, Studio, Snug, Boot Room, Sewing Room, Gym, Hallway, "
    "Veranda, Playroom, Wine Cellar, Music Room, Dining Room, Utility Room, Box Room, Orangery"
)
NAMES = {
    "light": "Reading Lamp, Floor Lamp, Strip Light, Pendant Lamp, Salt Lamp, Picture Light, "
    "Arc Lamp, Desk Lamp, Wall Light, Cabinet Light, Corner Lamp, Tree Lamp, Mirror Light, Lantern",
    "switch": "Heater Socket, Pump Switch, Radio Plug, Aquarium, Towel Rail, Fountain, Iron Plug",
    "fan": "Tower Fan, Box Fan, Desk Fan, Extractor Fan, Pedestal Fan",
    "cover": "Long Curtain, Net Curtain, Roman Shade, Velvet Curtain, Bamboo Shade, Short Curtain",
    "lock": "Oak Door, Barn Door, Glass Doors, Garden Door, Red Door, Iron Gate",
    "climate": "Wall Thermostat, Round Thermostat, Hall Thermostat, Old Thermostat",
    "media_player": "Projector, Big Screen, Jukebox, Soundbar, Gramophone",
    "vacuum": "Dusty, Nibbler, Roomie, Scrubs",
    "scene": "Siesta Mode, Dinner Mode, Reading Mode, Game Mode",
    "script": "Leaving Mode, Holiday Mode, Guest Mode",
}
EXTRA = ("light", "switch", "fan", "cover", "climate", "media_player")
"""Domains of the devices that are added."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One home: shares from 0 to 1 of its `sentences`, there and in the home they are from."""

    devices: int
    sentences: int
    exact: float
    exact_at_home: float
    ms_p50: float
    ms_p99: float


class MadeUp:
    """A home of `size` devices, made from another; `seed` decides all names."""

    def __init__(self, original: Home, wanted: frozenset[str], size: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._used = set[str]()
        rooms = self._rng.sample(ROOMS, len(ROOMS))
        areas = {area.id: rooms.pop() for area in original.areas}
        self._new = {area.name.casefold(): areas[area.id] for area in original.areas}
        named = [entity for entity in original.entities if entity.name.casefold() in wanted]
        others = [entity for entity in original.entities if entity not in named]
        kept = self._rng.sample([*named], min(size, len(named)))
        kept += self._rng.sample(others, min(size - len(kept), len(others)))
        entities = [self._renamed(entity, original, areas) for entity in kept]
        made = [Area(name=room, id=room.casefold()) for room in rooms]
        entities += [self._extra(self._rng.choice(made)) for _ in range(size - len(kept))]
        renamed = [msgspec.structs.replace(a, name=areas[a.id], aliases=()) for a in original.areas]
        self.home = Home(floors=original.floors, areas=(*renamed, *made), entities=tuple(entities))
        self._kept = {entity.name.casefold() for entity in kept}
        self._gone = {entity.name.casefold() for entity in original.entities} - self._kept
        self._lit = {(entity.domain, areas.get(entity.area or "", "")) for entity in kept}
        names = sorted(self._new, key=len, reverse=True)
        self._said = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b", re.IGNORECASE)

    def told(self, case: HomeTestCase, sentence: str) -> HomeTestCase | None:
        """The sentence with the names of this home; None where it cannot be said here."""
        if case.area or not all(self._has(command, sentence) for command in case.commands):
            return None
        commands = tuple(
            WantedCommand(command.intent, {k: self._here(v) for k, v in command.slots.items()})
            for command in case.commands
        )
        said = self._said.sub(lambda found: self._new[found[0].casefold()], sentence)
        return HomeTestCase((said,), commands)

    def _has(self, command: WantedCommand, sentence: str) -> bool:
        slots, spoken = command.slots, sentence.casefold()
        if any(isinstance(value, list) for value in slots.values()):
            return False
        for value in (str(slots.get(name, "")).casefold() for name in ("name", "area")):
            if value in self._gone or (value in self._new and value not in spoken):
                return False
        area = self._new.get(str(slots.get("area", "")).casefold())
        return area is None or "name" in slots or (slots.get("domain", "light"), area) in self._lit

    def _here(self, value: Wanted) -> Wanted:
        return self._new.get(str(value).casefold(), value)

    def _renamed(self, entity: Entity, original: Home, areas: Mapping[str, str]) -> Entity:
        if entity.domain not in NAMES:
            return entity
        area = next((a for a in original.areas if a.id == entity.area), None)
        within = area is not None and entity.name.casefold().startswith(area.name.casefold())
        name = self._name(entity.domain, areas[area.id] if area is not None and within else "")
        self._new[entity.name.casefold()] = name
        return msgspec.structs.replace(entity, name=name, aliases=())

    def _extra(self, area: Area) -> Entity:
        domain = self._rng.choice(EXTRA)
        name = self._name(domain, area.name)
        return Entity(
            name=name,
            id=f"{domain}.{name.casefold().replace(' ', '_')}",
            area=area.id,
            state="off",
        )

    def _name(self, domain: str, room: str) -> str:
        """A name that nothing in this home has yet."""
        for number in count(1):
            noun = self._rng.choice(phrase_list(NAMES[domain]))
            name = f"{room} {noun}".strip() if number < LARGEST else f"{room} {noun} {number}"
            if name.casefold() not in self._used:
                self._used.add(name.casefold())
                return name
        raise AssertionError


def rows(suites: list[Suite], prepare: Prepare, seed: int) -> Iterator[Row]:
    """Each made-up home's figures, from the smallest home to the largest."""
    missed = set[str]()
    evaluate_sentences(suites, prepare, missed=lambda miss: missed.add(miss.sentence))
    for number in range(HOMES):
        size = round(SMALLEST * (LARGEST / SMALLEST) ** (number / (HOMES - 1)))
        yield _row(suites, prepare, missed, size, seed + number)


def _row(suites: list[Suite], prepare: Prepare, missed: set[str], size: int, seed: int) -> Row:
    wanted = frozenset(
        str(command.slots.get("name", "")).casefold()
        for suite in suites
        for case in suite.cases
        for command in case.commands
    )
    made = MadeUp(suites[0].home, wanted, size, seed)
    told = {
        sentence: there
        for suite in suites
        for case in suite.cases
        for sentence in case.sentences
        if (there := made.told(case, sentence)) is not None
    }
    suite = Suite(Path(f"home-{size}"), made.home, tuple(told.values()))
    lost: list[Miss] = []
    figures = evaluate_sentences([suite], prepare, missed=lost.append)
    return Row(
        devices=size,
        sentences=len(told),
        exact=round(1 - len(lost) / len(told), 4),
        exact_at_home=round(1 - len(missed & told.keys()) / len(told), 4),
        ms_p50=figures.ms_p50,
        ms_p99=figures.ms_p99,
    )


def main() -> int:
    """Print a table of the homes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    composition = Composition(temporary_config(None, None))
    understanding = composition.understanding
    prepare = reader(understanding.templates_of, understanding.interpreter, composition.now())
    table = Table(*Row.__struct_fields__)
    found = list(rows(load_suites(arguments.sentences, arguments.home), prepare, arguments.seed))
    for row in found:
        table.add_row(*(str(value) for value in msgspec.structs.astuple(row)))
    console = Console()
    console.print(table)
    total = sum(row.sentences for row in found)
    there, at_home = (
        sum(getattr(row, name) * row.sentences for row in found) / total
        for name in ("exact", "exact_at_home")
    )
    console.print(f"exact {there:.4f} in them, {at_home:.4f} in the home they were written for")
    return 0


if __name__ == "__main__":
    sys.exit(main())
