"""The rooms as a stage: it passes on what peers say, and hands them what the daemon answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from assistant.core.messages import (
    Message,
    Speech,
    SpokenReply,
    StageFailed,
    Tick,
    Transcript,
)
from assistant.rooms.daemon import Daemon

OVERHEARD = (StageFailed,)
"""What is heard of what goes on in the daemon; the rest of what is consumed is sent here."""


ANSWERS = (*OVERHEARD, Transcript, SpokenReply, Speech)


class RoomsStage:
    """Carries messages between the daemon and the connections."""

    consumes: ClassVar[tuple[type[Message], ...]] = (*ANSWERS, Tick)

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def feed(self, message: Message) -> Iterable[Message]:
        """Give what peers say on a `Tick`; hand on what is answered."""
        if isinstance(message, Tick):
            yield from self._daemon.asked()
        elif isinstance(message, ANSWERS):
            self._daemon.answer(message.utterance_id, message)

    def deadline_s(self) -> float | None:
        """Never: what waits is told by a descriptor."""
        return None
