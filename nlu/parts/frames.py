"""What is to be done to what, how much and where: one frame for each command in a text.

Parts that one command lacks are taken from its neighbours: "the lamp and the fan off", "the kitchen
and the bedroom lights", "make the lamp red and half as bright".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from assistant.english.commands.kinds import KINDS
from assistant.english.commands.words import COMPARING, KEEPING, SAME, VERBS
from assistant.skill.values import Change
from nlu.discourse import clauses
from nlu.parts.chunks import (
    Act,
    Chunk,
    Every,
    InsteadOf,
    Joint,
    Level,
    MainLight,
    Named,
    OfKind,
    OneOf,
    Relative,
    Spoken,
    Unknown,
    Who,
)
from nlu.parts.names import Where
from nlu.text.canonical import Canonical

OPPOSITES = {"on": "off", "open": "close"}
"""Action → what is done to the device that another takes the place of; nothing is opened so."""
LOCKING = ("lock", "unlock")
"""Actions for doors that people name by their places alone: "lock the front and the back"."""
LOCKING_UP = "lock up"
"""Words for locking all doors."""
_MOVES = {"open": 1, "close": -1}
"""Action → 1 for up, -1 for down."""
_MINE = "my"
_TO = ("to", "at", "on")
"""Words before a level that is absolute, whatever else is said: "down to seventeen"."""


@dataclass(frozen=True)
class Frame:
    """The parts of one command; those that were not said are empty."""

    said: Canonical
    who: Who | None = None
    where: Where | None = None
    every: bool = False
    both: bool = False
    """Whether just two of them are meant, so those of one room."""
    reverse: bool = False
    """Whether the opposite is to be done: "instead of the lamp"."""
    one: bool = False
    """Whether it means one of the kind that was spoken of before."""
    other: bool = False
    """Whether it means another one than was spoken of before."""
    action: str = ""
    begins: bool = False
    """Whether the action is said before a level, so that it is no place: "on, at nineteen"."""
    levels: tuple[Level, ...] = ()
    relative: Relative | None = None
    than: Named | Spoken | None = None
    """The device that the change is compared with."""
    lent: Canonical | None = None
    """The words of another command that say what is to be done; None where its own do."""

    @property
    def says_what(self) -> bool:
        """Whether it says what to do."""
        return bool(self.action or self.levels or self.relative)

    @property
    def strange(self) -> bool:
        """Whether it names a device of a known kind, or a place, that the home does not have."""
        if self.where is not None and self.where.unknown:
            return True
        if not isinstance(self.who, Unknown):
            return False
        return self.locks_another or tuple(self.who.words.split()[-1:]) in KINDS

    @property
    def locks_another(self) -> bool:
        """Whether it names one more door to lock or unlock in words that no door has."""
        return isinstance(self.who, Unknown) and self.lent is not None and self.action in LOCKING

    @property
    def starts_anew(self) -> bool:
        """Whether it begins with a verb of its own, and is about devices that it names."""
        own = self.who is not None and not isinstance(self.who, Spoken)
        return own and self.said.tokens[0].text in VERBS

    @property
    def locks_up(self) -> bool:
        """Whether it means all doors by what to do alone: "everything off and lock up"."""
        return self.action == "lock" and LOCKING_UP in self.said.text

    @property
    def begun(self) -> bool:
        """Whether it has a verb that lacks its particle or its amount: "turn the lamp"."""
        words = {token.text for token in self.said.tokens}
        return not VERBS.isdisjoint(words) and SAME not in words

    @property
    def says_whom(self) -> bool:
        """Whether it says what to do it to."""
        return self.who is not None or self.where is not None or self.every

    def with_what_of(self, other: Frame) -> Frame:
        """The same devices with what another frame says is to be done."""
        return replace(
            self,
            action=other.action,
            begins=other.begins,
            levels=other.levels,
            relative=other.relative,
            lent=other.lent or other.said,
        )

    def reversed(self) -> Frame | None:
        """The same devices with the opposite action; None where there is none."""
        plain = self.action in OPPOSITES and not (self.levels or self.relative)
        return replace(self, action=OPPOSITES[self.action], lent=None) if plain else None

    def with_whom_of(self, other: Frame) -> Frame:
        """The same doings to the devices of another frame."""
        return replace(self, who=other.who, where=other.where, every=other.every, other=other.other)


def frames(said: Canonical, chunks: Sequence[Chunk]) -> list[Frame] | None:
    """The frames of a text that is divided into `chunks`; None where the parts contradict."""
    named = _with_kinds(said, chunks)
    if named is None:
        return None
    read = [_frame(said, segment) for segment in _segments(said, named)]
    if any(frame is None for frame in read):
        return None
    found = [frame for frame in read if frame is not None and (frame.says_what or frame.says_whom)]
    found = [f for f in found if f.says_what or f.said.tokens[0].text not in KEEPING]
    return _completed(_joined(found)) or None


def _with_kinds(said: Canonical, chunks: Sequence[Chunk]) -> list[Chunk] | None:
    """The chunks, where a kind behind a name is part of it: "the desk lamp light".

    None where it is of another kind: the TV light is neither the TV nor all lights.
    """
    found: list[Chunk] = []
    for chunk in chunks:
        last = found[-1] if found else None
        beside = last is not None and last.end == chunk.start and not said.paused(chunk.start)
        if beside and last and isinstance(last.part, Named) and isinstance(chunk.part, OfKind):
            if any(e.domain not in chunk.part.kind.domains for e in last.part.entities):
                return None
            found[-1] = Chunk(last.part, last.start, chunk.end, last.cost)
        else:
            found.append(chunk)
    return found


def _segments(said: Canonical, chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """The chunks of each command: a joint, a pause, or a new device begins another."""
    segments: list[list[Chunk]] = [[]]
    for chunk in chunks:
        paused = chunk.start > 0 and said.paused(chunk.start)
        compared = chunk.start > 0 and said.tokens[chunk.start - 1].text == COMPARING
        anew = not compared and _begins_anew(segments[-1], chunk)
        if isinstance(chunk.part, Joint | InsteadOf) or paused or anew:
            segments.append([])
        if not isinstance(chunk.part, Joint):
            segments[-1].append(chunk)
    return [segment for segment in segments if segment]


def _begins_anew(segment: Sequence[Chunk], chunk: Chunk) -> bool:
    """Whether a chunk cannot belong to a command that has its device and what to do already."""
    parts = [c.part for c in segment]
    whole = any(isinstance(p, Named | OfKind | MainLight) for p in parts) and any(
        isinstance(p, Act | Level | Relative) for p in parts
    )
    return whole and isinstance(chunk.part, Named | OfKind | MainLight)


def _frame(said: Canonical, segment: Sequence[Chunk]) -> Frame | None:
    part = said.part(segment[0].start, segment[-1].end)
    segment, than = _compared(said, _with_strange_kinds(said, segment))
    if any(_is_stated(said, chunk) for chunk in segment):
        return None
    whos = [c.part for c in segment if isinstance(c.part, Who)]
    named = [who for who in whos if not isinstance(who, Spoken)]
    wheres = list(dict.fromkeys(c.part for c in segment if isinstance(c.part, Where)))
    if len(wheres) > 1:  # "her lamp in the garden room"
        wheres = [where for where in wheres if not where.there]
    if len(named) > 1 or len(wheres) > 1:
        return None
    actions = list(dict.fromkeys(_actions(segment)))
    if len(actions) > 1:
        return None
    changes = [c.part for c in segment if isinstance(c.part, Relative)]
    if {change.way for change in changes} >= {1, -1}:
        return None  # "a little more less"
    relative = _merged(changes)
    action = actions[0] if actions else ""
    if relative is not None and relative.way == -_MOVES.get(action, 0) != 0:
        return None  # "shut them up"
    levels, relative = _amounts(said, segment, relative)
    if len({level.unit for level in levels}) < len(levels):
        return None
    return Frame(
        part,
        who=next(iter(named), whos[0] if whos else None),
        where=wheres[0] if wheres else None,
        every=any(isinstance(c.part, Every) for c in segment),
        both=any(isinstance(c.part, Every) and c.part.both for c in segment),
        reverse=any(isinstance(c.part, InsteadOf) for c in segment),
        one=any(isinstance(c.part, OneOf) for c in segment) and not named,
        other=any(isinstance(who, Spoken) and who.other for who in whos),
        action=action,
        begins=_begins(segment),
        levels=levels,
        relative=relative,
        than=than,
    )


def _begins(segment: Sequence[Chunk]) -> bool:
    """Whether an action is said before any level."""
    first = next((c.part for c in segment if isinstance(c.part, Act | Level)), None)
    return isinstance(first, Act)


def _compared(
    said: Canonical, segment: Sequence[Chunk]
) -> tuple[Sequence[Chunk], Named | Spoken | None]:
    """The chunks before what a change is compared with, and that: "dimmer than the other"."""
    for at, chunk in enumerate(segment[:-1]):
        than, more = segment[at + 1].part, segment[at + 2 :]
        other = isinstance(than, Named) or (isinstance(than, Spoken) and than.other)
        if said.tokens[chunk.start].text == COMPARING and other and not more:
            return segment[:at], than if isinstance(than, Named | Spoken) else None
    return segment, None


def _is_stated(said: Canonical, chunk: Chunk) -> bool:
    """Whether a level, or what a thing does, is only told: "it's bright enough"."""
    return (
        isinstance(chunk.part, Level | Act)
        and chunk.start > 0
        and said.tokens[chunk.start - 1].text in ("is", "are", "was")
    )


def _with_strange_kinds(said: Canonical, segment: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, where strange words before a kind belong to it: "the conservatory blinds"."""
    found: list[Chunk] = []
    for chunk in segment:
        last = found[-1] if found else None
        if last and isinstance(last.part, Unknown) and isinstance(chunk.part, OfKind):
            words = said.part(last.start, chunk.end).text
            found[-1] = Chunk(Unknown(words), last.start, chunk.end, last.cost)
        else:
            found.append(chunk)
    return found


