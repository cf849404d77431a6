"""What the framework hands to a skill's function: the request, and what it may do."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Protocol

import msgspec

from assistant.core.errors import SkillError
from assistant.core.home.forecast import ForecastDay
from assistant.core.home.music import Music
from assistant.core.messages import Command, Slot, SlotValue, When
from assistant.english.spoken import in_place, spoken
from assistant.skill.announcements import Announcements, DoNotDisturb, Priority
from assistant.skill.device import NO_DEVICE, Device
from assistant.skill.files import NO_FILES, Files
from assistant.skill.home import Area, Entity, Floor
from assistant.skill.log import SkillLog
from assistant.skill.network import Network
from assistant.skill.plans import Alarms, Calendar, Plans
from assistant.skill.reply import Dialog, Query, Reply, Undo
from assistant.skill.sensors.watch import NO_SENSORS, SensorWatch
from assistant.skill.storage import Storage, Tables

LONGEST_TIMER = timedelta(days=366)
MOST_TIMERS = 100


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What was said and understood: the words, the intent, its slots, its confidence."""

    utterance_id: str
    text: str
    intent: str
    slots: tuple[Slot, ...] = ()
    excluded: tuple[Slot, ...] = ()
    """What is excepted from its targets."""
    when: When | None = None
    """When to carry it out; None for now."""
    instead: bool = False
    """Whether what was done last is taken back first."""
    referring: bool = False
    """Whether those are meant that the last reply named, of all that the slots fit."""
    directions: tuple[str, ...] = ()
    """The directions that its words name, such as "on" or "unlock"."""
    confidence: float = 1.0
    alone: bool = False
    """For a short form: whether nothing else was surely understood."""

    def slot(self, name: str) -> Slot | None:
        """The slot as heard, with its raw words and confidence; None when it was not said."""
        return next((slot for slot in self.slots if slot.name == name), None)

    @classmethod
    def of(cls, command: Command, utterance_id: str, text: str, alone: bool = False) -> Request:
        """A command of an utterance, whose words are `text` where it has none of its own."""
        return cls(
            utterance_id=utterance_id,
            text=command.text or text,
            intent=command.intent,
            slots=command.slots,
            excluded=command.excluded,
            when=command.when,
            instead=command.instead,
            referring=command.referring,
            directions=command.directions,
            confidence=command.confidence,
            alone=alone,
        )

    def commands(self, name: str) -> tuple[Request, ...]:
        """The commands that the words of a slot are; see `Traits.names` and `Traits.commands`."""
        slot = self.slot(name)
        held = slot.commands if slot is not None else ()
        return tuple(Request.of(command, self.utterance_id, self.text) for command in held)


class Timer(msgspec.Struct, frozen=True, kw_only=True):
    """A running, paused or ringing timer; `remaining` is zero when it rings."""

    id: str
    name: str
    duration: timedelta
    remaining: timedelta
    paused: bool = False
    ringing: bool = False
    elapsed: timedelta = timedelta(0)
    """How long it has run, without its pauses."""
    place: int = 0
    """Its place among those that there are, in the order in which they were started, from 1."""
    area: str = ""
    """Id of the room that it is for, or where it was set; "" for none."""


class Timers(Protocol):
    """Timers that survive a restart of the process and a power cut."""

    def start(self, duration: timedelta, name: str = "", area: str = "") -> Timer:
        """Start a timer of more than zero seconds, in the room with the id `area`."""

    def all(self) -> tuple[Timer, ...]:
        """Every timer whose ring has not been heard, the next due first."""

    def cancel(self, timer_id: str) -> None:
        """Remove a timer, ringing or not."""

    def extend(self, timer_id: str, by: timedelta) -> Timer:
        """Move a timer's end by a positive or negative time; it never ends before now."""

    def rename(self, timer_id: str, name: str) -> None:
        """Give a timer another name; "" takes its name away."""

    def pause(self, timer_id: str) -> None:
        """Pause a timer."""

    def resume(self, timer_id: str) -> None:
        """Resume a paused timer."""

    def restore(self, timer: Timer) -> None:
        """Put back a timer, cancelled or changed since, with the time that it had left."""

    def ring_in(self, timer_id: str, area: str) -> None:
        """Let a timer ring in another room; one that rings, or has just rung, rings there now."""

    @property
    def last(self) -> Timer | None:
        """The timer that started, rang or was cancelled last; None for none so far."""

    @property
    def rung(self) -> Timer | None:
        """The timer that rings, or rang a few minutes ago at most; None for none."""


