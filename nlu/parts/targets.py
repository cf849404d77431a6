"""Which devices the parts of a command mean, as slots of Home Assistant's intents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.core.messages import Command, Slot
from assistant.english.commands.kinds import MAIN_NAMES, OF_PROPERTY, Kind
from assistant.english.stems import is_possessive
from assistant.skill.home import Entity, Home
from nlu.parts.chunks import MainLight, Named, OfKind, Spoken, Unknown
from nlu.parts.doings import DOINGS, LEVELS, OF_PLAYERS, able
from nlu.parts.frames import Frame
from nlu.parts.names import Where
from nlu.parts.places import Places, slot
from nlu.text.kinds import class_of, is_of

_MOVED = ("open", "closed")
"""States that a question asks for of what is opened and closed."""
_WARMTH = "HassClimateGetTemperature"
_OF_PLAYERS = ("HassSetVolumeRelative", "HassMediaPlayerMute", "HassMediaPlayerUnmute")
"""Intents that are about players, whether they name one or not."""
ASKING = ("HassGetState", "ReadLevel", _WARMTH)
"""Intents of questions whose answers name devices."""
_CLASSED = ("cover", "media_player")
"""Domains of which people name kinds: curtains, a radio."""
TARGETS = ("name", "area", "floor", "domain", "device_class")
"""Slots that say which devices are meant."""


@dataclass(frozen=True)
class Whom:
    """The devices that are meant: slots that name them, and the domains that they may have."""

    slots: tuple[Slot, ...]
    domains: tuple[str, ...]
    asked: bool = False
    """Whether they were asked about, so that those are meant that the reply named."""


class Targets:
    """Finds the devices of one home that are meant in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._home = home
        self._places = Places(home, area)

    @property
    def here(self) -> tuple[Slot, ...]:
        """The slot of the speaker's room; () where it is not known."""
        return self._places.slots(Where())

    def spoken_of(self, command: Command) -> Where | None:
        """The place that a command was about; None where it was about none."""
        return self._places.spoken_of(command)

    def of(
        self,
        frame: Frame,
        before: Sequence[Command],
        fits: Callable[[Frame, Whom], bool],
        kind: Sequence[str] = (),
    ) -> Iterator[Whom]:
        """The devices of a frame; several for "them".

        Without a word for them, those `before` are meant where the frame `fits` them.
        """
        if frame.other:
            if whom := self._other(frame, before):
                yield whom
            return
        match frame.who:
            case Named(entities, _, Kind() as of_kind) if self._are_elsewhere(entities, frame):
                yield from self._of_kind(of_kind, frame.every, frame)  # "the telly in the bedroom"
            case Named(entities, plural):
                yield from self._named(entities, replace(frame, every=frame.every or plural))
            case MainLight(named):
                yield from self._main(named, frame)
            case OfKind(of_kind) if frame.both and (pair := self._pair(of_kind, frame)):
                yield from pair
            case OfKind(of_kind, False) if (
                not frame.every
                and frame.where is None
                and (last := self._last_of(of_kind, before))
                and fits(frame, last)
            ):
                yield last
            case OfKind(of_kind, plural):
                yield from self._of_kind(of_kind, plural or frame.every, frame)
            case Unknown() if frame.locks_another and (others := self._other_locks(before)):
                yield Whom((slot("name", *others),), ("lock",))
            case Unknown(words):
                yield Whom((slot("name", words), *self._places.slots(frame.where)), ())
            case Spoken(other=False):
                spoken = [whom for c in before if (whom := self._spoken(c))]
                if spoken:
                    yield from spoken[-1:] if spoken[-1].asked else spoken
                elif whom := self._usual(frame, kind):
                    yield whom
            case None if (
                frame.where is None
                and not (frame.every or frame.locks_up)
                and before
                and (whom := self._spoken(before[-1]))
                and fits(frame, whom)
            ):
                yield whom
            case None if (
                frame.every
                and frame.where is None
                and before
                and (whom := self._spoken(before[-1]))
                and whom.asked
                and fits(frame, whom)
            ):
                yield whom
            case None:
                if frame.every and before and not (kind or frame.action in ("on", "off")):
                    kind = self.domains_of(before[-1])  # "both to full"
                if frame.both and not kind:  # the two of before, and never everything
                    yield from (w for c in before if len(before) == 2 and (w := self._spoken(c)))
                    return
                if whom := self._usual(frame, kind):
                    yield whom

    def _are_elsewhere(self, entities: Sequence[Entity], frame: Frame) -> bool:
        """Whether none of some devices is in the room or on the floor that was said."""
        where = frame.where
        said = where is not None and (where.area is not None or where.floor is not None)
        return said and not any(self._places.has(where, entity) for entity in entities)

    def _named(self, entities: Sequence[Entity], frame: Frame) -> list[Whom]:
        """Devices by their name; of several that share a part of theirs, those that are near."""
        names = list(dict.fromkeys(entity.name for entity in entities))
        if len(names) > 1:
            near = [e for e in entities if self._places.has(frame.where or Where(), e)]
            if near or frame.where is None:
                return self._one_of(near or entities, frame)
        domains = tuple(dict.fromkeys(entity.domain for entity in entities))
        return [Whom((slot("name", names[0]), *self._places.slots(frame.where)), domains)]

    def _one_of(self, entities: Sequence[Entity], frame: Frame) -> list[Whom]:
        """Devices of which one is meant, so that the user is asked which; or each of them."""
        domains = able(frame, [entity.domain for entity in entities])
        those = [entity for entity in entities if entity.domain in domains]
        if frame.every:
            return [Whom((slot("name", e.name),), (e.domain,)) for e in those]
        name = [slot("name", *dict.fromkeys(entity.name for entity in those))] if those else []
        return [Whom((one,), tuple(dict.fromkeys(domains))) for one in name]

    def _main(self, named: Sequence[Entity], frame: Frame) -> list[Whom]:
        """The light of a room that lights all of it: its only one, or what is called so."""
        where = frame.where or Where()
        room = where.area or self._places.here
        if room is None or where.floor is not None or where.unknown:
            return self._named(named, frame) if named else []
        lights = OF_PROPERTY["brightness"].domains
        there = [e for e in self._home.entities if e.domain in lights and e.area == room.id]
        called = [e for e in there if not MAIN_NAMES.isdisjoint(e.name.casefold().split())]
        of_room = [e for e in there if e.name.casefold().startswith(room.name.casefold())]
        for those in (there, called, of_room):
            if len(those) == 1:
                return self._one_of(those, frame)
        return self._one_of(there, frame)

    def _pair(self, kind: Kind, frame: Frame) -> list[Whom]:
        """The two of a kind that "both" means: all in the room, or those that belong to people."""
        where = frame.where or Where()
        near = [e for e in self._home.entities if is_of(e, kind)]
        near = [e for e in near if self._places.has(where, e)]
        owned = [e for e in near if any(map(is_possessive, e.name.casefold().split()))]
        pair = next((those for those in (near, owned) if len(those) == 2), [])
        return [Whom((slot("name", e.name),), (e.domain,)) for e in pair]

    def _of_kind(self, kind: Kind, every: bool, frame: Frame) -> list[Whom]:
        """A kind of devices by its domain, or the one device of it by its name."""
        domains = able(frame, kind.domains)
        if len(domains) == 1 and not kind.classes:
            if frame.every and not frame.both and frame.where is None:
                return [Whom((slot("name", "all"), slot("domain", domains[0])), domains)]
            where = frame.where or (Where() if frame.both else None)
            return [Whom((slot("domain", domains[0]), *self._places.slots(where)), domains)]
        those = [e for e in self._home.entities if e.domain in domains and is_of(e, kind)]
        if frame.where is not None and frame.where.unknown:
            return [Whom((slot("domain", domains[0]), *self._places.slots(frame.where)), domains)]
        near = [e for e in those if self._places.has(frame.where, e)]
        here = self._places.here
        if len(near) != 1 and not every:
            near = near or (those if frame.where is None else [])
            ours = [e for e in near if here is not None and e.area == here.id]
            near = ours if len(ours) == 1 else near
        if len(near) == 1:
            return [Whom((slot("name", near[0].name),), (near[0].domain,))]
        if not near and (frame.where is None or not domains):
            return []
        domain = near[0].domain if near else domains[0]
        where = frame.where or (Where() if frame.both else None)
        slots = (slot("domain", domain), *self._places.slots(where))
        if domain not in _CLASSED or not kind.classes:
            return [Whom(slots, (domain,))]
        ours = [e for e in near if here is not None and e.area == here.id and not frame.every]
        if frame.where is None and not frame.every:
            ours = ours or [e for e in near if self._places.is_on_floor(e)]
        classes = dict.fromkeys(class_of(e, kind) for e in ours or near) or (kind.classes[0],)
        return [Whom((*slots, slot("device_class", one)), (domain,)) for one in classes]

    def _last_of(self, kind: Kind, before: Sequence[Command]) -> Whom | None:
        """The device of a kind that the command before named; a light is that of the room."""
        names = {str(s.value) for c in before[-1:] for s in c.slots if s.name == "name"}
        those = [e for e in self._home.entities if e.name in names and is_of(e, kind)]
        named = len(those) == 1 and (those[0].domain != "light" or kind.classes)
        return Whom((slot("name", those[0].name),), (those[0].domain,)) if named else None

    def compared(self, frame: Frame) -> str | None:
        """The name of the device that a change is compared with; None where it is not clear."""
        if isinstance(frame.than, Named):
            return frame.than.entities[0].name if len(frame.than.entities) == 1 else None
        found = self.of(replace(frame, than=None, other=False), (), lambda *_: False)
        own = [Command(intent="", slots=whom.slots) for whom in found]
        other = self._other(frame, own)
        return str(other.slots[0].value) if other is not None else None

    def _other_locks(self, before: Sequence[Command]) -> list[str]:
        """The names of the locks that the commands before do not name, where there are several."""
        named = {str(s.value) for c in before for s in c.slots if s.name == "name"}
        others = [e.name for e in self._home.entities if e.domain == "lock" and e.name not in named]
        return others if len(others) > 1 else []

    def _other(self, frame: Frame, before: Sequence[Command]) -> Whom | None:
        """The one device of the same kind that was not spoken of; None where there is no one."""
        spoken = {str(s.value).casefold() for c in before for s in c.slots if s.name == "name"}
        those = [e for e in self._home.entities if {e.name.casefold(), e.id} & spoken]
        if not those:
            return None
        alike = [
            entity
            for entity in self._home.entities
            if entity not in those
            and entity.domain in {e.domain for e in those}
            and (frame.where is None or self._places.has(frame.where, entity))
        ]
        classed = [e for e in alike if e.fact("device_class") == those[-1].fact("device_class")]
        near = [e for e in classed or alike if e.area in {e.area for e in those}]
        found = near if len(near) == 1 else classed or alike
        return Whom((slot("name", found[0].name),), (found[0].domain,)) if len(found) == 1 else None

    def _usual(self, frame: Frame, kind: Sequence[str]) -> Whom | None:
        """The devices that are meant where only a place, or nothing, was said."""
        place = self._places.slots(frame.where)
        if (frame.every or frame.action == "lock") and frame.who is None:
            if frame.action in ("on", "off"):
                return Whom(place, ()) if place else Whom((slot("name", "all"),), ())
            doable = ("open", "close", "lock", "unlock")
            acting = able(frame, ("cover", "lock"))[:1] if frame.action in doable else ()
            kind = kind or acting
        if not kind:
            kind = self._implied(frame)
        if not kind:
            return None
        those = [
            e for e in self._home.entities if e.domain in kind and self._places.has(frame.where, e)
        ]
        if kind == ("lock",) and those and not place:  # "lock up"
            return Whom((slot("name", "all"), slot("domain", "lock")), ("lock",))
        if frame.where is not None and len(those) == 1 and kind != ("light",):
            return Whom((slot("name", those[0].name),), (those[0].domain,))
        return Whom((slot("domain", kind[0]), *place), tuple(kind))

    def _implied(self, frame: Frame) -> tuple[str, ...]:
        """The domains that what is to be done implies."""
        if frame.relative is not None and frame.relative.property:
            return OF_PROPERTY[frame.relative.property].domains[:1]
        units = {level.unit for level in frame.levels}
        if "colour" in units:
            return ("light",)
        if "°" in units:
            return ("climate",)
        if frame.action in OF_PLAYERS:
            return ("media_player",)
        if frame.where is not None and (frame.where.area or frame.where.floor):
            if frame.action in ("open", "close") or (frame.relative and frame.relative.way):
                return ("cover",)
            if frame.action in ("on", "off") or "%" in units:
                return ("light",)
        return ()

    def _spoken(self, command: Command) -> Whom | None:
        """The devices of a command before."""
        slots = tuple(s for s in command.slots if s.name in TARGETS)
        domains = self.domains_of(command)
        if not domains and any(s.name == "name" and s.value != "all" for s in slots):
            return None  # a timer, or something that the home does not have
        if domains and all(s.name in ("area", "floor") for s in slots):
            slots = (slot("domain", domains[0]), *slots)  # "it" is not all that is in the room
        unnamed = all(s.value == "all" for s in slots if s.name == "name")
        asked = (command.intent in ASKING or command.referring) and unnamed
        return Whom(slots, tuple(domains), asked) if slots else None

    def domains_of(self, command: Command) -> tuple[str, ...]:
        """The domains of a command's devices; () where they are not known."""
        values = {slot.name: str(slot.value) for slot in command.slots}
        if "name" in values and values["name"] != "all":
            name = values["name"].casefold()
            those = [e for e in self._home.entities if name in (e.name.casefold(), e.id)]
            return tuple(dict.fromkeys(e.domain for e in those))
        if "domain" in values:
            return (values["domain"],)
        if values.get("state") in _MOVED:
            return OF_PROPERTY["position"].domains
        if values.get("level") in OF_PROPERTY:
            return OF_PROPERTY[values["level"]].domains
        if values.get("level") == "target" or command.intent == _WARMTH:
            return OF_PROPERTY["temperature"].domains
        if command.intent in _OF_PLAYERS:
            return OF_PROPERTY["volume"].domains
        of_intent = next((p for p, (i, _) in LEVELS.items() if i == command.intent), "")
        if of_intent:
            return OF_PROPERTY[of_intent].domains
        for rows in DOINGS.values():
            for domains, intent in rows:
                if intent == command.intent and len(domains) == 1:
                    return domains
        return ()
