"""What was said and done last, so that it can be repeated or taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

import msgspec

from assistant.core.database import Database
from assistant.core.errors import UNDECODABLE, SkillError
from assistant.skill.context import HomeControl, ListStore, Timer, Timers
from assistant.skill.reply import Reply, Undo
from skills.later.alarms import CANCEL, RESTORE, RING_IN, StoredAlarms
from skills.later.store import StoredPlans
from skills.rights.guard import Guard


class History:
    """The `Conversation` of the skills.

    The last act, and how it is taken back, are in `database`, within the turns that change them.
    What `guard` does not allow is not taken back. `others` are operations of an undo, beside those
    of the capabilities given here. `room` is the id of the area in which it all was said, "" for
    that of the device.
    """

    def __init__(
        self,
        database: Database,
        abilities: tuple[str, ...],
        timers: Timers,
        home: HomeControl,
        lists: ListStore,
        plans: StoredPlans,
        alarms: StoredAlarms,
        others: Mapping[str, Callable[[Undo], object]],
        guard: Guard,
        recording: Callable[[], bool] = lambda: False,
        room: str = "",
    ) -> None:
        self._database, self._guard, self._room = database, guard, room
        self._abilities, self._recording = abilities, recording
        self._last_reply = ""
        self._acted = False
        self._about: tuple[str, ...] = ()
        self._answered = False
        self._failed = False
        self._operations: dict[str, Callable[[Undo], object]] = {
            "timers.cancel": lambda undo: timers.cancel(undo.id),
            "timers.extend": lambda undo: _change(timers, undo),
            "timers.pause": lambda undo: _change(timers, undo),
            "timers.resume": lambda undo: _change(timers, undo),
            "timers.ring_in": lambda undo: _change(timers, undo),
            "timers.rename": lambda undo: timers.rename(undo.id, str(undo.value)),
            "timers.restore": lambda undo: timers.restore(_stored(undo)),
            "home.set": lambda undo: home.set_state(undo.id, str(undo.value)),
            "home.set_attribute": lambda undo: home.set_attribute(undo.id, undo.name, undo.value),
            "lists.remove": lambda undo: lists.remove(undo.id),
            "lists.set_done": lambda undo: lists.set_done(undo.id, bool(undo.value)),
            "lists.add": lambda undo: lists.add(undo.id, str(undo.value)),
            "lists.make": lambda undo: lists.make(undo.id),
            "lists.drop": lambda undo: lists.drop(undo.id),
            "plans.cancel": lambda undo: plans.remove(undo.id),
            "plans.restore": lambda undo: plans.restore(undo, guard),
            **dict.fromkeys((CANCEL, RESTORE, RING_IN), alarms.take_back),
            **others,
        }

    @property
    def last_reply(self) -> str:
        """The words of the reply before this one, "" when there was none."""
        return self._last_reply

    @property
    def acted(self) -> bool:
        """Whether the last reply reported something that was done."""
        return self._acted

    @property
    def about(self) -> tuple[str, ...]:
        """The ids of the things that were spoken of last."""
        return self._about

    @property
    def answered(self) -> bool:
        """Whether the last reply was left to the answers from documents."""
        return self._answered

    @property
    def failed(self) -> bool:
        """Whether nothing was done or told of what was said last."""
        return self._failed

    @property
    def last_act(self) -> str:
        """The words of the last reply that reported something that was done; "" for none."""
        return self._act().words

    @property
    def recorded(self) -> bool:
        """Whether what is said is recorded, as the user has agreed."""
        return self._recording()

    def leave(self) -> None:
        """Remember that the reply is left to the answers from documents."""
        self._answered = self._failed = True

    @property
    def abilities(self) -> tuple[str, ...]:
        """What each skill can do, as a phrase that fits "I can …"."""
        return self._abilities

    def keep(self, reply: Reply, intents: tuple[str, ...] = ()) -> None:
        """Keep what `intents` did, within its transaction, so that it can be taken back later."""
        undo = reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)
        self._write(_Act(words=reply.text, undo=undo, intents=intents))

    def remember(self, reply: Reply, acted: bool) -> None:
        """Remember a reply that was given.

        If nothing was done, the things spoken of stay in place.
        """
        self._last_reply, self._acted, self._answered = reply.text, acted, False
        if acted or reply.about:
            self._about = reply.about
        self._failed = not (acted or reply.done)

    @property
    def undoing(self) -> tuple[Undo, ...]:
        """What `undo` would do now."""
        return self._act().undo

    def undo(self, domains: Collection[str] = ()) -> bool:
        """Take the last action back; False when there is none that can be.

        Of what it did to devices of several kinds, only what it did to those of `domains`, if any.
        """
        act = self._act()
        if not act.undo:
            return False
        self._guard.check_intents(act.intents)
        those = tuple(step for step in act.undo if step.id.partition(".")[0] in domains)
        steps = those or act.undo
        left = tuple(step for step in act.undo if step not in steps)
        self._write(_Act(words=act.words, undo=left, intents=act.intents if left else ()))
        self.take_back(steps)
        return True

    def take_back(self, undo: Iterable[Undo]) -> None:
        """Take an action back, step by step."""
        for step in undo:
            if step.operation not in self._operations:
                known = ", ".join(self._operations)
                message = f'no capability can undo "{step.operation}"; there are {known}'
                raise SkillError("skill.undo", message)
            self._operations[step.operation](step)

    @contextmanager
    def speaking_of(self, about: tuple[str, ...]) -> Iterator[None]:
        """Let "them" stand for these things in the block."""
        before, self._about = self._about, about
        try:
            yield
        finally:
            self._about = before

    def _act(self) -> _Act:
        rows = self._database.execute("SELECT act FROM last_acts WHERE room = ?", self._room)
        try:
            return msgspec.json.decode(rows[0][0], type=_Act) if rows else _Act()
        except UNDECODABLE:  # a damaged row, or one of another version
            return _Act()

    def _write(self, act: _Act) -> None:
        text = msgspec.json.encode(act).decode()
        self._database.execute("INSERT OR REPLACE INTO last_acts VALUES (?, ?)", self._room, text)


class _Act(msgspec.Struct, frozen=True, kw_only=True):
    """The last act: the words that reported it, and the steps that take it back."""

    words: str = ""
    undo: tuple[Undo, ...] = ()
    intents: tuple[str, ...] = ()


def create_last_act(database: Database) -> None:
    """Create the table of the one last act, as JSON."""
    database.execute(
        "CREATE TABLE last_act (id INTEGER PRIMARY KEY CHECK (id = 1), act TEXT NOT NULL) STRICT"
    )


def create_last_acts(database: Database) -> None:
    """Create the table of the last act of each room in its place; "" is the device's own room."""
    database.execute("CREATE TABLE last_acts (room TEXT PRIMARY KEY, act TEXT NOT NULL) STRICT")
    database.execute("INSERT INTO last_acts SELECT '', act FROM last_act")
    database.execute("DROP TABLE last_act")


def _change(timers: Timers, undo: Undo) -> None:
    """Change a timer back, if it still runs."""
    if all(timer.id != undo.id for timer in timers.all()):
        return
    match undo.operation:
        case "timers.extend":
            timers.extend(undo.id, timedelta(seconds=float(undo.value or 0)))
        case "timers.ring_in":
            timers.ring_in(undo.id, str(undo.value))
        case "timers.pause":
            timers.pause(undo.id)
        case "timers.resume":
            timers.resume(undo.id)


def _stored(undo: Undo) -> Timer:
    return msgspec.json.decode(str(undo.value), type=Timer)
