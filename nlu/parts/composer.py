"""Composes commands of Home Assistant's intents from the parts of a text and what came before it.

A grammar of parts, not of sentences: who, where, what to do and how much may stand in any order. It
reads a text only where each of its words is such a part, so that nothing that was said is dropped.
What a text leaves out comes from the commands before it: "and the fan", "a bit brighter", "no, the
bedroom".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import msgspec

from assistant.core.messages import Command, Slot
from assistant.english.commands.kinds import KINDS
from assistant.english.commands.needs import NEEDS, SOFTENING, TAGS
from assistant.english.commands.short_forms import NO_LABEL
from assistant.english.commands.words import (
    AT_ONCE,
    BE,
    COLOURED,
    EXPLAINING,
    HARDLY_CORRECTING,
    HERE,
    ONLY,
    QUESTIONS,
    SENDING,
    SUBJECTS,
    SUBJECTS_OF_BE,
)
from assistant.skill.home import Home
from assistant.skill.values import Change
from nlu.discourse import clauses
from nlu.discourse.modifiers import UNKNOWN
from nlu.parts.chunks import Chunker, Named, OfKind, Spoken, Unknown
from nlu.parts.commands import commands_for, plain
from nlu.parts.doings import OF_PLAYERS, PROPERTY_OF, SWITCHING, able, harmless
from nlu.parts.frames import Frame, frames
from nlu.parts.going_on import going_on
from nlu.parts.places import slot
from nlu.parts.routines import Routines
from nlu.parts.targets import ASKING, TARGETS, Targets, Whom
from nlu.text.canonical import Canonical, canonical, without_politeness

NAMED = "NameDevice"
"""The intent of a device that is only named."""
_CONFIDENCE = 0.9
_CLEAR = ("on", "off", "open", "close", "lock", "unlock", "start", "stop")
"""Actions of which the device that the home does not have is told."""


_OPENED = frozenset(("cover", "lock", "valve"))
"""Domains whose devices "on" opens or locks, for which there are words of their own."""

Strangers = Literal["", "kinds", "any"]


@dataclass(frozen=True)
class Composed:
    """One command, and the words that it was composed from."""

    said: Canonical
    command: Command
    doing: Canonical | None = None
    """The words that say what is to be done, where those are not its own."""


class Composer:
    """Composes the commands of texts for one home, heard in one room of it."""

    def __init__(self, home: Home, area: str = "") -> None:
        self._targets = Targets(home, area)
        self._chunker = Chunker(home, area)
        self.routine = Routines(self._chunker.names)
        """Reads what asks for a scene or a script by a part of its name."""

    def __call__(
        self,
        said: Canonical,
        before: Sequence[Command] = (),
        strangers: Strangers = "",
        follows: bool = True,
    ) -> list[Composed] | None:
        """The commands of a text after those `before` it; None where it is not read as a whole.

        Unless it `follows` them at once, what does not say what to do means none of them.

        With `strangers`, a device or a room that the home does not have may be named; with "kinds"
        only a device of a known kind, or a room.
        """
        made = self._explained(said, before, follows)
        made = made or self._read(said, before, strangers, follows)
        return made or self._repaired(said, before, follows)

    def _read(
        self, said: Canonical, before: Sequence[Command], strangers: Strangers, follows: bool
    ) -> list[Composed] | None:
        correcting, plain = clauses.correction(said)
        plain = without_politeness(plain)
        if at_once := _at_once(plain, before):
            return at_once
        if not plain.tokens or _asks(plain):
            return None
        chunks = self._chunker.chunks(plain, bool(strangers))
        read = frames(plain, chunks) if chunks else None
        if not read or (strangers == "kinds" and not any(frame.strange for frame in read)):
            return None
        if any(_asks(frame.said) for frame in read):
            return None
        if not follows and not read[0].says_what:
            return None  # "in here", after what was not understood
        if any(isinstance(f.who, Unknown) and f.action not in _CLEAR for f in read):
            return None  # "read me the recipe" is not about a light in red
        narrowing = any(not f.says_what for f in read) and not ONLY.isdisjoint(_words(said))
        composed: list[Composed] = []
        for frame in read:
            commands = self._composed(frame, before, correcting or narrowing)
            if commands is None:
                return None
            if before and frame.says_what and _words(said)[:1] == HARDLY_CORRECTING:
                commands = [self._corrects(command, before[-1]) for command in commands]
            doing = frame.lent if frame.says_what else frame.said.part(0, 0)
            composed += [Composed(frame.said, command, doing) for command in commands]
            before = commands or before
            correcting = narrowing = False  # "no, green, and turn off the fan"
        return list({one.command: one for one in composed}.values())

    def _repaired(
        self, said: Canonical, before: Sequence[Command], follows: bool
    ) -> list[Composed] | None:
        """The commands of a text whose end puts the rest right: "pink, no, blue"."""
        head, correction = clauses.repair(said) or (said, said.part(0, 0))
        slips = self._read(head, before, "", follows) if correction.tokens else None
        if not slips:
            return None
        meant = self._read(correction, [one.command for one in slips], "", True)
        alike = meant and [_form(one) for one in meant] == [_form(slips[-1])]
        return [*slips[:-1], *meant] if meant and alike else None

    def _explained(
        self, said: Canonical, before: Sequence[Command], follows: bool
    ) -> list[Composed] | None:
        """The commands of a text whose end says what it means: "cooler, the colour I mean"."""
        core = said.part(0, max(0, len(said.tokens) - 2))
        pauses = [at for at in range(1, len(core.tokens)) if core.paused(at)]
        if _words(said)[-2:] not in EXPLAINING or not pauses or clauses.correction(core)[0]:
            return None
        head, tail = core.part(0, pauses[-1]), core.part(pauses[-1], len(core.tokens))
        if COLOURED.issuperset(_words(tail)):
            return self._read(clauses.unpaused(core), before, "", follows)
        slips = self._read(head, before, "", follows)
        whole = (self._read(core, before, "", follows) if slips else None) or []
        meant = [one for one in whole if one.said.tokens[0].start >= tail.tokens[0].start]
        intents = {one.command.intent for one in slips or ()}
        alike = all(one.command.intent in intents for one in meant)
        return (meant or whole) if alike else None

    def _corrects(self, command: Command, last: Command) -> Command:
        """A command that corrects the last one only where it is about the same kind of devices."""
        alike = set(self._targets.domains_of(command)) & set(self._targets.domains_of(last))
        return msgspec.structs.replace(command, instead=command.instead and bool(alike))

    def need(self, said: Canonical) -> Command | None:
        """What would meet the need that a statement tells: "it's dark in here"; None for none."""
        plain = without_politeness(said)
        text = plain.text
        for tag in TAGS:
            text = text.removesuffix(f" {tag}")
        here = max((h for h in map(" ".join, HERE) if text.endswith(f" {h}")), key=len, default="")
        words = text.removesuffix(here).split()
        found = NEEDS.get(tuple(word for word in words if word not in SOFTENING))
        if found is None:
            return None
        ((what, way), slots) = found, self._targets.here
        change = (slot("level", what), slot("change", str(Change(way))))
        return Command(intent="AdjustDevice", slots=(*slots, *change), confidence=_CONFIDENCE)

    def named(self, text: str) -> Slot | None:
        """The one device that words name by a part of its name; None for none, or several."""
        entities = self._chunker.named(tuple(text.split()))
        return slot("name", entities[0].name) if len(entities) == 1 else None

    def alone(self, said: Canonical) -> Command | None:
        """The command to ask what to do with the one device that is all that a text names."""
        words = _words(without_politeness(said))
        if not words or (len(words) == 1 and not NO_LABEL.isdisjoint(words)):
            return None
        entities = self._chunker.named(words)
        who = Named(entities) if entities else OfKind(KINDS[words]) if words in KINDS else None
        whom = next(self._targets.of(Frame(said, who), (), self._fits), None) if who else None
        if whom is None or whom.slots[0].name != "name" or whom.slots[0].value == "all":
            return None
        return Command(intent=NAMED, slots=whom.slots[:1], confidence=_CONFIDENCE)

    def domains_of(self, command: Command) -> tuple[str, ...]:
        """The domains of the devices that a command is about; () for none."""
        return self._targets.domains_of(command)

    def named_domains(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """For each device, and each kind of devices, that words name: the domains it may have."""
        return self._chunker.named_domains(words)

    def may_except(self, command: Command) -> bool:
        """Whether the devices that a command excepts are known, and of the kinds it is about."""
        if any(slot.name == UNKNOWN for slot in command.excluded):
            return False
        kinds = set(self.domains_of(command))
        names = (str(slot.value) for slot in command.excluded if slot.name == "name")
        excepted = (self._chunker.named(tuple(canonical(name).text.split())) for name in names)
        return not kinds or all(any(e.domain in kinds for e in those) for those in excepted)

    def is_for_devices(self, command: Command) -> bool:
        """Whether a command does something to devices, be it to all of a place."""
        changes = command.intent not in (*ASKING, NAMED) and bool(command.slots)
        return changes and (bool(self.domains_of(command)) or command.intent in SWITCHING)

    def mention(self, said: Canonical) -> Composed | None:
        """The devices that a negated command names, with nothing to do; None for none."""
        bare = without_politeness(said)
        core = clauses.plain(bare)
        read = self._read(core, (), "", True) if len(core.tokens) < len(bare.tokens) else None
        slots = tuple(s for s in read[-1].command.slots if s.name in TARGETS) if read else ()
        if not slots:
            return None
        return Composed(said, Command(intent=NAMED, slots=slots, confidence=_CONFIDENCE))

    def harmless(self, command: Command) -> bool:
        """Whether a command is about devices, opens nothing, and is easily taken back."""
        return harmless(command.intent, self.domains_of(command))

    def mentions(self, words: Sequence[str]) -> bool:
        """Whether words name anything of the home, or an amount."""
        return self._chunker.mentions(words)

    def _composed(
        self, frame: Frame, before: Sequence[Command], correcting: bool
    ) -> list[Command] | None:
        """The commands of one frame; None where it means nothing here."""
        if not before and (frame.one or _is_bare_number(frame)):
            return None
        if frame.where is not None and frame.where.there:
            place = self._targets.spoken_of(before[-1]) if before else None
            if place is None:
                return None
            frame = replace(frame, where=place)
        if self._is_sent(frame):
            frame = replace(frame, action="round")
        if not frame.says_what:
            return self._redirected(frame, before, correcting)
        if (went_on := going_on(frame, before, self._targets)) is None:
            return None
        frame = went_on
        able_before = not before or able(frame, self._targets.domains_of(before[-1]))
        if frame.action in OF_PLAYERS and not frame.says_whom and not able_before:
            return None  # "carry on" is said to the timer
        kind = self._targets.domains_of(before[-1]) if frame.one else ()
        found = [
            msgspec.structs.replace(command, referring=whom.asked)
            for whom in self._targets.of(frame, before, self._fits, kind)
            for command in commands_for(frame, whom, self._targets)
        ]
        if not found:
            return None
        # A level of the same devices needs nothing taken back: "no, twenty". What the home does not
        # have takes the place of nothing.
        same = frame.levels and not frame.says_whom and not frame.action
        taken = correcting and not (same or isinstance(frame.who, Unknown))
        return [self._finished(command, taken) for command in found]

    def _is_sent(self, frame: Frame) -> bool:
        """Whether a robot is sent to a place by its name alone, or "off" by a verb for it."""
        if isinstance(frame.who, Named):
            domains = {entity.domain for entity in frame.who.entities}
        else:
            domains = set(frame.who.kind.domains) if isinstance(frame.who, OfKind) else set()
        off = frame.action == "off" and not SENDING.isdisjoint(_words(frame.said))
        return domains == {"vacuum"} and (off or (frame.where is not None and not frame.says_what))

    def _redirected(
        self, frame: Frame, before: Sequence[Command], correcting: bool
    ) -> list[Command] | None:
        """The command before, to other devices: "and the fan", "no, the bedroom"."""
        spoken = isinstance(frame.who, Spoken) and not frame.other
        if not before or not frame.says_whom or frame.begun or spoken:
            return None
        last = before[-1]
        if not any(slot.name in TARGETS for slot in last.slots):
            return None  # the time of a lamp
        what = tuple(slot for slot in last.slots if slot.name not in TARGETS)
        kind = self._targets.domains_of(last)
        if frame.who is None and not kind:
            return None
        whoms = [
            whom
            for whom in self._targets.of(frame, before, self._fits, kind)
            if _OPENED.intersection(whom.domains) <= {*kind}
        ]  # "curtains too", after a scene, opens nothing
        switched = last.intent in SWITCHING
        found = [
            Command(intent=last.intent, slots=(*whom.slots, *what))
            if switched
            else Command(intent=last.intent, slots=(*plain(whom, PROPERTY_OF.get(one)), *what))
            for whom in whoms
            for one in whom.domains[:1] or ("",)
            if switched or not (kind and whom.domains) or set(kind) & set(whom.domains)
        ]
        return [self._finished(command, correcting) for command in found] or None

    def _finished(self, command: Command, correcting: bool) -> Command:
        return Command(
            intent=command.intent,
            slots=command.slots,
            confidence=_CONFIDENCE,
            instead=correcting,
            referring=command.referring,
        )

    def _fits(self, frame: Frame, whom: Whom) -> bool:
        """Whether devices can do what a frame says."""
        return bool(list(commands_for(frame, whom, self._targets)))


def _form(one: Composed) -> tuple[str, ...]:
    """The intent of a command, and the names of its slots."""
    return one.command.intent, *(slot.name for slot in one.command.slots)


def _at_once(said: Canonical, before: Sequence[Command]) -> list[Composed]:
    """The commands before that were to be done later, where a text wants them done now."""
    if _words(said) not in AT_ONCE:
        return []
    put_off = (command for command in before if command.when is not None)
    return [
        Composed(said, msgspec.structs.replace(command, when=None, instead=True))
        for command in put_off
    ]


def _is_bare_number(frame: Frame) -> bool:
    """Whether a frame tells a number or a share, and neither what it is of nor what to do."""
    told = frame.action or frame.relative or frame.begun or frame.says_whom
    return bool(frame.levels) and not told and all(one.unit in ("", "%") for one in frame.levels)


def _asks(said: Canonical) -> bool:
    """Whether a text is a question: "the lamp, is it on"; "do pink" is none."""
    words = _words(said)
    first, second = (*words, "", "")[:2]
    inverted = any(a in BE and b in SUBJECTS_OF_BE for a, b in pairwise(words))
    return inverted or (first in QUESTIONS and not (first == "do" and second not in SUBJECTS))


def _words(said: Canonical) -> tuple[str, ...]:
    return tuple(token.text for token in said.tokens)
