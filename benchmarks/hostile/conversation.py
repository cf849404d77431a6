"""Words for the daemon as if from the recogniser: a transcript and a commit over the bus."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.messages import Commit, PlaybackEnded, SpokenReply, Transcript
from assistant.serving.processes import consumers

PEERS = ("skills", "audio")
"""Processes whose events count as answers; others may be the attacker's."""
HARMLESS = "never mind"
"""A command without effect that has a short reply."""
ANSWERS = ("Okay.", "Okay, never mind.")
"""Its replies; the second is given where the assistant has just asked something."""
FIRST_TRY_S = 0.5


class Conversation:
    """One speaker, as the process `name` on the bus of the daemon in `runtime`."""

    def __init__(self, runtime: Path, name: str) -> None:
        self._address = Address(runtime)
        self._bus = Bus(name, self._address, PEERS, consumers(), (SpokenReply, PlaybackEnded))
        self._name = name

    def say(self, text: str, within_s: float, spoken: bool = False) -> SpokenReply | None:
        """The reply to `text`, or None; with `spoken` only after it was played to its end."""
        utterance_id = f"{self._name}-{uuid.uuid4().hex}"
        self._bus.send(
            Transcript(utterance_id=utterance_id, revision=0, text=text, at_s=boottime_s())
        )
        self._bus.send(Commit(utterance_id=utterance_id, revision=0, at_s=boottime_s()))
        reply, until_s = None, time.monotonic() + within_s
        while (left_s := until_s - time.monotonic()) > 0:
            for message in self._bus.receive(left_s):
                if getattr(message, "utterance_id", "") != utterance_id:
                    continue
                if isinstance(message, SpokenReply):
                    reply = message
                if reply is not None and (not spoken or isinstance(message, PlaybackEnded)):
                    return reply
        return None

    def await_answer(self, within_s: float) -> None:
        """Speak until there is an answer: sockets take a moment to find each other."""
        until_s = time.monotonic() + within_s
        while self.say(HARMLESS, FIRST_TRY_S) is None:
            if time.monotonic() > until_s:
                raise AssertionError(f"no reply within {within_s} s")

    def close(self) -> None:
        """Leave the bus."""
        self._bus.close()
        self._address.close()
