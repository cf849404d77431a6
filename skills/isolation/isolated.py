"""A skill of somebody else, as the assistant sees it: its code runs in a process of its own.

It is confined there before a line of it is read (`skills.isolation.server`), and uses what the user
granted over a socket, call by call. What it does is as much a part of the turn as what any skill
does: when it crashes, hangs or breaks a rule, nothing of it stays.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from assistant.core.errors import AssistantError, SkillError
from assistant.skill import Cancelled, Context, Dialog, Request, Traits
from assistant.skill.events import Event, StateChanged
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest
from assistant.skill.reply import Ask, Choose, Confirm, Query, Reply
from assistant.skill.signature import described
from assistant.skill.storage import TableMigration, Tables
from skills.deadline import Overdue
from skills.isolation.capabilities import NETWORK, STORAGE, TABLES, carry_out
from skills.isolation.granted import Find, granted, while_loading
from skills.isolation.package import Package
from skills.isolation.permissions import Permissions
from skills.isolation.quarantine import Quarantine
from skills.isolation.sources import source
from skills.isolation.spawner import Running, Spawner
from skills.isolation.tables import AllowedTables, TableDatabase
from skills.isolation.wire import (
    CANCELLED,
    LARGEST_FROM_SKILL_BYTES,
    AskHolds,
    Asks,
    Begin,
    BrokenLineError,
    Continue,
    Drop,
    Failed,
    Fault,
    FromSkill,
    Handle,
    Handled,
    Held,
    Known,
    Line,
    Load,
    Loaded,
    Migrate,
    Migrated,
    RaisedThereError,
    Replied,
    Result,
    Source,
    ToSkill,
    Uses,
    Wants,
)
from skills.locale.sentences import with_locale

LOAD_S = 29.0
"""Seconds until the import of a skill is interrupted."""
LONGER_S = 0.5
"""How much longer is waited for a process to say so."""
MOVE_S = 2.8
"""Seconds from one message of a skill to the next."""
MOST_CALLS = 1000
"""Most calls of capabilities and imports from one message to the next."""
LONGEST_TEXT = 4000
"""Most characters that are said at once: four minutes of them."""


class IsolatedSkill:
    """Has the interface of `Skill` for the registry; raises `SkillError` where it cannot be loaded.

    Its process is started when it is first needed, and again after it has ended.
    """

    def __init__(
        self,
        package: Package,
        permissions: Permissions,
        given: Mapping[str, Any],
        spawner: Spawner,
        quarantine: Quarantine,
    ) -> None:
        self._package, self._permissions, self._given = package, permissions, dict(given)
        self._spawner, self._quarantine = spawner, quarantine
        self._numbers = itertools.count(1)
        self._running: Running | None = None
        self._line: Line | None = None
        self._until_s = 0.0
        self.name = ""
        self.migrations: tuple[TableMigration, ...] = ()
        loaded = self._start()
        if loaded.migrations:
            permissions.limited(STORAGE, None)  # which says what is lacking
        self.migrations = tuple(_Migration(name, self._migrate) for name in loaded.migrations)
        self._manifest, self.settings = loaded.manifest, loaded.settings
        self.bad_settings = loaded.bad_settings
        for subscription in self._manifest.subscriptions:
            permissions.check_trigger(subscription.trigger)
        if self._manifest.name != package.name:
            self._end()
            message = (
                f'its entry point is called "{package.name}", the skill "{self._manifest.name}"'
            )
            raise SkillError("skill.name", f"{package.folder}: {message}")
        self.name = package.name
        self._end()  # several of the daemon's processes read skills, and one runs them
        self._manifest = with_locale(self._manifest, package.folder, self._file)

    @property
    def reaches_out(self) -> bool:
        """Whether it may ask servers, where nothing is taken back."""
        return NETWORK in self._permissions.capabilities

    @property
    def pid(self) -> int | None:
        """The id of its process, while it runs."""
        return self._running.pid if self._running else None

    def manifest(self) -> SkillManifest:
        """What it claims to understand, as its own process told it."""
        return self._manifest

    def _file(self, path: Path) -> bytes | None:
        """A file of its folder, as its process would be given it."""
        return source(self._package, Wants(data=str(path.absolute()))).code

    def open_tables(self, file: Path | None, largest_bytes: int) -> TableDatabase:
        """Open the file of its tables, in a process of its own."""
        return TableDatabase(file, largest_bytes, self._spawner)

    def warm(self) -> None:
        """Start its process before it is needed."""
        if self._line is None and not self._quarantine.holds(self.name):
            self._start()

    def close(self) -> None:
        """End its process."""
        self._end()

    def untaken(self, request: Request) -> tuple[str, ...]:
        """The slots, and what else was added to a request, that its function cannot obey."""
        schemas = [schema for schema in self._manifest.schemas if schema.intent == request.intent]
        taken = {slot.name for schema in schemas for slot in schema.slots}
        taken.update(name for schema in schemas for name in schema.fixed)
        takes = next((schema.traits for schema in schemas), Traits()).takes
        added = {"excluded": bool(request.excluded), "when": request.when is not None}
        return (
            *(name for name, there in added.items() if there and name not in takes),
            *(s.name for s in request.slots if s.value is not None and s.name not in taken),
        )

    def holds(self, request: Request, context: Context) -> bool:
        """Whether a short form means the request that it was read as."""
        if self._quarantine.holds(self.name):
            return False
        asked = AskHolds(
            number=next(self._numbers), request=request, known=_known(request, context)
        )
        answer = self._exchange(asked, context, MOVE_S)
        return isinstance(answer, Held) and answer.holds

    def handle(self, key: str, event: Event, context: Context) -> None:
        """Tell its handler `key` of an event, if it may know of it."""
        if self._quarantine.holds(self.name):
            return
        if isinstance(event, StateChanged) and not self._permissions.allows_device(event.entity):
            return
        known = Known(now=context.now, area=context.area)
        number = next(self._numbers)
        told = Handle(number=number, key=key, event=event, known=known)
        if not isinstance(self._exchange(told, context, MOVE_S), Handled):
            raise self._broken("it answered something else")

    def call(self, request: Request, context: Context) -> Dialog:
        """Run the request's intent in its process; raises a `SkillError` that names the skill."""
        if self._quarantine.holds(self.name):
            return Reply(
                f"The skill {self.name} is switched off, since it failed several times.", done=False
            )
        number = next(self._numbers)
        begin = Begin(number=number, request=request, known=_known(request, context))
        answer = self._exchange(begin, context, MOVE_S)
        process = self._running
        while isinstance(answer, Asks):
            go_on = Continue(number=number, now=context.now, cancelled=True)
            try:
                value = yield _query(answer)
                go_on = Continue(number=number, now=context.now, value=value)
            except Cancelled:
                pass
            except GeneratorExit:
                if self._line is not None and self._running is process:
                    self._send(Drop(number=number))
                raise
            answer = self._exchange(go_on, context, MOVE_S)
        if not isinstance(answer, Replied) or answer.number != number:
            raise self._broken("it answered something else")
        if len(answer.reply.text) > LONGEST_TEXT:
            raise self._broken(f"its reply has {len(answer.reply.text)} characters")
        self._permissions.check(answer.reply, context.home)
        return answer.reply

    def _start(self) -> Loaded:
        """Start its process and have the skill loaded there."""
        self._running = self._spawner.start()
        self._line = Line(self._running.descriptor, FromSkill, LARGEST_FROM_SKILL_BYTES)
        package = self._package
        load = Load(
            module=package.module,
            attribute=package.attribute,
            where=str(package.folder / f"{package.module}.py"),
            within_s=LOAD_S,
            # Refused here, where the server is known, and not there.
            capabilities=(*self._permissions.capabilities, NETWORK),
            settings=self._given,
        )
        loaded = self._exchange(load, None, LOAD_S + LONGER_S)
        if not isinstance(loaded, Loaded):
            raise self._broken("it answered something else")
        return loaded

    def _started(self) -> Line:
        self._start()
        if self._line is None:
            raise self._broken("it has ended")
        return self._line

    def _exchange(self, message: ToSkill, context: Context | None, seconds: float) -> FromSkill:
        """Send a message, and serve what the skill uses and imports until it has answered."""
        self._until_s = until_s = time.monotonic() + seconds
        find = granted(context, self._permissions, self.name, until_s) if context else while_loading
        try:
            return self._served(message, find, until_s)
        except SkillError as error:
            if error.code == "skill.slow" and isinstance(error.__cause__, RaisedThereError):
                self._quarantine.strike(self.name)
            raise

    def _migrate(self, name: str, tables: Tables) -> None:
        """Have a migration run on these tables; the skill waits for a use of its tables."""

        def find(capability: str) -> Any:
            if capability != TABLES:
                raise SkillError("skill.permission", "a migration uses the tables alone")
            return AllowedTables(tables, self.name)

        if not isinstance(self._served(Migrate(name=name), find, self._until_s), Migrated):
            raise self._broken("it answered something else")

    def _served(self, message: ToSkill, find: Find, until_s: float) -> FromSkill:
        line = self._line or self._started()
        try:
            line.send(message, until_s)
            for _ in range(MOST_CALLS):
                answer: FromSkill = line.receive(until_s)
                if isinstance(answer, Wants):
                    line.send(self._source(answer), until_s)
                elif isinstance(answer, Uses):
                    line.send(self._used(answer, find), until_s)
                elif isinstance(answer, Failed):
                    if answer.code == CANCELLED:
                        raise Cancelled
                    raise self._failed(answer) from RaisedThereError(answer.told)
                else:
                    return answer
            raise BrokenLineError(f"it asks more than {MOST_CALLS} times for something")
        except BrokenLineError as error:
            raise self._broken(str(error), error.slow) from error
        except SkillError:
            raise
        except (AssistantError, Overdue):
            self._end()  # it waits for an answer that never comes
            raise

    def _source(self, wanted: Wants) -> Source:
        try:
            return source(self._package, wanted)
        except SkillError:
            self._end()  # it waits for an answer that never comes
            raise

    def _used(self, asked: Uses, find: Find) -> Result | Fault:
        try:
            target = find(asked.capability)
            value = carry_out(asked.capability, target, asked.operation, asked.arguments)
            return Result(value=value)
        except SkillError as error:
            if self._line is None:  # it was ended meanwhile
                raise
            return Fault(code=error.code, message=error.message)

    def _failed(self, failed: Failed) -> SkillError:
        """What its code raised."""
        if not self.name:
            self._end()
        return SkillError(failed.code, failed.message, self.name)

    def _send(self, message: ToSkill) -> None:
        try:
            if self._line is not None:
                self._line.send(message, time.monotonic() + MOVE_S)
        except BrokenLineError:
            self._end()

    def _broken(self, reason: str, slow: bool = False) -> SkillError:
        """Its process is ended, and that counts against it."""
        self._end()
        if self.name:
            self._quarantine.strike(self.name)
        what = f'skill "{self.name}"' if self.name else str(self._package.folder)
        return SkillError("skill.slow" if slow else "skill.crashed", f"{what}: {reason}", self.name)

    def _end(self) -> None:
        if self._running is not None:
            self._spawner.end(self._running)
        self._running = self._line = None


class _Migration:
    """A `TableMigration` whose code is in the skill's process."""

    def __init__(self, name: str, migrate: Callable[[str, Tables], None]) -> None:
        self.__name__, self._migrate = name, migrate

    def __call__(self, tables: Tables) -> None:
        self._migrate(self.__name__, tables)


def _known(request: Request, context: Context) -> Known:
    """What is told with a request: of the home only what it names."""
    values = {
        str(value).casefold() for slot in request.slots for value in (slot.value, *slot.others)
    }
    home = context.home
    named = Home(
        floors=tuple(x for x in home.floors if _is_named(x, values)),
        areas=tuple(x for x in home.areas if _is_named(x, values)),
        entities=tuple(x for x in home.entities if _is_named(x, values)),
    )
    return Known(now=context.now, area=context.area, named=named)


def _is_named(thing: Any, values: set[str]) -> bool:
    names = (thing.id, thing.name, *thing.aliases)
    return any(name.casefold() in values for name in names)


def _query(asked: Asks) -> Query:
    if asked.schema is not None:
        return Ask(asked.text, Annotated[Any, described(asked.schema)])
    return Confirm(asked.text) if asked.confirm else Choose(asked.text, asked.options)
