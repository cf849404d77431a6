"""Whether devices do what they are asked: their own reports, and those that do not come.

A reply does not wait for a device. Once the broker has the command, a device that reports its state
at all has some seconds to tell of it; one that does not is announced, once, and counts as being in
the state that it told last. A restart within these seconds forgets the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from assistant.core.database import Database

PROMPT_S = 2.0
"""Seconds in which what is only switched tells of it."""
SLOW_S = 12.0
"""Seconds for all else: a lock turns, a television starts."""
_SWITCHED = ("light", "switch", "fan", "input_boolean", "siren", "humidifier")
_UNKNOWN = ("unavailable", "unknown")


class _Question(msgspec.Struct, frozen=True):
    entity_id: str
    wanted: str
    before: str
    """What the device had told when it was asked."""


def create_told_states(database: Database) -> None:
    """Create the table of the states that devices have told themselves."""
    database.execute(
        "CREATE TABLE told_states (entity_id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT"
    )


class Answers:
    """The states that devices have told, and those that they are expected to tell."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._told: dict[str, str] = dict(
            database.execute("SELECT entity_id, state FROM told_states")
        )
        self._asked: dict[int, _Question] = {}
        """Id of a change → what was asked, while the broker does not have it."""
        self._due_s: dict[str, tuple[float, _Question]] = {}

    def last(self, entity_id: str) -> str | None:
        """The state that a device told last; None where it has told none."""
        return self._told.get(entity_id)

    def asked(self, entity_id: str, change: int, wanted: str) -> None:
        """Note that a device is asked for a state."""
        self._due_s.pop(entity_id, None)
        others = {i: q for i, q in self._asked.items() if q.entity_id != entity_id}
        self._asked = others
        before = self._told.get(entity_id)
        if before is not None and not _fits(entity_id, wanted, before):
            self._asked[change] = _Question(entity_id, wanted, before)

    def sent(self, changes: Iterable[int], at_s: float) -> None:
        """Note that the broker has these changes: from now on the devices may tell of them."""
        for change in changes:
            question = self._asked.pop(change, None)
            if question is not None and not self._is_answered(question):
                within_s = PROMPT_S if _is_switched(question.entity_id) else SLOW_S
                self._due_s[question.entity_id] = (at_s + within_s, question)

    def news(self, states: Mapping[str, str]) -> dict[str, str]:
        """Those of the states that are other than the ones told last."""
        return {e: s for e, s in states.items() if self._told.get(e) != s}

    def told(self, states: Mapping[str, str]) -> None:
        """Note the states that devices have told, within a transaction."""
        for entity_id, state in states.items():
            self._database.execute(
                "INSERT OR REPLACE INTO told_states VALUES (?, ?)", entity_id, state
            )
        self._told |= states
        answered = [e for e, (_, q) in self._due_s.items() if self._is_answered(q)]
        for entity_id in answered:
            del self._due_s[entity_id]

    def missing(self, at_s: float) -> list[str]:
        """The devices that have not answered in time, each given once."""
        late = [entity_id for entity_id, (due_s, _) in self._due_s.items() if due_s <= at_s]
        for entity_id in late:
            del self._due_s[entity_id]
        return late

    def deadline_s(self) -> float | None:
        """When `missing` must be called next."""
        return min((due_s for due_s, _ in self._due_s.values()), default=None)

    def _is_answered(self, question: _Question) -> bool:
        told = self._told.get(question.entity_id, question.before)
        if _fits(question.entity_id, question.wanted, told):
            return True
        # What moves or starts tells of that first, as "opening" or "buffering".
        moved = told != question.before and told not in _UNKNOWN
        return moved and not _is_switched(question.entity_id)


def _is_switched(entity_id: str) -> bool:
    return entity_id.partition(".")[0] in _SWITCHED


def _fits(entity_id: str, wanted: str, told: str) -> bool:
    """Whether a state that was told is the wanted one; a light at 40 %, or what plays, is on."""
    if wanted == "off" or (not _is_switched(entity_id) and wanted != "on"):
        return told == wanted
    return told not in ("off", *_UNKNOWN)