def _actions(segment: Sequence[Chunk]) -> Iterable[str]:
    """What is to be done; an "on" before a place or a level is none where another is said."""
    said = [(c, c.part.action) for c in segment if isinstance(c.part, Act)]
    for chunk, action in said:
        after = next((c.part for c in segment if c.start == chunk.end), None)
        loose = chunk.end - chunk.start == 1 and isinstance(after, Where | Level)
        if not (loose and len(said) > 1 and action == "on"):
            yield action


def _merged(parts: Iterable[Relative]) -> Relative | None:
    """The one change that several words say: "a bit", "brighter"."""
    whole: Relative | None = None
    for part in parts:
        whole = whole or Relative()
        whole = Relative(
            change=whole.change or part.change,
            property=whole.property or part.property,
            way=whole.way or part.way,
            size=whole.size or part.size,
        )
    return whole


def _amounts(
    said: Canonical, segment: Sequence[Chunk], relative: Relative | None
) -> tuple[tuple[Level, ...], Relative | None]:
    """The absolute levels and the change: with "warmer", "two degrees" is how much."""
    levels = [c for c in segment if isinstance(c.part, Level)]
    if relative is None or not (relative.way or relative.change):
        return tuple(c.part for c in levels if isinstance(c.part, Level)), relative
    absolute, change = list[Level](), relative.change
    for chunk in levels:
        level = chunk.part
        if not isinstance(level, Level) or (level.value == "white" and relative.property):
            continue  # "a warmer white"
        word = said.tokens[chunk.start - 1].text if chunk.start else ""
        bound = (
            word in _TO
            or bool(relative.size)
            or (chunk.end - chunk.start == 1 and not _is_number(said, chunk))
        )
        if bound or level.unit == "colour" or change is not None:
            absolute.append(level)
        else:
            change = Change(relative.way or 1, float(level.value), level.unit)
    if change is not None and relative.way:
        change = msgspec.structs.replace(change, direction=relative.way)
    if absolute and change is None:
        return tuple(absolute), None
    what = "temperature" if change is not None and change.unit == "°" else ""
    return tuple(absolute), Relative(change, relative.property or what, relative.way, relative.size)


