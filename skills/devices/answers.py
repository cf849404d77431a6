"""Whether devices do what they are asked: their own reports, and those that do not come.

A reply does not wait for a device. Once the broker has the command, a device that reports its state
at all has some seconds to tell of it, and one that reports a level, such as its brightness, to tell
of that. One that does not is announced, once, and counts as being as it told last. A restart within
these seconds forgets the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from assistant.core.database import Database
from assistant.core.messages import ReportedAttributes, SlotValue

PROMPT_S = 2.0
"""Seconds in which what is switched, or dimmed, tells of it."""
SLOW_S = 12.0
"""Seconds for all else: a lock turns, a blind moves, a player or a thermostat is asked by turns."""
STATE = ""
"""The name of a change of a device's state, beside its attributes."""
TOLERANCES: Mapping[str, float] = {
    "brightness": 5.0,
    "volume_level": 0.02,
    "percentage": 5.0,
    "temperature": 0.5,
    "position": 5.0,
}
"""Level → how far from the wanted one it may be: brightness of 255, volume of 1, shares of 100."""
_FULL_BRIGHTNESS = 255
_SWITCHED = ("light", "switch", "fan", "input_boolean", "siren", "humidifier")
_UNKNOWN = ("unavailable", "unknown")

Levels = dict[str, float]


class Question(msgspec.Struct, frozen=True):
    """What a device was asked for: a state, or a level where `level` names it."""

    entity_id: str
    name: str
    """The attribute that was set, or `STATE`: a light's state may be a share, such as "40%"."""
    wanted: str | float
    before: str | float
    """What the device had told when it was asked."""
    level: str = ""

    @property
    def within_s(self) -> float:
        """How many seconds it has."""
        return PROMPT_S if _is_switched(self.entity_id) else SLOW_S


def create_told_states(database: Database) -> None:
    """Create the table of the states that devices have told themselves."""
    database.execute(
        "CREATE TABLE told_states (entity_id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT"
    )


def create_told_levels(database: Database) -> None:
    """Create the table of the levels that devices have told themselves; `levels` is JSON."""
    database.execute(
        "CREATE TABLE told_levels (entity_id TEXT PRIMARY KEY, levels TEXT NOT NULL) STRICT"
    )


