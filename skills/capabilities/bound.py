"""What a skill has to itself beside what all share, and what of it an undo takes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.skill import Area, Context, Reply, Storage, Undo
from assistant.skill.announcements import DoNotDisturb
from assistant.skill.context import (
    Commands,
    Conversation,
    HomeControl,
    ListStore,
    MusicNames,
    Timers,
)
from assistant.skill.device import Device
from assistant.skill.log import SkillLog
from assistant.skill.plans import Alarms, Calendar, Plans
from assistant.skill.sensors.watch import SensorWatch
from assistant.skill.storage import TableMigration
from skills.announcements.waiting import SkillAnnouncements, Waiting
from skills.capabilities.network import BridgeNetwork
from skills.capabilities.tables import Opened, TableFiles
from skills.capabilities.values import RESTORE, SkillValues, restore
from skills.later.timing import Timing

NOBODY = "-"
"""Whose storage the context has that all skills share: each is given its own in its place."""
CANCEL = "announcements.cancel"
OWN = (RESTORE, CANCEL)
"""Operations of an undo that concern what one skill has to itself."""


class NamedUndo(Undo, frozen=True):
    """A step of another skill, which has its name already."""


class Owner(Protocol):
    """A skill that has something to itself."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def migrations(self) -> Sequence[TableMigration]:
        """The steps of the schema of its tables."""


@dataclass(frozen=True)
class Bound:
    """One skill's context for one call."""

    context: Context
    _skill: str
    _values: SkillValues
    _announcements: SkillAnnouncements

    def reply(self, reply: Reply) -> Reply:
        """The reply, whose undo also takes back what the skill changed of its own."""
        given = reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)
        made = (Undo(CANCEL, announcement_id) for announcement_id in self._announcements.made)
        own = (*given, *self._values.undo, *made)
        try:  # it is kept, and read again after a restart
            msgspec.convert(msgspec.to_builtins(own), tuple[Undo, ...])
        except (TypeError, msgspec.ValidationError) as error:
            told = f'skill "{self._skill}": an undo is no plain data'
            raise SkillError("skill.undo", told, self._skill) from error
        # The name is written here alone, so that no skill restores what another keeps.
        return msgspec.structs.replace(reply, undo=tuple(map(self._named, own)))

    def _named(self, undo: Undo) -> Undo:
        if undo.operation not in OWN or isinstance(undo, NamedUndo):
            return undo
        return msgspec.structs.replace(undo, name=self._skill)


class Capabilities:
    """Makes of the context that all skills share the one that a skill sees.

    `network` is the socket of the bridge; None where there is no network.
    """

    def __init__(
        self, database: Database, waiting: Waiting, timing: Timing, network: Path | None = None
    ) -> None:
        self._database, self._waiting, self._timing = database, waiting, timing
        self._network = network
        self._tables = TableFiles(database)

    def shared(
        self,
        *,
        clock: Callable[[], datetime],
        timers: Timers,
        home: HomeControl,
        lists: ListStore,
        plans: Plans,
        alarms: Alarms,
        calendar: Calendar,
        conversation: Conversation,
        do_not_disturb: DoNotDisturb,
        music: MusicNames,
        commands: Commands,
        device: Device,
        sensors: SensorWatch,
        area: Area | None,
        peer: str,
    ) -> Context:
        """The context that all skills share, of which `bound` makes that of one."""
        return Context(
            clock=clock,
            timers=timers,
            home=home,
            lists=lists,
            plans=plans,
            alarms=alarms,
            calendar=calendar,
            conversation=conversation,
            do_not_disturb=do_not_disturb,
            music=music,
            commands=commands,
            device=device,
            sensors=sensors,
            area=area,
            peer=peer,
            storage=Storage(SkillValues(self._database, NOBODY)),
            tables=self._tables.of(NOBODY, ()),
            announcements=SkillAnnouncements(self._waiting, self._timing, NOBODY),
            network=BridgeNetwork(None, NOBODY),
            log=SkillLog(NOBODY),
        )

    def bound(
        self,
        skill: Owner,
        shared: Context,
        settings: Any,
        asks: bool = False,
        opened: Opened | None = None,
    ) -> Bound:
        """The context of a skill; what one that only asks keeps counts as no act.

        `opened` opens the file of its tables, if that is not done in this process.
        """
        values = SkillValues(self._database, skill.name, acts=not asks)
        here = shared.area.id if shared.area is not None else ""
        announcements = SkillAnnouncements(self._waiting, self._timing, skill.name, here)
        context = replace(
            shared,
            storage=Storage(values),
            tables=self._tables.of(skill.name, skill.migrations, not asks, opened),
            announcements=announcements,
            network=BridgeNetwork(self._network, skill.name),
            log=SkillLog(skill.name),
            settings=settings,
        )
        return Bound(context, skill.name, values, announcements)

    def take_back(self, undo: Undo) -> None:
        """Take back what a skill did to its own, as its `Bound` has written it."""
        if undo.operation == RESTORE:
            restore(self._database, undo)
        else:
            SkillAnnouncements(self._waiting, self._timing, undo.name).cancel(undo.id)
