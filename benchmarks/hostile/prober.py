"""Sends the daemon a valid request once a second, while others attack it."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import msgspec

from assistant.control.client import ControlClient
from assistant.core.errors import AssistantError
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
    """Probes in a thread from its creation, which ends with the first answer, until `finish`."""

    def __init__(self, target: Target) -> None:
        self.served = Served()
        self.told: list[str] = []
        self._target = target
        self._begun, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="prober")
        self._thread.start()
        self._begun.wait(LAST_S)

    def finish(self) -> None:
        """Stop probing, and have a last reply spoken to its end."""
        self._ending.set()
        self._thread.join()
        with closing(Conversation(self._target.config.runtime_dir, "prober")) as conversation:
            try:
                conversation.await_answer(LAST_S)
                spoken = conversation.say(HARMLESS, LAST_S, spoken=True) is not None
            except (AssertionError, AssistantError):
                spoken = False
        self._count(spoken, f"after the attack no reply was spoken within {LAST_S} s")

    def _run(self) -> None:
        control = ControlClient(self._target.config.control_socket)
        with closing(Conversation(self._target.config.runtime_dir, "prober")) as conversation:
            try:
                conversation.await_answer(PATIENCE_S)
            except AssertionError as error:
                self._count(False, str(error))
            finally:
                self._begun.set()
            ended = False
            while not ended:  # at least once, however short the attack
                began_s = time.monotonic()
                took_ms = self._reply(conversation)
                self.served.slowest_reply_ms = max(self.served.slowest_reply_ms, took_ms)
                took_ms = self._status(control)
                self.served.slowest_status_ms = max(self.served.slowest_status_ms, took_ms)
                ended = self._ending.wait(max(0.0, began_s + EVERY_S - time.monotonic()))

    def _reply(self, conversation: Conversation) -> float:
        began_s = time.monotonic()
        try:
            reply = conversation.say(HARMLESS, PATIENCE_S)
        except AssistantError as error:
            self._count(False, f"no reply: {error.message}")
            return 0.0
        right = reply is not None and reply.text in ANSWERS
        self._count(right, f"the reply was {reply}")
        return _since_ms(began_s) if right else 0.0

    def _status(self, control: ControlClient) -> float:
        began_s = time.monotonic()
        try:
            answer = control.ask("status")
        except AssistantError as error:
            self._count(False, f"no status: {error.message}")
            return 0.0
        right = bool(answer.get("processes"))
        self._count(right, f"the status was {answer}")
        return _since_ms(began_s) if right else 0.0

    def _count(self, right: bool, otherwise: str) -> None:
        self.served.probes += 1
        if not right:
            self.served.unanswered += 1
            self.told.append(otherwise)


def _since_ms(began_s: float) -> float:
    return round(1000 * (time.monotonic() - began_s), 1)
