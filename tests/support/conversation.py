"""Conversations with understanding and the skills, one utterance after another, without models."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import msgspec

from assistant.core.messages import (
    Command,
    Commit,
    Interpretation,
    Message,
    SpokenReply,
    Transcript,
)
from assistant.skill.home import Entity, Home
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.stage import NluStage
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, HOME, Talk

FAR_APART = count(step=1_000_000)
"""Times at which conversations over the same stage begin: none continues another."""
HOUSE = Home(
    areas=HOME.areas,
    entities=(
        *HOME.entities,
        Entity(
            name="Shopping List",
            id="todo.shopping_list",
            attributes={"items": ["milk", "butter"]},
        ),
        Entity(name="To-Do List", id="todo.to_do_list"),
        Entity(name="Shade", id="cover.shade", state="closed"),
    ),
)


def nlu_of_rooms(home: Home) -> NluStage:
    """Understanding without models, each room a conversation; the device is in the kitchen."""
    templates = templates_of(home)

    def interpreter(area: str) -> Interpreter:
        return Interpreter(templates.in_area(area), None, Composer(home, area))

    return NluStage(
        *(templates, interpreter("kitchen"), lambda: EVENING), here="kitchen", elsewhere=interpreter
    )


class Conversation:
    """What is said to understanding and to the skills, one after the other."""

    def __init__(self, talk: Talk, nlu: NluStage, at_s: float) -> None:
        self.talk, self._nlu, self._at_s, self._count = talk, nlu, at_s, 0
        self.secret = False
        """Whether the last reply asked for a secret, so that what is said next is one."""
        self.handed: tuple[Command, ...] = ()
        """What the peer is to carry out, by the last reply."""
        self.given: list[Message] = []
        """All that the skills gave to what was said last."""

    def __call__(self, text: str, area: str = "") -> str:
        """The reply to what is said in an area; "" where no skill claims the text."""
        said = Transcript(utterance_id="", revision=1, text=text, engine="text", area=area)
        return self.hear(said)

    def hear(self, transcript: Transcript) -> str:
        """The reply to what was heard, as if it had been said now."""
        self._count += 1
        name = f"c{self._at_s}-{self._count}"
        heard = msgspec.structs.replace(
            transcript,
            utterance_id=name,
            revision=1,
            at_s=self._at_s + self.talk.at_s,
            secret=self.secret,
        )
        self.given = [
            out
            for message in self._nlu.feed(heard)
            if isinstance(message, Interpretation)
            for out in self.talk.feed(message)
        ]
        self.given += self.talk.feed(Commit(utterance_id=name, revision=1))
        replies = [m for m in self.given if isinstance(m, SpokenReply)]
        self.secret = any(reply.secret for reply in replies)
        self.handed = tuple(command for reply in replies for command in reply.handed)
        return " ".join(reply.text for reply in replies)

    @property
    def timers(self) -> dict[str, timedelta]:
        """The running timers by name, with the time that each has left."""
        context = self.talk.stage._rooms.of("").context
        return {timer.name: timer.remaining for timer in context.timers.all()}
