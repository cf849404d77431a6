"""Sends the daemon a valid request once a second, while others attack it."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack, closing

import msgspec

from assistant.control.client import ControlClient
from assistant.core.errors import AssistantError
from benchmarks.hostile.burden import Client
from benchmarks.hostile.conversation import ANSWERS, HARMLESS, Conversation
from benchmarks.hostile.target import Target

EVERY_S = 1.0
PATIENCE_S = 20.0
LAST_S = 60.0


class Served(msgspec.Struct, kw_only=True):
    """The results of the probes; unanswered ones, wrong answers included, have no latency."""

    probes: int = 0
    unanswered: int = 0
    slowest_reply_ms: float = 0.0
    slowest_status_ms: float = 0.0


class Prober:
    """Has two honest clients ask from its creation, which ends with the first answer, to `finish`.

    One wants replies, the other the daemon's status.
    """

    def __init__(self, target: Target) -> None:
        self.told: list[str] = []
        self._runtime = target.config.runtime_dir
        self._control = ControlClient(target.config.control_socket)
        self._replies, self._statuses = Client(self._reply, EVERY_S), Client(self._status, EVERY_S)
        self._spoken = False
        """Whether the last reply was spoken to its end."""
        self._opened = ExitStack()
        conversation = Conversation(self._runtime, "prober")
        self._conversation = self._opened.enter_context(closing(conversation))
        try:
            conversation.await_answer(PATIENCE_S)
        except AssertionError as error:
            self._replies.unserved += 1
            self.told.append(str(error))
        for client in (self._replies, self._statuses):
            self._opened.enter_context(client.asking())

    @property
    def served(self) -> Served:
        """The results so far."""
        replies, statuses = self._replies, self._statuses
        return Served(
            probes=replies.asked + statuses.asked + self._spoken,
            unanswered=replies.unserved + statuses.unserved,
            slowest_reply_ms=max(replies.waits_ms, default=0.0),
            slowest_status_ms=max(statuses.waits_ms, default=0.0),
        )

    def finish(self) -> None:
        """Stop probing, and have a last reply spoken to its end."""
        self._opened.close()
        with closing(Conversation(self._runtime, "prober")) as conversation:
            try:
                conversation.await_answer(LAST_S)
                reply = conversation.say(HARMLESS, LAST_S, spoken=True)
                self._spoken = reply is not None
            except (AssertionError, AssistantError):
                self._spoken = False
        if not self._spoken:
            self._replies.unserved += 1
            self.told.append(f"after the attack no reply was spoken within {LAST_S} s")

    def _reply(self) -> float:
        began_s = time.monotonic()
        try:
            reply = self._conversation.say(HARMLESS, PATIENCE_S)
        except AssistantError as error:
            return self._missed(f"no reply: {error.message}")
        if reply is None or reply.text not in ANSWERS:
            return self._missed(f"the reply was {reply}")
        return _since_ms(began_s)

    def _status(self) -> float:
        began_s = time.monotonic()
        try:
            answer = self._control.ask("status")
        except AssistantError as error:
            return self._missed(f"no status: {error.message}")
        if not answer.get("processes"):
            return self._missed(f"the status was {answer}")
        return _since_ms(began_s)

    def _missed(self, why: str) -> float:
        self.told.append(why)
        return math.nan


def _since_ms(began_s: float) -> float:
    return 1000 * (time.monotonic() - began_s)