def _is_number(said: Canonical, chunk: Chunk) -> bool:
    return said.tokens[chunk.start].text.isdecimal()


def _joined(found: Sequence[Frame]) -> list[Frame]:
    """The frames, where what to do and to whom, said apart, are one: "every fan, off"."""
    joined: list[Frame] = []
    for frame in found:
        last = joined[-1] if joined else None
        if last and (told := _told_whose(last, frame)):
            joined[-1] = told
            continue
        apart = last and (last.says_what, last.says_whom) == (frame.says_whom, frame.says_what)
        if last and apart and last.says_what != last.says_whom:
            said = clauses.joined(last.said, frame.said)
            what, whom = (last, frame) if last.says_what else (frame, last)
            joined[-1] = replace(whom.with_what_of(what), said=said)
        else:
            joined.append(frame)
    return joined


def _told_whose(one: Frame, other: Frame) -> Frame | None:
    """A frame about one of "my" things, with the name that follows: "my lamp on, that's Dev's"."""
    if not (isinstance(one.who, OfKind) and isinstance(other.who, Named)) or other.says_what:
        return None
    kinds = {entity.domain for entity in other.who.entities}
    mine = _MINE in (token.text for token in one.said.tokens) and not one.who.plural
    if not mine or not kinds <= {*one.who.kind.domains}:
        return None
    between = one.said.source[one.said.tokens[-1].end : other.said.tokens[0].start]
    return None if "and" in between else replace(one, who=other.who)


def _completed(found: Sequence[Frame]) -> list[Frame]:
    """The frames, each with what it shares with its neighbours."""
    done: list[Frame] = []
    for at, frame in enumerate(found):
        before = done[-1] if done else None
        after = next((f for f in found[at + 1 :] if f.says_what), None)
        if not frame.says_what:
            source = next((f for f in reversed(done) if f.says_what), after)
            if source is after is not None and after.starts_anew:
                return []  # "telly, and turn the lamp down" says nothing of the telly
            frame = frame.with_what_of(source) if source else frame
            if frame.reverse:
                if (opposite := frame.reversed()) is None:
                    return []
                frame = opposite
            if isinstance(frame.who, Unknown) and not frame.locks_another:
                return []
        elif not frame.says_whom and before is not None and not frame.locks_up:
            if frame.action and before.action:  # "on and off"
                return []
            if not frame.action and not before.relative:
                units = {level.unit for level in frame.levels}  # "low, five percent" is five
                done[-1] = replace(
                    before,
                    said=clauses.joined(before.said, frame.said),
                    levels=(*(x for x in before.levels if x.unit not in units), *frame.levels),
                    relative=frame.relative,
                )
                continue
            frame = frame.with_whom_of(before)
        follower = found[at + 1] if at + 1 < len(found) else None
        bare = frame.who is None and not frame.every and frame.where is not None
        if bare and follower is not None and follower.who is not None and follower.where:
            frame = replace(frame, who=follower.who)
        done.append(frame)
    return done
