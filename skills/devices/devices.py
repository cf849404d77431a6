"""The home's devices: their state in SQLite, and what must be sent to the broker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from assistant.core.database import Database
from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeForecasts,
    HomeLists,
    HomeReceipt,
    HomeStates,
    ReportedAttributes,
    SlotValue,
)
from assistant.skill.home import Area, Entity, Floor, Home
from skills.countdown import Countdown
from skills.devices.answers import STATE, Answers
from skills.devices.ends import Ends
from skills.devices.forecasts import StoredForecasts
from skills.devices.outbox import Outbox, Row
from skills.devices.shared_lists import SharedLists
from skills.devices.wording import (
    failed_words,
    joined,
    unanswered_words,
    unsent_words,
    unsure_words,
)
from skills.rights.guard import Guard

FromBridge = HomeStates | HomeReceipt | HomeLists | HomeForecasts | DeviceChanged
AGAIN = "broker"
"""Utterance id of the commands that are sent because the broker may have missed them."""


def create_devices(database: Database) -> None:
    """Create the table of states; `untold`, which `create_outbox` replaces, marks what to send."""
    database.execute(
        "CREATE TABLE devices (entity_id TEXT PRIMARY KEY, state TEXT NOT NULL,"
        " untold INTEGER NOT NULL DEFAULT 0) STRICT"
    )


def create_attributes(database: Database) -> None:
    """Create the table of attributes that were set; `value` is JSON, null for a removed one."""
    database.execute(
        "CREATE TABLE device_attributes (entity_id TEXT NOT NULL, name TEXT NOT NULL,"
        " value TEXT NOT NULL, untold INTEGER NOT NULL DEFAULT 0,"
        " PRIMARY KEY (entity_id, name)) STRICT"
    )


def create_commands(database: Database) -> None:
    """Create the table of the last command, such as "next", that was sent to each device."""
    database.execute(
        "CREATE TABLE device_commands (entity_id TEXT PRIMARY KEY, command TEXT NOT NULL) STRICT"
    )


class Devices:
    """The `HomeControl` of the skills; what `ends` carry is also sent as a `HomeCommand`.

    `countdown` knows the time. `announce` keeps, within a transaction, what is to be said of
    commands that were not sent, or perhaps not. What `guard` does not allow raises `SkillError`.
    """

    def __init__(
        self,
        database: Database,
        home: Home,
        ends: Ends,
        countdown: Countdown,
        announce: Callable[[str], object],
        guard: Guard,
    ) -> None:
        self._database = database
        self._home = home
        self._ends = ends
        self._countdown = countdown
        self._announce, self._guard = announce, guard
        self._outbox = Outbox(database, self._told_lost)
        self._answers = Answers(database)
        self._forecasts = StoredForecasts(database, home.entities)
        named = {entity.id: entity.name for entity in home.entities if entity.domain == "todo"}
        self.lists = SharedLists(
            database, self._outbox, named, self._reaches, carried=ends.shares_lists
        )
        states = self._states()
        self.added = tuple(entity for entity in home.entities if entity.id not in states)
        """The devices that were not known before."""
        if self.added:
            with database.transaction():
                for entity in self.added:
                    self._write(entity.id, entity.state)
        self._watch: Callable[[str, str, str], object] = lambda *_: None

    def watch(self, changed: Callable[[str, str, str], object]) -> None:
        """Call `changed` with device, former and new state, within each transaction of a change."""
        self._watch = changed

    @property
    def floors(self) -> tuple[Floor, ...]:
        """Every floor."""
        return self._home.floors

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area."""
        return self._home.areas

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Every device with the state and the attributes it has now."""
        states, attributes = self._states(), self._attributes()
        return tuple(
            msgspec.structs.replace(
                entity,
                state=states[entity.id],
                attributes=_without_none(entity.attributes | attributes[entity.id]),
            )
            for entity in self._home.entities
        )

    def forecast(self, entity_id: str) -> tuple[ForecastDay, ...] | None:
        """The days that a weather device foretells; None while it cannot be reached."""
        carried = self._ends.carries(entity_id)
        return None if carried and not self._reaches(entity_id) else self._forecasts.of(entity_id)

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`; `commands` gives the message for the broker."""
        self._guard.check_device(entity_id, state)
        before = self._states().get(entity_id, state)
        self._write(entity_id, state)
        if before != state:
            self._watch(entity_id, before, state)
        if self._ends.carries(entity_id):
            self._outbox.change(entity_id, STATE)

    def set_attribute(self, entity_id: str, name: str, value: SlotValue) -> None:
        """Set an attribute of a device; `commands` gives the message for the broker."""
        self._guard.check_device(entity_id)
        text = msgspec.json.encode(value).decode()
        self._write_attribute(entity_id, name, text)
        carried = self._ends.carries(entity_id)
        if carried and value is None:
            self._outbox.withdraw(entity_id, name)
        elif carried:
            self._outbox.change(entity_id, name)

    def command(self, entity_id: str, command: str) -> bool:
        """Send a command; False while its end is away, as an old command must not be obeyed."""
        self._guard.check_device(entity_id)
        carried = self._ends.carries(entity_id)
        if carried and not self._reaches(entity_id):
            return False
        self._database.execute(
            "INSERT OR REPLACE INTO device_commands VALUES (?, ?)", entity_id, command
        )
        if carried:
            self._outbox.command(entity_id, command)
        return True

    def commands(self, utterance_id: str) -> Iterator[HomeCommand]:
        """What is to be sent to the broker now; after a start also what it may have missed."""
        rows = self._outbox.take(self._reaches) if self._ends.any else ()
        states, attributes = self._states(), self._attributes()
        changed: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if not row.command:
                changed[row.entity_id].append(row)
        for entity_id, changes in changed.items():
            names = {row.name for row in changes}
            for row in changes:
                ours = attributes[entity_id].get(row.name)
                wanted = states.get(entity_id, "") if row.name == STATE else ours
                self._answers.asked(entity_id, row.id, row.name, wanted)
            if self.lists.shares(entity_id):
                items = self.lists.wanted(entity_id, [row.name for row in changes])
                ids = tuple(row.id for row in changes)
                yield HomeCommand(
                    utterance_id=utterance_id, entity_id=entity_id, items=items, ids=ids
                )
                continue
            yield HomeCommand(
                utterance_id=utterance_id,
                entity_id=entity_id,
                state=states.get(entity_id, "") if STATE in names else "",
                attributes={
                    name: value
                    for name, value in sorted(attributes[entity_id].items())
                    if name in names
                },
                ids=tuple(row.id for row in changes),
            )
        for row in rows:
            if row.command:
                yield HomeCommand(
                    utterance_id=utterance_id,
                    entity_id=row.entity_id,
                    command=row.command,
                    given_at_s=self._countdown.at_s,
                    ids=(row.id,),
                )

    def give_up(self) -> None:
        """Announce what nobody has heard of in time, and what no device tells; before each turn."""
        self._ends.begin(self._countdown.at_s)
        self._outbox.give_up(self._countdown.at_s)
        if unanswered := self._answers.missing(self._countdown.at_s):
            with self._database.transaction():
                self._fall_back((question.entity_id, question.name) for question in unanswered)
                if named := self._named(dict.fromkeys(q.entity_id for q in unanswered)):
                    self._announce(unanswered_words(named))

    def left_over(self) -> Iterator[HomeCommand]:
        """What no turn has sent, or the broker may have missed."""
        yield from self.commands(AGAIN)

    def deadline_s(self) -> float | None:
        """When `give_up` must be called next; 0.0 while the time is not yet known."""
        dues_s = (self._outbox.deadline_s(), self._answers.deadline_s())
        return min((due_s for due_s in dues_s if due_s is not None), default=None)

    def told(self, message: FromBridge) -> None:
        """Note what the bridge tells, each message in one transaction."""
        match message:
            case HomeStates(states=states, attributes=attributes):
                self._reported(states, attributes)
            case HomeReceipt():
                self._outbox.received(message)
                self._answers.sent(message.sent, self._countdown.at_s)
            case HomeForecasts(forecasts=forecasts):
                self._forecasts.told(forecasts)
            case HomeLists(lists=lists):
                self.lists.told(lists)
            case DeviceChanged():
                if self._ends.told(message, self._countdown.at_s):
                    self._outbox.take_again()

    def _reported(
        self, states: Mapping[str, str], attributes: Mapping[str, ReportedAttributes]
    ) -> None:
        """Write what was told, but for what a person set and the broker has not acknowledged."""
        waiting = self._outbox.changes()
        ours = self._states()
        states = {e: s for e, s in states.items() if e in ours}
        changed = {e: s for e, s in states.items() if ours[e] != s and (e, STATE) not in waiting}
        differing = self._differing(attributes, waiting) if attributes else []
        news = self._answers.news(states, attributes)
        if not (changed or differing or any(news)):
            return
        with self._database.transaction():
            self._answers.told(*news)
            for entity_id, name, value in differing:
                self._write_attribute(entity_id, name, value)
            for entity_id, state in changed.items():
                self._write(entity_id, state)
                self._watch(entity_id, ours[entity_id], state)

    def _differing(
        self, attributes: Mapping[str, ReportedAttributes], waiting: set[tuple[str, str]]
    ) -> list[tuple[str, str, str | None]]:
        """Device, attribute and its value in JSON, where that has changed; None for no more."""
        ours = {entity.id for entity in self._home.entities}
        known: dict[str, dict[str, str]] = defaultdict(dict)
        for entity_id, name, value in self._database.execute(
            "SELECT entity_id, name, value FROM device_attributes"
        ):
            known[entity_id][name] = value
        found: list[tuple[str, str, str | None]] = []
        for entity_id in attributes.keys() & ours:
            told = {n: msgspec.json.encode(v).decode() for n, v in attributes[entity_id].items()}
            before = known[entity_id]
            for name in told.keys() | before.keys():
                if told.get(name) != before.get(name) and (entity_id, name) not in waiting:
                    found.append((entity_id, name, told.get(name)))
        return found

    def _fall_back(self, changes: Iterable[tuple[str, str]]) -> None:
        """Take it that devices are still as they told last, after changes that did not come."""
        states = self._states()
        for entity_id, name in changes:
            if name != STATE:
                if (level := self._answers.level(entity_id, name)) is not None:
                    self._write_attribute(entity_id, name, f"{level:g}")
                continue
            before, told = states.get(entity_id), self._answers.last(entity_id)
            if before is not None and told is not None and before != told:
                self._write(entity_id, told)
                self._watch(entity_id, before, told)

    def _named(self, entity_ids: Iterable[str]) -> list[Entity]:
        known = {entity.id: entity for entity in self._home.entities}
        return [known[entity_id] for entity_id in entity_ids if entity_id in known]

    def _reaches(self, entity_id: str) -> bool:
        """Whether the other end of a device is there; its bridge may have just begun."""
        return self._ends.reaches(entity_id, self._countdown.at_s)

    def _told_lost(
        self, unsent: Sequence[Row], unsure: Sequence[Row], failed: Sequence[Row]
    ) -> None:
        known = {entity.id: entity for entity in self._home.entities}
        sentences = [
            words(known[row.entity_id], row.command)
            for rows, words in ((unsent, unsent_words), (unsure, unsure_words))
            for row in rows
            if row.entity_id in known
        ]
        self._fall_back((row.entity_id, row.name) for row in failed if not row.command)
        if named := self._named(row.entity_id for row in failed):
            sentences.append(failed_words(named))
        if sentences:
            self._announce(joined(sentences))

    def _states(self) -> dict[str, str]:
        return dict(self._database.execute("SELECT entity_id, state FROM devices"))

    def _attributes(self) -> dict[str, dict[str, SlotValue]]:
        found: dict[str, dict[str, SlotValue]] = defaultdict(dict)
        for entity_id, name, value in self._database.execute(
            "SELECT entity_id, name, value FROM device_attributes"
        ):
            found[entity_id][name] = msgspec.json.decode(value)
        return found

    def _write_attribute(self, entity_id: str, name: str, value: str | None) -> None:
        if value is None:
            forget = "DELETE FROM device_attributes WHERE entity_id = ? AND name = ?"
            self._database.execute(forget, entity_id, name)
        else:
            keep = "INSERT OR REPLACE INTO device_attributes VALUES (?, ?, ?)"
            self._database.execute(keep, entity_id, name, value)

    def _write(self, entity_id: str, state: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO devices VALUES (?, ?)", entity_id, state)


def _without_none(attributes: dict[str, SlotValue]) -> dict[str, SlotValue]:
    return {name: value for name, value in attributes.items() if value is not None}
