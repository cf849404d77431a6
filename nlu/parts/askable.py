"""What can be asked of which devices of a home: the states that each may be in, and its kind."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.core.messages import Command, Slot
from assistant.english.commands import states as english
from assistant.english.commands.kinds import Kind
from assistant.skill.home import Entity, Home
from nlu.parts.names import Where
from nlu.parts.places import Places, slot
from nlu.parts.targets import TARGETS
from nlu.text.canonical import Canonical

STATE, TEMPERATURE, LEVEL = "HassGetState", "HassClimateGetTemperature", "ReadLevel"
"""Intents of questions about the home."""
SENSORS = ("sensor", "binary_sensor")
ROBOTS = ("vacuum", "lawn_mower")
_OPENABLE = ("cover", "valve")
_OPENINGS = ("door", "window", "garage_door", "opening")
_LASTING = (
    *("light", "switch", "fan", "media_player", "climate", "humidifier", "input_boolean", "siren"),
    *("water_heater", "remote", "group", "automation", "script", "camera", "vacuum", "lawn_mower"),
)
"""Domains of what is on or off for a while."""
_MOST_NAMED = 3
"""Most devices that are asked about one by one."""
_POWERED = ("power", "running", "plug", "light")


def can_be(entity: Entity, state: str) -> bool:
    """Whether a device may be in a state, as people say it of such devices."""
    device_class = entity.fact("device_class")
    sensor = entity.domain == "binary_sensor"
    match state:
        case "on" | "off":
            return entity.domain in _LASTING or (sensor and device_class in _POWERED)
        case "running":
            powered = sensor and device_class in _POWERED
            return (entity.domain in _LASTING and entity.domain != "light") or powered
        case "open" | "closed" | "up" | "down":
            return entity.domain in _OPENABLE or (sensor and device_class in _OPENINGS)
        case "locked" | "unlocked":
            return entity.domain == "lock" or (sensor and device_class == "lock")
        case "playing" | "paused":
            return entity.domain == "media_player"
        case "cleaning" | "docked":
            return entity.domain == "vacuum"
        case "mowing":
            return entity.domain == "lawn_mower"
        case "stuck":
            return entity.domain in ROBOTS
        case "charging":
            return entity.domain == "vacuum" or device_class == "battery_charging"
        case "low":
            return device_class == "battery"
        case "home":
            return entity.domain in ("person", "device_tracker", "vacuum")
    return True


def is_of(entity: Entity, kind: Kind) -> bool:
    """Whether a device is of a kind, by its class or a word of its name."""
    if entity.domain not in kind.domains:
        return False
    own, name = entity.fact("device_class"), entity.name.casefold()
    return not kind.classes or any(own.startswith(c) or c in name for c in kind.classes)


def kind_slots(kind: Kind, state: str) -> tuple[Slot, ...]:
    """The slots of a kind: windows are covers, or sensors on them."""
    domains = kind.domains
    if state in ("locked", "unlocked") and "lock" in domains:
        return (slot("domain", "lock"),)
    domain = next((d for d in domains if d != "lock"), domains[0])
    if not kind.classes:
        return (slot("domain", domain),)
    return (slot("domain", domain), slot("device_class", kind.classes[0]))


def kind_of(entity: Entity) -> tuple[Slot, ...]:
    """The slots of a device's kind."""
    device_class = entity.fact("device_class")
    found = (slot("domain", entity.domain),)
    return (*found, slot("device_class", device_class)) if device_class else found


def state_as_said(state: str, before: Sequence[Entity]) -> str:
    """The state that was asked about as it is said: "on" of a sensor on a window is "open"."""
    classes = {e.fact("device_class") for e in before if e.domain == "binary_sensor"}
    if classes and classes <= set(_OPENINGS):
        return {"on": "open", "off": "closed"}.get(state, state)
    return state


def left_by(intent: str, domain: str) -> str:
    """The state that a command has left devices of a domain in; "" where it has none."""
    states = {"lock": ("locked", "unlocked"), "cover": ("open", "closed"), "": ("on", "off")}
    if intent not in ("HassTurnOn", "HassTurnOff") or domain in ("script", "scene"):
        return ""
    return states.get(domain, states[""])[intent == "HassTurnOff"]


def few(entities: Sequence[Entity]) -> bool:
    """Whether devices are asked about one by one."""
    return 0 < len(entities) <= _MOST_NAMED


def is_question(command: Command) -> bool:
    """Whether a command asks about the home."""
    return command.intent in (STATE, TEMPERATURE, LEVEL)


def question(intent: str, *slots: Slot) -> Command:
    """A question with these slots."""
    return Command(intent=intent, slots=slots)


def level_question(level: str, *slots: Slot) -> Command:
    """A question for a level; Home Assistant has an intent of its own for how warm it is."""
    if level == "temperature" and not any(s.name in ("value", "domain") for s in slots):
        return question(TEMPERATURE, *slots)
    return question(LEVEL, *slots, slot("level", level))


class Devices:
    """The devices of one home, heard in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self.places = Places(home, area)

    def targets_of(self, command: Command | None) -> tuple[Slot, ...] | None:
        """The slots of a command that name devices of this home; None where it names none."""
        if command is None:
            return None
        slots = tuple(s for s in command.slots if s.name in TARGETS)
        name = next((str(s.value) for s in slots if s.name == "name"), "")
        if not slots or (name and name != "all" and not self.entities_of(command)):
            return None
        return slots

    def entities_of(self, command: Command) -> list[Entity]:
        """The devices that a command names or, without a name, those of its kind and place."""
        values = {s.name: str(s.value) for s in command.slots if s.name in TARGETS}
        name = values.get("name", "").casefold()
        if name and name != "all":
            those = [e for e in self._home.entities if name in (e.name.casefold(), e.id)]
            return [e for e in those if e.domain == values.get("domain", e.domain)] or those
        return []

    def robots(self, command: Command | None) -> list[Entity]:
        """The robots that a command names or, without any in it, all of the home."""
        named = self.entities_of(command) if command is not None else []
        those = [e for e in named if e.domain in ROBOTS]
        return those or [e for e in self._home.entities if e.domain in ROBOTS]

    def any_in(self, entities: Sequence[Entity], where: Where | None) -> bool:
        """Whether any device may be in a place: one of no room may be anywhere."""
        return any(e.area is None or self.places.has(where, e) for e in entities)

    def one_of(self, said: Canonical, before: Sequence[Entity]) -> list[Entity]:
        """Others of the kind that was asked about: "the other one", "the kitchen one"."""
        words = [t.text for t in said.tokens if t.text not in english.AROUND_ONE]
        ones = {"1", "ones", "others", "other"} & {t.text for t in said.tokens}
        if not ones or not before:
            return []
        first = before[0]
        alike = [
            e
            for e in self._home.entities
            if e.domain == first.domain and e.fact("device_class") == first.fact("device_class")
        ]
        others = [e for e in alike if e not in before]
        if not words:
            return others if few(others) else []
        found = [e for e in alike if set(words) <= set(e.name.casefold().split())]
        return found if few(found) else []

    def outdoors(self, word: str, kind: Kind) -> list[Entity]:
        """Devices of a kind that are outside by their names: in the garden, or anywhere there."""
        words = english.OUTDOORS if word in english.ANY_OUTDOORS else {word}
        those = (e for e in self._home.entities if is_of(e, kind))
        return [e for e in those if words.intersection(e.name.casefold().split())]
