"""The conversations of the rooms: what is asked in one, and was done there, is of that one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from assistant.core.messages import Interpretation, Message, NothingHeard, Spoken
from assistant.skill import Context
from skills.dialog import Dialog
from skills.dialogs.openings import Openings
from skills.history import History


@dataclass
class Room:
    """The room of an area: its skills' context, what was said and done, and the open question."""

    area: str
    context: Context
    history: History
    openings: Openings
    dialog: Dialog | None = None


class Rooms:
    """The rooms by the id of their area, each as `make` makes it when it is first needed.

    `here` is the area where the device stands, whose room also stands for "".
    """

    def __init__(self, here: str, make: Callable[[str], Room]) -> None:
        self._here, self._make = here, make
        self._rooms: dict[str, Room] = {}

    def of(self, area: str) -> Room:
        """The room of an area."""
        area = area or self._here
        if area not in self._rooms:
            self._rooms[area] = self._make(area)
        return self._rooms[area]

    def kept(self, area: str) -> tuple[Context, History]:
        """What the skills are given there, and what was said and done."""
        room = self.of(area)
        return room.context, room.history

    @property
    def asking(self) -> bool:
        """Whether a question is open anywhere."""
        return any(True for _ in self._dialogs())

    def deadline_s(self) -> float | None:
        """When the first open question lapses."""
        return min((dialog.expires_at_s for dialog in self._dialogs()), default=None)

    def expire(self, at_s: float) -> None:
        """Drop the questions that have lapsed."""
        for room in self._rooms.values():
            if room.dialog is not None and room.dialog.expires_at_s <= at_s:
                room.dialog = None

    def _dialogs(self) -> Iterator[Dialog]:
        for room in self._rooms.values():
            if room.dialog is not None:
                yield room.dialog


def there(said: Interpretation | NothingHeard, outputs: Iterable[Message]) -> Iterator[Message]:
    """What follows from something said: what is spoken goes where it was said, and to whom."""
    peer = said.peer if isinstance(said, Interpretation) else ""
    for output in outputs:
        if isinstance(output, Spoken):
            output = msgspec.structs.replace(output, area=said.area, peer=peer)
        yield output
