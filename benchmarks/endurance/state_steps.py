"""The steps of an attack on the skills: commands as their listener sends them, and time that goes.

A step is drawn from its number and from what is kept, so that a journal need only count them.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import msgspec

from assistant.core.database import Database
from assistant.core.messages import (
    Command,
    Commit,
    DeviceChanged,
    Interpretation,
    Message,
    Slot,
    SlotValue,
    Tick,
    When,
)

BEGAN = datetime(2026, 1, 5, 18, 30, tzinfo=UTC)
"""What the wall clock shows when the time is 0."""
BETWEEN_S = 0.5
"""Seconds from one step to the next."""
PASSES_S = 20.0
"""Seconds that pass in a step of their own."""
WAITS_S = (5, 120)
MOST_TIMERS, MOST_ITEMS, MOST_PLANS, MOST_ALARMS = 8, 12, 8, 8
"""Most of each; one is taken away where there are so many."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What happens at `at_s`: one command, or only that time has passed."""

    number: int
    kind: str
    at_s: float
    messages: tuple[Message, ...]

    def __str__(self) -> str:
        return f"step {self.number} ({self.kind})"


class Steps:
    """The steps in their order; `database` holds what those before have done."""

    def __init__(self, seed: int, database: Database) -> None:
        self._seed, self._database = seed, database
        self._at_s = 1000.0
        self._undoable = False
        self.number = 0

    def next(self) -> Step:
        """The step that follows; all before it have been carried out on the database."""
        self.number += 1
        chance = random.Random(f"{self._seed} step {self.number}")
        kind = chance.choice(self._kinds())
        self._at_s += PASSES_S if kind == "time" else BETWEEN_S
        self._undoable = kind in ("timer", "item", "warmer", "light")
        return Step(
            number=self.number, kind=kind, at_s=self._at_s, messages=self._messages(kind, chance)
        )

    def _kinds(self) -> tuple[str, ...]:
        counts = (
            *(("timers", MOST_TIMERS), ("list_items", MOST_ITEMS), ("plans", MOST_PLANS)),
            ("alarms", MOST_ALARMS),
        )
        full = [self._count(table) >= most for table, most in counts]
        if full[1]:
            return ("done item",)
        return (
            *(() if full[0] or full[2] else ("timer", "timer", "plan")),
            *(() if full[3] else ("reminder",)),
            *("time", "time", "item", "warmer", "light", "next"),
            *(("undo", "undo") if self._undoable else ()),
        )

    def _count(self, table: str) -> int:
        where = " WHERE done = 0" if table == "list_items" else ""
        ((count,),) = self._database.execute(f"SELECT count(*) FROM {table}{where}")  # noqa: S608
        return int(count)

    def _messages(self, kind: str, chance: random.Random) -> tuple[Message, ...]:
        there = DeviceChanged(device="broker", present=True, at_s=self._at_s)
        if kind == "time":
            return there, Tick(at_s=self._at_s)
        name = f"u{self.number}"
        said = Interpretation(
            utterance_id=name,
            revision=1,
            text=kind,
            commands=(self._command(kind, chance),),
            at_s=self._at_s,
        )
        return there, said, Commit(utterance_id=name, revision=1, at_s=self._at_s)

    def _command(self, kind: str, chance: random.Random) -> Command:
        wait_s = chance.randint(*WAITS_S)
        warmer = _command("AdjustDevice", name="Boiler", level="temperature", change="+1 °")
        match kind:
            case "timer":
                return _command("HassStartTimer", duration=wait_s, name=f"number {self.number}")
            case "reminder":
                rings = BEGAN + timedelta(seconds=self._at_s + wait_s)
                return _command("SetReminder", moment=rings.isoformat(), what=f"call {self.number}")
            case "item":
                return _command("HassShoppingListAddItem", item=f"thing {self.number}")
            case "done item":
                ((item,),) = self._database.execute(
                    "SELECT text FROM list_items WHERE done = 0 ORDER BY number LIMIT 1"
                )
                return _command("HassShoppingListCompleteItem", item=item)
            case "warmer":
                return warmer
            case "light":
                return _command("HassLightSet", name="Lamp", brightness=1 + self.number % 99)
            case "next":
                return _command("HassMediaNext", name="Radio")
            case "plan":
                when = When(kind="in", said=f"in {wait_s} seconds", value=wait_s)
                return msgspec.structs.replace(warmer, when=when)
        return _command("Undo")


def _command(intent: str, **slots: SlotValue) -> Command:
    return Command(
        intent=intent,
        slots=tuple(Slot(name=n, value=v, raw=str(v)) for n, v in slots.items()),
    )