class Answers:
    """The states and levels that devices have told, and those that they are expected to tell."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._told: dict[str, str] = dict(
            database.execute("SELECT entity_id, state FROM told_states")
        )
        self._levels: dict[str, Levels] = {
            entity_id: msgspec.json.decode(levels, type=Levels)
            for entity_id, levels in database.execute("SELECT entity_id, levels FROM told_levels")
        }
        self._asked: dict[int, Question] = {}
        """Id of a change → what was asked, while the broker does not have it."""
        self._due_s: dict[tuple[str, str], tuple[float, Question]] = {}

    def last(self, entity_id: str) -> str | None:
        """The state that a device told last; None where it has told none."""
        return self._told.get(entity_id)

    def level(self, entity_id: str, name: str) -> float | None:
        """The level that a device told last; None where it has told none."""
        return self._levels.get(entity_id, {}).get(name)

    def asked(self, entity_id: str, change: int, name: str, wanted: SlotValue) -> None:
        """Note that a device is asked for a state, or for the value of an attribute."""
        self._due_s.pop((entity_id, name), None)
        self._asked = {
            i: q for i, q in self._asked.items() if (q.entity_id, q.name) != (entity_id, name)
        }
        question = self._question(entity_id, name, wanted)
        if question is not None and not _fits(question, question.before):
            self._asked[change] = question

    def sent(self, changes: Iterable[int], at_s: float) -> None:
        """Note that the broker has these changes: from now on the devices may tell of them."""
        for change in changes:
            question = self._asked.pop(change, None)
            if question is not None and not self._is_answered(question):
                due_s = at_s + question.within_s
                self._due_s[question.entity_id, question.name] = (due_s, question)

    def news(
        self, states: Mapping[str, str], attributes: Mapping[str, ReportedAttributes]
    ) -> tuple[dict[str, str], dict[str, Levels]]:
        """Those of the states, and of the devices' levels, that are other than those told last."""
        levels = {e: _levels(states.get(e, ""), attributes.get(e, {})) for e in states}
        return (
            {e: s for e, s in states.items() if self._told.get(e) != s},
            {e: found for e, found in levels.items() if self._levels.get(e, {}) != found},
        )

    def told(self, states: Mapping[str, str], levels: Mapping[str, Levels]) -> None:
        """Note the states and levels that devices have told, within a transaction."""
        for entity_id, state in states.items():
            self._database.execute(
                "INSERT OR REPLACE INTO told_states VALUES (?, ?)", entity_id, state
            )
        for entity_id, found in levels.items():
            text = msgspec.json.encode(found).decode()
            self._database.execute(
                "INSERT OR REPLACE INTO told_levels VALUES (?, ?)", entity_id, text
            )
        self._told |= states
        self._levels |= levels
        answered = [key for key, (_, q) in self._due_s.items() if self._is_answered(q)]
        for key in answered:
            del self._due_s[key]

    def missing(self, at_s: float) -> list[Question]:
        """What devices have not answered in time, each given once."""
        late = [(key, q) for key, (due_s, q) in self._due_s.items() if due_s <= at_s]
        for key, _ in late:
            del self._due_s[key]
        return [question for _, question in late]

    def deadline_s(self) -> float | None:
        """When `missing` must be called next."""
        return min((due_s for due_s, _ in self._due_s.values()), default=None)

    def _question(self, entity_id: str, name: str, wanted: SlotValue) -> Question | None:
        """What is to be told of a change; None of a device that does not tell such things."""
        told = self._told.get(entity_id)
        if name != STATE:
            before = self.level(entity_id, name)
            if before is None or not isinstance(wanted, int | float):
                return None
            return Question(entity_id, name, float(wanted), before, name)
        before = self.level(entity_id, "brightness")
        state = str(wanted)
        share = _brightness(state)
        if share is not None and before is not None and told not in ("off", *_UNKNOWN):
            return Question(entity_id, name, share, before, "brightness")
        return None if told is None else Question(entity_id, name, state, told)

    def _is_answered(self, question: Question) -> bool:
        told: str | float | None
        if question.level:
            told = self.level(question.entity_id, question.level)
        else:
            told = self._told.get(question.entity_id)
        if told is None:
            return False
        if _fits(question, told):
            return True
        # A level in steps of its own is one, and what moves or starts tells of that first, as
        # "opening" or "buffering".
        moved = told != question.before and told not in _UNKNOWN
        return moved and (bool(question.level) or not _is_switched(question.entity_id))


def _is_switched(entity_id: str) -> bool:
    return entity_id.partition(".")[0] in _SWITCHED


def _levels(state: str, attributes: ReportedAttributes) -> Levels:
    """The levels in what a device tells; a light's share, such as "40%", is its brightness."""
    found = {
        name: float(value)
        for name in TOLERANCES
        if isinstance(value := attributes.get(name), int | float)
    }
    if (share := _brightness(state)) is not None:
        found["brightness"] = share
    return found


def _brightness(state: str) -> float | None:
    """The brightness that a state such as "40%" is; None for any other state."""
    share, sign = state[:-1], state[-1:]
    return int(share) * _FULL_BRIGHTNESS / 100 if sign == "%" and share.isdecimal() else None


def _fits(question: Question, told: str | float) -> bool:
    """Whether what was told is the wanted; a light at 40 %, or what plays, is on."""
    wanted = question.wanted
    if isinstance(wanted, float) and isinstance(told, float):
        return abs(told - wanted) <= TOLERANCES[question.level]
    if wanted == "off" or (not _is_switched(question.entity_id) and wanted != "on"):
        return told == wanted
    return told not in ("off", *_UNKNOWN)
