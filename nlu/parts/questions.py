"""Reads questions about the home: what state things are in, what a sensor notices, and how much.

As in commands, each word must be a part of the question, so that no other question is answered
than the one that was asked. What a question leaves out comes from the one before it: "and
upstairs", "and the back door", "the other one".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from assistant.core.messages import Command, Slot
from assistant.english.commands import states as english
from assistant.english.commands.kinds import KINDS, Kind
from assistant.english.commands.places import zone_of
from assistant.skill.home import Entity, Home
from nlu.parts.askable import (
    LEVEL,
    SENSORS,
    STATE,
    TEMPERATURE,
    Devices,
    can_be,
    few,
    is_of,
    is_question,
    kind_of,
    kind_slots,
    left_by,
    level_question,
    question,
    state_as_said,
)
from nlu.parts.chunks import Named, OfKind, Spoken, Unknown
from nlu.parts.composer import Composed
from nlu.parts.names import Where
from nlu.parts.places import slot
from nlu.parts.question_words import Asked, Partly, QuestionWords
from nlu.parts.targets import TARGETS
from nlu.text.canonical import Canonical, cuts, without_politeness

_UNKNOWN = 0.9
"""Confidence of an open question about what the home does not have: a document may tell."""
_CLOSING = ("lock", "cover")
"""Domains that Home Assistant's sentences give beside the name of a device."""
_POSITIONS = {"up": "open", "down": "closed"}
"""Where a blind is → the state that it is in there."""