class HomeControl(Protocol):
    """The floors, areas and devices of the home, and their state."""

    @property
    def floors(self) -> tuple[Floor, ...]:
        """Every floor."""

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area."""

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Every device with the state and the attributes it has now: "on", "40%", "locked", …"""

    def forecast(self, entity_id: str) -> tuple[ForecastDay, ...] | None:
        """The days that a weather device foretells; None while it cannot be reached."""

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`."""

    def set_attribute(self, entity_id: str, name: str, value: SlotValue) -> None:
        """Set an attribute of a device, such as "position" or "color"; None removes it."""

    def command(self, entity_id: str, command: str) -> bool:
        """Send a device a command that is no state ("next"); False when it cannot be reached."""


class MusicNames(Protocol):
    """The names of the player's artists, albums, genres, playlists and titles."""

    def all(self) -> tuple[Music, ...]:
        """Everything that has a name: what is played by it is `Music.command`."""


class _NoMusic:
    def all(self) -> tuple[Music, ...]:
        return ()


NO_MUSIC: MusicNames = _NoMusic()
"""Those of a home without a player."""


class ListItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing on a list, checked off when `done`."""

    id: str
    list_id: str
    text: str
    done: bool = False


class ListStore(Protocol):
    """Shopping lists and other lists, which survive a restart of the process and a power cut."""

    @property
    def made(self) -> tuple[str, ...]:
        """The names of the lists that users made; the id of each is its name in lower case."""

    def make(self, name: str) -> None:
        """Make an empty list."""

    def drop(self, name: str) -> None:
        """Delete a list that was made, with what is on it."""

    def items(self, list_id: str) -> tuple[ListItem, ...]:
        """What is on a list, the oldest first, with what was checked off."""

    def is_current(self, list_id: str) -> bool:
        """Whether a list is known as it is now: one of Home Assistant may be out of reach.

        It is then as it was when it was last reached, and what is changed is passed on later.
        """

    def add(self, list_id: str, text: str) -> ListItem:
        """Put something at the end of a list."""

    def set_done(self, item_id: str, done: bool) -> None:
        """Check something off, or put it back."""

    def remove(self, item_id: str) -> None:
        """Remove something for good."""


class Conversation(Protocol):
    """What was said before, and what can be said."""

    @property
    def last_reply(self) -> str:
        """The words of the reply before this one, "" when there was none."""

    @property
    def acted(self) -> bool:
        """Whether the reply before this one reported something that was done."""

    @property
    def failed(self) -> bool:
        """Whether what was said before this led to nothing: it was declined, or not understood."""

    @property
    def last_act(self) -> str:
        """The words of the last reply that reported something that was done; "" for none."""

    @property
    def about(self) -> tuple[str, ...]:
        """The ids of the things that were spoken of last, which "it" may stand for."""

    @property
    def answered(self) -> bool:
        """Whether the last reply was left to the answers from documents."""

    @property
    def abilities(self) -> tuple[str, ...]:
        """What each skill can do, as a phrase that fits "I can …"."""

    @property
    def recorded(self) -> bool:
        """Whether what is said is recorded, as the user has agreed."""

    @property
    def undoing(self) -> tuple[Undo, ...]:
        """What `undo` would do now."""

    def undo(self) -> bool:
        """Take the last action back; False when there is none that can be."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the user answered to a question that a command asks."""

    question: str
    value: SlotValue


class KeptCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that is carried out whenever it is wanted."""

    title: str
    """What it does, as a phrase that fits "I will …"."""
    request: Request
    area: str = ""
    """Id of the area where it was said, whose "lights" it means; "" for none."""
    answers: tuple[Answer, ...] = ()
    """What was asked when it was tried; it is not asked again."""


class Commands(Protocol):
    """Commands of any skill, as the user gives them."""

    def tried(self, request: Request) -> Generator[Query, Any, KeptCommand | Reply]:
        """Try a command without a trace, asking what it asks, the PIN too.

        A Reply says why it cannot be kept.
        """

    def carry_out(self, kept: Sequence[KeptCommand], request: Request) -> Dialog:
        """Carry out commands, one after the other, in the name of who says `request`.

        Each means the devices of the room where it was tried, but the rights are those of the room
        where `request` is said, and a PIN is asked for. What cannot be done is told, and the rest
        done; at a "stop" the rest is left. The reply's undo takes back all of it.
        """


class _NoCommands:
    def tried(self, request: Request) -> Generator[Query, Any, KeptCommand | Reply]:
        raise SkillError("skill.commands", "no commands can be tried here")

    def carry_out(self, kept: Sequence[KeptCommand], request: Request) -> Dialog:
        raise SkillError("skill.commands", "no commands can be carried out here")


NO_COMMANDS: Commands = _NoCommands()
"""Those of a skill of others, which has none."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a skill may do and know; its capabilities are valid until the reply is given."""

    clock: Callable[[], datetime]
    timers: Timers
    home: HomeControl
    lists: ListStore
    plans: Plans
    alarms: Alarms
    calendar: Calendar
    conversation: Conversation
    storage: Storage
    tables: Tables
    announcements: Announcements
    do_not_disturb: DoNotDisturb
    network: Network
    log: SkillLog
    files: Files = NO_FILES
    music: MusicNames = NO_MUSIC
    commands: Commands = NO_COMMANDS
    device: Device = NO_DEVICE
    sensors: SensorWatch = NO_SENSORS
    settings: Any = None
    """The skill's `settings` Struct, as the settings file fills it; None where it has none."""
    area: Area | None = None
    peer: str = ""
    """Who speaks over the network, in no area; "" for the device itself."""

    @property
    def now(self) -> datetime:
        """The wall time, with its zone."""
        return self.clock()

    def announce(
        self,
        text: str,
        *,
        priority: Priority = "normal",
        at: datetime | None = None,
        after: timedelta | None = None,
        expires: timedelta | None = None,
        area: str = "",
    ) -> str:
        """Speak first: say `text` once nobody speaks any more, as `Announcements.announce` does."""
        return self.announcements.announce(
            text, priority=priority, at=at, after=after, expires=expires, area=area
        )

    @property
    def room(self) -> str:
        """The id of the area where it is said; "" for none."""
        return self.area.id if self.area is not None else ""

    def heard(self, area: str) -> str:
        """Where is heard now what is for the area of an id, in words: "here", "in the kitchen"."""
        there = self.announcements.heard_in(area)
        if not self.peer and there == self.announcements.heard_in(self.room):
            return "here"
        room = next((one for one in self.home.areas if one.id == there), None)
        return in_place(room.name) if room is not None else "at the base"

    def say(self, value: timedelta | datetime | date | time | Sequence[Any] | Any) -> str:
        """A value in spoken words: "5 minutes", "tomorrow at 6:30 pm", "eggs and milk"."""
        return spoken(value, self.now)
