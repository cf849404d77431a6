"""The skills in memory that nobody kills, beside which those that are killed must stand.

A twin carries out each step as they do, and notes every state that it goes through.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from assistant.core.database import Database
from assistant.core.messages import (
    HomeCommand,
    HomeReceipt,
    Message,
    PlaybackEnded,
    SlotValue,
    SpokenReply,
)
from assistant.skill.home import Entity, Home
from benchmarks.endurance.state_steps import BEGAN, Step
from skills.registry import Registry
from skills.stage import SkillsStage
from skills.state import open_state

BOOT = "the only boot"
HOME = Home(
    entities=(
        Entity(name="Lamp", id="light.lamp", state="on"),
        Entity(
            name="Boiler",
            id="climate.boiler",
            state="heat",
            attributes={"temperature": 20, "min_temp": -1e6, "max_temp": 1e6},
        ),
        Entity(name="Radio", id="media_player.radio", state="playing"),
    )
)
KEPT = (
    "SELECT utterance_id FROM acted ORDER BY rowid",
    "SELECT * FROM timers ORDER BY rowid",
    "SELECT * FROM list_items ORDER BY number",
    "SELECT * FROM devices ORDER BY entity_id",
    "SELECT * FROM device_attributes ORDER BY entity_id, name",
    "SELECT * FROM device_commands ORDER BY entity_id",
    "SELECT * FROM plans ORDER BY rowid",
    "SELECT * FROM alarms ORDER BY rowid",
    "SELECT * FROM plan_reports ORDER BY rowid",
    "SELECT * FROM last_acts",
)
"""What is compared. What was sent to devices, and when, depends on the kills."""
_LEFT_OUT = re.compile(r'[0-9a-f]{32}|"about":\[[^]]*\]')
"""Ids, which are random, and what was spoken of last, which is only in memory."""


def kept(database: Database) -> str:
    """What is on the disk, as text."""
    return _LEFT_OUT.sub("#", repr([database.execute(query) for query in KEPT]))


def stage_on(database: Database, registry: Registry, now: Callable[[], datetime]) -> SkillsStage:
    """The skills on a database."""
    return SkillsStage(registry, database, HOME, lambda *_: None, now, BOOT, broker=True)


class Clock:
    """The wall clock, which goes by the time of the messages."""

    def __init__(self, at_s: float) -> None:
        self.at_s = at_s

    def now(self) -> datetime:
        """The present."""
        return BEGAN + timedelta(seconds=self.at_s)


class Twin:
    """The same skills in memory; `states` are those that they went through in this step."""

    def __init__(self, registry: Registry) -> None:
        self._clock = Clock(0.0)
        self.database = open_state(None)
        self._stage = stage_on(self.database, registry, self._clock.now)
        self.told: dict[tuple[str, str], SlotValue] = {}
        """Device, and the name of an attribute or "" → what it was told last."""
        self.states: list[str] = []
        self.by_reply: dict[tuple[str, str], int] = {}
        """Reply → the state that was reached when it was given."""
        self.by_message: list[int] = []
        """The state that was reached after each message of the step."""
        self.by_ending: dict[tuple[str, str], int] = {}
        """Reply to be played once → the state that was reached after its end."""

    def carry_out(self, step: Step) -> None:
        """Carry out a step, with everything that is played in it."""
        self.states = [kept(self.database)]
        self.by_reply, self.by_message, self.by_ending = {}, [], {}
        played: list[SpokenReply] = []
        for message in step.messages:
            played += self._fed(message)
            self.by_message.append(len(self.states) - 1)
        for reply in played:
            self._fed(ended(reply, step.at_s))
            self.by_ending[key_of(reply)] = len(self.states) - 1

    def _fed(self, message: Message) -> list[SpokenReply]:
        self._clock.at_s = message.at_s
        once, receipts = [], []
        with self._noting():
            for given in self._stage.feed(message):
                self._note()
                if isinstance(given, SpokenReply):
                    self.by_reply.setdefault(key_of(given), len(self.states) - 1)
                    once += [given] * given.once
                if isinstance(given, HomeCommand):
                    self.told |= changes_of(given)
                    receipts.append(HomeReceipt(sent=given.ids, at_s=message.at_s))
            for receipt in receipts:
                deque(self._stage.feed(receipt), maxlen=0)
        self._note()
        return once

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note the state after each transaction of the block."""
        transaction = self.database.transaction

        @contextmanager
        def noted() -> Iterator[None]:
            with transaction():
                yield
            self._note()

        self.database.transaction = noted  # type: ignore[method-assign]
        try:
            yield
        finally:
            self.database.transaction = transaction  # type: ignore[method-assign]

    def _note(self) -> None:
        if (state := kept(self.database)) != self.states[-1]:
            self.states.append(state)


def key_of(reply: SpokenReply) -> tuple[str, str]:
    """By what a reply is known to both twins."""
    return _LEFT_OUT.sub("#", reply.utterance_id), reply.text


def changes_of(command: HomeCommand) -> dict[tuple[str, str], SlotValue]:
    """Device, and the name of an attribute or "" for the state → what it is told."""
    changes = {"": command.state} if command.state else {}
    return {(command.entity_id, name): v for name, v in (changes | command.attributes).items()}


def ended(reply: SpokenReply, at_s: float) -> PlaybackEnded:
    """The report that a reply was played."""
    return PlaybackEnded(utterance_id=reply.utterance_id, at_s=at_s)
