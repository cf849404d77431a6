"""A household: what is said goes through the skills and the bridge, and comes back."""

from __future__ import annotations

import select
import time
from collections.abc import Callable

from assistant.bridge.link import Link
from assistant.bridge.stage import BridgeStage
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    CalendarCommand,
    HomeCommand,
    Message,
    SpokenReply,
    Tick,
    Transcript,
)
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, Conversation
from tests.support.talking import Talk

PATIENCE_S = 60.0


class Household:
    """The skills, the bridge and what it reaches: `say` talks to them."""

    def __init__(self, talk: Talk, nlu: NluStage, link: Link) -> None:
        self.talk, self.link, self.stage = talk, link, BridgeStage(link)
        self.told: list[str] = []
        """What was said unasked."""
        self._spoken: list[SpokenReply] = []
        self._came: list[Message] = []
        self._say = Conversation(talk, nlu, float(next(FAR_APART)))
        feed = talk.feed

        def fed(message: Message) -> list[Message]:
            """Feed the skills; what they command goes on to the bridge."""
            talk.at_s = boottime_s()
            given = feed(message)
            for one in given:
                if isinstance(one, HomeCommand | CalendarCommand):
                    list(self.stage.feed(one))
                elif isinstance(one, SpokenReply):
                    self._spoken.append(one)
            return given

        talk.feed = fed  # type: ignore[method-assign]

    def say(self, text: str) -> str:
        """The reply, which is played to its end."""
        reply = self._say(text)
        self._play()
        return reply

    def hear(self, transcript: Transcript) -> str:
        """The reply to what was heard."""
        return self._say.hear(transcript)

    def until(self, holds: Callable[[Message], object]) -> None:
        """Carry what the bridge tells to the skills, until such a message has come.

        What came after it at once is looked at by the next wait.
        """
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            while self._came:
                if holds(self._came.pop(0)):
                    return
            self._came += self._carry()
        raise AssertionError("it does not come")

    def _carry(self) -> list[Message]:
        """What the bridge tells now, which the skills are told, too."""
        select.select([self.link], [], [], 0.05)
        list(self.link.read())
        came = list(self.stage.feed(Tick(at_s=boottime_s())))
        for message in (*came, Tick()):
            self.talk.feed(message)
        self.told += [one.text for one in self._spoken]
        self._play()
        return came

    def _play(self) -> None:
        while self._spoken:
            self.talk.play(self._spoken.pop(0))

    def until_told(self, text: str) -> None:
        """Wait until this is said unasked."""
        self.until_so(lambda: text in self.told)

    def until_so(self, is_so: Callable[[], bool]) -> None:
        """Carry what the bridge tells to the skills, until this is so."""
        deadline_s = time.monotonic() + PATIENCE_S
        while not is_so() and time.monotonic() < deadline_s:
            self._carry()
        assert is_so(), self.told
