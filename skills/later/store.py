"""The plans on the disk."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.skill.plans import Planned
from assistant.skill.reply import Undo
from skills.later.plan import Plan
from skills.later.timing import Timing
from skills.later.wording import in_words
from skills.rights.guard import Guard

log = logging.getLogger(__name__)

MOST_PLANS = 100


def create_plans(database: Database) -> None:
    """Create the table of plans; `plan` is a `Plan` as JSON."""
    database.execute("CREATE TABLE plans (id TEXT PRIMARY KEY, plan TEXT NOT NULL) STRICT")


class StoredPlans:
    """The `Plans` of the skills: a plan is a row until it was carried out for the last time."""

    def __init__(self, database: Database, timing: Timing) -> None:
        self._database, self._timing = database, timing
        self._damaged: set[str] = set()

    def add(self, plan: Plan) -> None:
        """Keep a plan, in place of one of the same id; raises `SkillError` for one too many."""
        if len(self.stored()) >= MOST_PLANS:
            raise SkillError("later.too_many", f"I have {MOST_PLANS} plans already.")
        self.put(plan)

    def put(self, plan: Plan) -> None:
        """Keep a plan, in place of one of the same id."""
        text = msgspec.json.encode(plan).decode()
        self._database.execute("INSERT OR REPLACE INTO plans VALUES (?, ?)", plan.id, text)
        self._timing.countdown.forget(plan.id)

    def remove(self, plan_id: str) -> None:
        """Forget a plan, if there is one of that id."""
        self._database.execute("DELETE FROM plans WHERE id = ?", plan_id)
        self._timing.countdown.forget(plan_id)

    def cancel(self, plan_id: str) -> Undo:
        """Forget a plan, and return the undo for that."""
        plan = next(plan for plan in self.stored() if plan.id == plan_id)
        self.remove(plan_id)
        return Undo("plans.restore", plan_id, msgspec.json.encode(plan).decode())

    def restore(self, undo: Undo, guard: Guard) -> None:
        """Put back a plan that was cancelled, with the rights of who does so.

        An undo may be made up: a skill may have given it.
        """
        plan = msgspec.json.decode(str(undo.value), type=Plan)
        if plan.pin:
            guard.require_pin()
        self.put(msgspec.structs.replace(plan, area=guard.limited(plan.area)))

    def all(self) -> tuple[Planned, ...]:
        """Every command that waits, the next due first."""
        return tuple(
            Planned(
                id=plan.id,
                title=plan.title,
                then=in_words(plan.due, self._timing, plan.id),
                at=self._timing.moment(plan.due).astimezone(self._timing.now.tzinfo),
                said=plan.said,
            )
            for plan in self.stored()
        )

    def stored(self) -> list[Plan]:
        """Every plan, the next due first."""
        return sorted(self._read(), key=self.left_s)

    def left_s(self, plan: Plan) -> float:
        """Seconds until a plan is due; infinite while it waits for a clock that can be trusted.

        What was done for a while is taken back by any clock: a heater must not stay on.
        """
        return self._timing.left_s(plan.id, plan.due, hold=plan.request is not None)

    def _read(self) -> Iterator[Plan]:
        for plan_id, text in self._database.execute("SELECT id, plan FROM plans ORDER BY rowid"):
            try:
                yield msgspec.json.decode(text, type=Plan)
            except (msgspec.DecodeError, ValueError):
                if plan_id not in self._damaged:
                    self._damaged.add(plan_id)
                    log.error("a plan is damaged and is passed over (later.damaged)")