class Questions:
    """Reads questions about one home, heard in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self._devices = Devices(home, area)
        self._words = QuestionWords(home, area)

    def __call__(
        self, said: Canonical, before: Sequence[Command] = (), strangers: bool = False
    ) -> list[Composed] | None:
        """The questions in a text after the commands `before` it; None where it is none.

        With `strangers`, a device or a room that the home does not have may be named.
        """
        for core in self._words.cores(without_politeness(said)):
            if commands := self._read(core, before, strangers):
                return [Composed(core, command) for command in commands]
            for end, start in cuts(core):
                whole = len(core.tokens)
                first = self._read(core.part(0, end), before, False)
                then = first and self._read(core.part(start, whole), first, False, joined=True)
                if first and then:
                    parts = ((0, end, first), (start, whole, then))
                    return [Composed(core.part(a, b), c) for a, b, cs in parts for c in cs]
        return None

    def _read(
        self,
        said: Canonical,
        before: Sequence[Command],
        strangers: bool,
        joined: bool = False,
    ) -> list[Command] | None:
        """The questions of a text that is no list; one `joined` to another may begin otherwise."""
        words = tuple(token.text for token in said.tokens)
        told = next((len(t) for t in english.TELLING if words[: len(t)] == t), 0)
        begins = any(words[:n] in english.BEGINNING for n in (1, 2))
        tag = next((len(t) for t in english.TAGS if words[-len(t) :] == t), 0) * (not begins)
        rest = said.part(told, len(words) - tag)
        if not rest.tokens:
            return None
        last = before[-1] if before else None
        participle = words[-1] in english.PARTICIPLES and words[0] not in english.COMMANDING
        asks = begins or joined or participle or bool(told or tag)
        asked = self._words(rest, strangers)
        if asks and asked is not None and words[:2] != ("are", "you"):
            asked = asked.with_implied_level()
            if asked.says_what:
                return self._answered(asked, last)
            if words[:3] in english.DONE_TOO and last is not None and not is_question(last):
                return self._done_too(asked, last)
            if not joined and self._is_status(asked, bool(told)):
                return self._status(asked)
        if last is not None and is_question(last) and not strangers:
            return self._continued(rest, asked, last)
        return None

    # ── one question ────────────────────────────────────────────────────────────────────────

    def _answered(self, asked: Asked, last: Command | None) -> list[Command] | None:
        if asked.where and asked.where.unknown and zone_of(asked.where.unknown):
            return None  # the weather elsewhere
        if asked.level == "battery" and asked.state == "low" and asked.who is None:
            battery = (slot("domain", "binary_sensor"), slot("device_class", "battery"))
            return [
                question(
                    STATE, *self._devices.places.slots(asked.where), slot("state", "low"), *battery
                )
            ]
        if asked.level == english.AMOUNT:
            return None
        if asked.level:
            return self._of_level(asked, last)
        if asked.outdoors:
            return self._of_outdoors(asked)
        if asked.sensed:
            return self._of_sensed(asked)
        return self._of_state(asked, last)

    def _of_sensed(self, asked: Asked) -> list[Command] | None:
        if asked.one:
            return None
        by_person = asked.sensed == "motion" and not {"motion", "movement"} & set(asked.words)
        if by_person and (asked.where is None or asked.who is not None):
            return None
        state = slot("state", "on")
        if isinstance(asked.who, Named | Partly):
            those = [e for e in asked.who.entities if e.fact("device_class") == asked.sensed]
            return [question(STATE, slot("name", e.name), state) for e in those] or None
        if asked.who is not None and not isinstance(asked.who, Spoken):
            return None
        classes = (slot("domain", "binary_sensor"), slot("device_class", asked.sensed))
        return [question(STATE, *self._devices.places.slots(asked.where), state, *classes)]

    def _of_state(self, asked: Asked, last: Command | None) -> list[Command] | None:
        if asked.value is not None or asked.one:
            return None
        if asked.state == "stuck" and not asked.names_anything:
            robots = self._devices.robots(last)
            return self._named(robots, "stuck", (slot("state", "stuck"),)) if few(robots) else None
        state = _POSITIONS.get(asked.state, asked.state)
        stated = (slot("state", state),) if state else ()
        place, any_in = self._devices.places.slots(asked.where), self._devices.any_in
        if asked.state in _POSITIONS and not asked.moves:
            return None
        match asked.who:
            case Named(entities) | Partly(_, entities) if not any_in(entities, asked.where):
                if {"or", "and"} & set(asked.words):
                    return None
                return [question(STATE, *place, *stated, slot("domain", entities[0].domain))]
            case Named(entities):
                return self._named(entities, asked.state, stated)
            case Partly(words, entities):
                those = [e for e in entities if can_be(e, asked.state)]
                if not those:
                    return self._unknown(words, asked, stated)
                return self._named(those, asked.state, stated) if few(those) else None
            case Unknown(words):
                return self._unknown(words, asked, stated)
            case Spoken():
                return self._spoken(asked, last, stated)
            case OfKind(kind, plural):
                return self._of_kind(kind, plural, asked, stated)
        if asked.state in ("charging", "low", "home", "docked", "mowing"):
            return None
        if asked.state in ("locked", "unlocked") and not place:
            return [question(STATE, slot("name", "all"), *stated, slot("domain", "lock"))]
        if place:
            there = [e for e in self._home.entities if self._devices.places.has(asked.where, e)]
            able = [e for e in there if can_be(e, asked.state)]
            if len(able) == 1 and asked.state in ("open", "closed"):
                return self._named(able, asked.state, stated)
            return [question(STATE, *place, *stated)]
        if not state or (asked.words[0] not in ("what", "which", "how") and not asked.everywhere):
            return None
        if asked.everywhere or asked.state in english.NOTABLE:
            return [question(STATE, slot("name", "all"), *stated)]
        return [question(STATE, *stated)] if english.LISTED & set(asked.words) else None

    def _of_outdoors(self, asked: Asked) -> list[Command] | None:
        """What is outside: what is called so, as no room is there."""
        sensor = Kind(("binary_sensor",), (asked.sensed,))
        kind = asked.who.kind if isinstance(asked.who, OfKind) else sensor if asked.sensed else None
        if kind is None:
            return None
        found = self._devices.outdoors(asked.outdoors, kind)
        state = slot("state", _POSITIONS.get(asked.state, asked.state) or "on")
        if few(found):
            return [question(STATE, slot("name", e.name), state) for e in found]
        noun = f"{asked.sensed} sensor" if asked.sensed else kind.domains[0].replace("_", " ")
        return [question(STATE, slot("name", f"{asked.outdoors} {noun}"), state)]

    def _unknown(self, words: str, asked: Asked, stated: tuple[Slot, ...]) -> list[Command] | None:
        """A device that the home does not have; what may be open elsewhere is no device."""
        clear = (asked.state in english.OF_DEVICES and "going" not in asked.words) or tuple(
            words.split()[-1:]
        ) in KINDS
        if not clear or asked.where is not None:
            return None
        unknown = question(STATE, slot("name", words), *stated)
        if asked.words[0] in english.OPEN:  # "what's the excess on it"
            unknown = msgspec.structs.replace(unknown, confidence=_UNKNOWN)
        return [unknown]

    def _named(
        self, entities: Sequence[Entity], state: str, stated: tuple[Slot, ...]
    ) -> list[Command]:
        """Devices by their names; of two with the same name, the one that can be in the state."""
        able = [e for e in entities if can_be(e, state)] or entities[:1]
        names = {e.name: e for e in reversed(able)}
        doubled = len({e.name for e in entities}) < len(entities)
        domains = {
            e.id: (slot("domain", e.domain),) for e in able if doubled or e.domain in _CLOSING
        }
        return [
            question(STATE, slot("name", n), *stated, *domains.get(e.id, ()))
            for n, e in reversed(names.items())
        ]

    def _of_kind(
        self, kind: Kind, plural: bool, asked: Asked, stated: tuple[Slot, ...]
    ) -> list[Command] | None:
        those = [e for e in self._home.entities if is_of(e, kind) and can_be(e, asked.state)]
        place = self._devices.places.slots(asked.where)
        near = [e for e in those if self._devices.places.has(asked.where, e)]
        if not kind.classes:
            domain = those[0].domain if those else kind.domains[0]
            return [question(STATE, *place, *stated, slot("domain", domain))]
        if not near and (place or not those):
            return [question(STATE, *place, *stated, *kind_slots(kind, asked.state))]
        if asked.where is None and not asked.everywhere and not plural:
            here = self._devices.places.here
            ours = [e for e in near if here is not None and e.area == here.id]
            near = ours if len(ours) == 1 else near
        of_class = [e for e in near if e.fact("device_class") in kind.classes]
        if len(near) == 1:
            return self._named(near, asked.state, stated)
        if of_class == near:
            return [question(STATE, *place, *stated, *kind_slots(kind, asked.state))]
        if {e.domain for e in near} == {"lock"}:
            return [question(STATE, *place, *stated, slot("domain", "lock"))]
        if not plural and few(near):
            return self._named(near, asked.state, stated)
        return [question(STATE, *place, *stated, *kind_slots(kind, asked.state))]

    def _spoken(
        self, asked: Asked, last: Command | None, stated: tuple[Slot, ...]
    ) -> list[Command] | None:
        targets = self._devices.targets_of(last)
        if targets is not None:
            return [question(STATE, *targets, *stated)]
        if asked.state in ("locked", "unlocked"):
            return [question(STATE, slot("name", "all"), *stated, slot("domain", "lock"))]
        return None

    # ── levels ──────────────────────────────────────────────────────────────────────────────

    def _of_level(self, asked: Asked, last: Command | None) -> list[Command] | None:
        level = asked.level
        if asked.sensed:  # "how warm is the water"
            return [question(LEVEL, slot("name", asked.sensed_word), slot("level", level))]
        if asked.outdoors:
            if asked.who is not None and not isinstance(asked.who, Spoken | Named):
                return None
            return [question(LEVEL, slot("level", level), slot("outdoors", True))]
        place = self._devices.places.slots(asked.where)
        value = (slot("value", asked.value),) if asked.value is not None else ()
        match asked.who:
            case Named(entities) | Partly(_, entities):
                return self._level_of(level, entities, value, isinstance(asked.who, Partly))
            case Unknown(words):
                if level not in english.OF_STRANGERS or "have" in asked.words:
                    return None
                unknown = question(LEVEL, slot("name", words), slot("level", level))
                return [msgspec.structs.replace(unknown, confidence=_UNKNOWN)]
            case Spoken():
                targets = self._devices.targets_of(last)
                if targets is not None and not (asked.where or level in english.OF_AIR):
                    return [level_question(level, *targets, *value)]
                if level not in (*english.PLACELESS_LEVELS, "target"):
                    return None
            case OfKind(kind):
                domains = tuple(d for d in kind.domains if d not in SENSORS)
                if level not in english.LEVELS_OF_DOMAIN.get(domains[0], ()):
                    return None
                those = [e for e in self._home.entities if is_of(e, kind)]
                near = [e for e in those if self._devices.places.has(asked.where, e)]
                if kind.classes and len(near) == 1:
                    return [level_question(level, slot("name", near[0].name), *value)]
                return [level_question(level, *place, *kind_slots(kind, ""), *value)]
            case None if level not in english.PLACELESS_LEVELS and not place:
                return [level_question(level, *value)] if level in english.OF_HOME else None
        if asked.everywhere and not place:
            return [question(LEVEL, slot("name", "all"), slot("level", level))]
        if level == "temperature":
            place = place or self._devices.places.slots(Where())
        return [level_question(level, *place, *value)]

    def _level_of(
        self, level: str, entities: Sequence[Entity], value: tuple[Slot, ...], partly: bool
    ) -> list[Command] | None:
        """The level of devices that are named; of two with one name, of the one that has it."""
        able = [e for e in entities if level in english.LEVELS_OF_DOMAIN.get(e.domain, ())]
        measuring = [e for e in entities if e.fact("device_class") == level]
        those = measuring or able or ([] if partly else entities[:1])
        if not those or not few(those):
            return None
        return [level_question(level, slot("name", e.name), *value) for e in those]

    # ── what is asked without a word for it ─────────────────────────────────────────────────

    def _is_status(self, asked: Asked, told: bool) -> bool:
        """Whether a question asks for the state of one thing: "how is the garage door"."""
        if isinstance(asked.who, OfKind) and asked.words[0] == "how":
            return True
        if not isinstance(asked.who, Named | Partly) or asked.where is not None or asked.outdoors:
            return False
        if all(entity.domain == "sensor" for entity in asked.who.entities):
            shown = asked.words[0] == "what" and asked.words[-1] in english.SHOWING
            left = asked.words[:2] in english.HOW_MUCH
            if shown or (left and english.NEEDING.isdisjoint(asked.words)):
                return True
        if isinstance(asked.who, Partly):
            return False
        if asked.who.entities[0].domain == "binary_sensor":
            return True
        status = asked.words[0] == "how" or {"status", "state"} & set(asked.words)
        sensor = asked.who.entities[0].domain in SENSORS and asked.words[0] == "what"
        return bool(status or sensor or told or asked.either)

    def _status(self, asked: Asked) -> list[Command] | None:
        if isinstance(asked.who, OfKind):
            return self._of_kind(asked.who.kind, asked.who.plural, asked, ())
        if isinstance(asked.who, Partly):
            return self._named(asked.who.entities, "", ()) if few(asked.who.entities) else None
        if not isinstance(asked.who, Named):
            return None
        sensor = asked.who.entities[0].domain == "binary_sensor"
        noticed = sensor and not asked.either and asked.words[0] not in ("what", "how")
        state = (slot("state", "on"),) if noticed else ()
        return [question(STATE, slot("name", asked.who.entities[0].name), *state)]

    def _done_too(self, asked: Asked, last: Command) -> list[Command] | None:
        """Whether something else is as the command before left what it was for."""
        before = self._devices.entities_of(last)
        domain = next((str(s.value) for s in last.slots if s.name == "domain"), "")
        state = left_by(last.intent, before[0].domain if before else domain)
        if isinstance(asked.who, Named | Partly):
            able = [e for e in asked.who.entities if state and can_be(e, state)]
            those = able or list(asked.who.entities)
            stated = (slot("state", state),) if able else ()
            return self._named(those, state, stated) if few(those) else None
        return self._of_state(replace(asked, state=state), last) if state else None

    def _continued(
        self, said: Canonical, asked: Asked | None, last: Command
    ) -> list[Command] | None:
        """The question before, about something else."""
        values = {s.name: s.value for s in last.slots}
        what = tuple(s for s in last.slots if s.name not in (*TARGETS, "outdoors"))
        before = self._devices.entities_of(last)
        if one := self._devices.one_of(said, before):
            return [question(last.intent, slot("name", e.name), *what) for e in one]
        if asked is None or asked.says_what or asked.value is not None:
            return None
        if not (asked.fillers <= english.CONTINUING and asked.names_anything):
            return None
        level = str(values.get("level", "temperature" if last.intent == TEMPERATURE else ""))
        if level:
            return self._of_level(replace(asked, level=level), last)
        if asked.outdoors:
            return None
        kind = tuple(s for s in last.slots if s.name in ("domain", "device_class"))
        if asked.who is None and asked.where is not None:
            if not kind and before:
                kind = kind_of(before[0])
            return [question(last.intent, *self._devices.places.slots(asked.where), *what, *kind)]
        if isinstance(asked.who, Named | OfKind | Partly):
            place = tuple(s for s in last.slots if s.name in ("area", "floor"))
            state = state_as_said(str(values.get("state", "")), before)
            commands = self._of_state(replace(asked, state=state), None) if state else None
            if commands and isinstance(asked.who, OfKind) and asked.where is None and place:
                return [question(c.intent, *c.slots, *place) for c in commands]
            if commands:
                return commands
            return self._status(asked) if isinstance(asked.who, Named) else None
        return None
