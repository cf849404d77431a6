"""What people say where any text may stand, for sentences that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hassil.expression import Expression, TextChunk

from assistant.english.templates import (
    ACTIONS,
    HEARD_ACTIONS,
    HEARD_IN,
    HEARD_OPEN_IN,
    HEARD_THINGS,
    THINGS,
)


class FreeText(NamedTuple):
    """What may stand where any text may: after "to", and elsewhere."""

    actions: Sequence[Expression]
    things: Sequence[Expression]
    of_slot: Mapping[str, Sequence[Expression]]
    """Slot, or skill and slot → what stands there, where that is not any thing."""
    open: frozenset[str] = frozenset()
    """Intent and slot where people say what nobody can list."""

    @classmethod
    def of(
        cls, actions: Sequence[str], things: Sequence[str], of_slot: Mapping[str, Sequence[str]]
    ) -> FreeText:
        """Of plain texts."""
        return cls(
            chunks(actions), chunks(things), {slot: chunks(t) for slot, t in of_slot.items()}
        )

    def is_open(self, intent: str, slot: str) -> bool:
        """Whether any words at all may stand in a slot of an intent."""
        return f"{intent}.{slot}" in self.open

    def values(self, skill: str, slot: str) -> Sequence[Expression]:
        """What may stand in a slot of a skill."""
        of_skill = self.of_slot.get(f"{skill}.{slot}")
        return of_skill or self.of_slot.get(slot, self.things)


def chunks(texts: Sequence[str]) -> list[Expression]:
    """Plain texts as parts of sentences."""
    return [TextChunk(text) for text in texts]


SHORT = FreeText.of(ACTIONS, THINGS, {})
HEARD = FreeText.of(HEARD_ACTIONS, HEARD_THINGS, HEARD_IN)
HEARD_OPEN = HEARD._replace(open=frozenset(HEARD_OPEN_IN))
"""The same, and `ANYTHING` where people say what nobody can list."""
HEARD_IN_SHORT = HEARD._replace(things=SHORT.things)
"""The same for short forms, of which many have any thing: with all of `HEARD` their decoder takes
50 MB in place of 32."""
