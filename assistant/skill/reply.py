"""What a skill gives back: a reply, or a question whose answer it waits for."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from assistant.core.messages import AnswerTask, SlotValue


class Undo(msgspec.Struct, frozen=True):
    """How to take an action back: a capability's operation, such as "timers.cancel", and its id.

    `value` is what to set, of the attribute `name` where the operation sets one.
    """

    operation: str
    id: str
    value: SlotValue = ""
    name: str = ""


class Report(msgspec.Struct, frozen=True):
    """A sentence that reports the same of one thing, and of several: "I put {} on your list".

    `several` is the sentence for several things, where it differs.
    """

    thing: str
    one: str
    several: str = ""


class Reply(msgspec.Struct, frozen=True):
    """What to say aloud.

    `listen` opens the microphone afterwards without the wake word. `done` is false when the command
    could not be carried out. `undo` is what "undo that" will do, `about` are the ids of the things
    that "it" may stand for in what is said next. `facts` (name → value) is a
    structured result that the generator may put into other words; `task` is any other work for the
    answering stage. `text` is said where that is not possible. Replies to one utterance that
    `report` the same are told as one sentence.
    """

    text: str
    listen: bool = False
    undo: Undo | tuple[Undo, ...] = ()
    about: tuple[str, ...] = ()
    done: bool = True
    facts: Mapping[str, str] = MappingProxyType({})
    task: AnswerTask | None = None
    report: Report | None = None


class Ask(msgspec.Struct, frozen=True):
    """A question whose answer is a value of type `answer`, any type that a slot may have."""

    text: str
    answer: Any = str


class Confirm(msgspec.Struct, frozen=True):
    """A question to be answered with yes (True) or no (False)."""

    text: str


class Choose(msgspec.Struct, frozen=True):
    """A question whose answer is one of `options`, as written there."""

    text: str
    options: Sequence[str]


class AskCommands(msgspec.Struct, frozen=True):
    """A question whose answer is commands, understood as they are when said alone.

    The answer is a tuple of `Request`, without any where the user says "no", "that's all", or
    nothing. Built-in skills alone may ask it. `told` is said before it, once.
    """

    text: str
    told: str = ""


class Cancelled(Exception):  # noqa: N818 - the user's request, not an error
    """Raised at a dialog's `yield` when the user says "stop" or "cancel", or says nothing."""


Query = Ask | Confirm | Choose | AskCommands
Dialog = Generator[Query, Any, Reply]
"""What a skill's function returns when it asks: it yields queries and returns its reply."""
