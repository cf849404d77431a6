"""The rooms as a stage: it passes on what is said in them, and hands them what is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from assistant.core.messages import (
    Compared,
    Complete,
    Message,
    RoomTimers,
    Speech,
    SpokenReply,
    StageFailed,
    Tick,
    Transcript,
    Woke,
)
from assistant.rooms.network import Network

OVERHEARD = (StageFailed, Complete, Transcript, Woke, Compared, RoomTimers)
"""What is heard of what goes on in the daemon; the rest of what is consumed is sent here."""

ANSWERS = (*OVERHEARD, SpokenReply, Speech)


class RoomsStage:
    """Carries messages between the daemon and the connections of the `network`."""

    consumes: ClassVar[tuple[type[Message], ...]] = (*ANSWERS, Tick)

    def __init__(self, network: Network) -> None:
        self._network = network

    def feed(self, message: Message) -> Iterable[Message]:
        """Give what peers say on a `Tick`; hand on what is answered, the satellites' as sound."""
        base, daemon = self._network.base, self._network.daemon
        if isinstance(message, Tick):
            yield from daemon.asked()
        elif isinstance(message, Speech) and base.lacks(message.peer):
            yield msgspec.structs.replace(message, peer="")  # for the device itself
        elif isinstance(message, ANSWERS):
            daemon.answer(getattr(message, "utterance_id", ""), message)

    def deadline_s(self) -> float | None:
        """Never: what waits is told by a descriptor."""
        return None
