"""What the assistant does on talk that is not meant for it, which should be nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from assistant.core.database import Database
from assistant.core.errors import InputError
from assistant.core.messages import (
    HomeCommand,
    Interpretation,
    Message,
    SpokenReply,
    Transcript,
)
from assistant.core.stage import Stage
from assistant.pipeline import run, typed
from skills.state import open_state

APART_S = 3600.0
"""Seconds between two lines, so that none refers to the one before it."""
SOON_S = 5.0
"""Seconds from a command until talk follows it."""

Hear = Callable[[str, str, float], Iterable[Message]]
"""Gives the messages of a line, by its text, an id and a time."""


def as_typed(line: str, name: str, at_s: float) -> Iterable[Message]:
    """The messages of a line that is typed."""
    return typed(name, line, at_s)


class RejectFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of `sentences` that ask for nothing: `actions` changed a state, which none may.

    `answered` is the share, from 0 to 1, in which a command, even one that only asks something, was
    understood, or that the assistant asked back about.
    """

    sentences: int
    actions: int
    answered: float


class Offence(msgspec.Struct, frozen=True):
    """A line that was answered: the intents it was taken for, the reply, and whether it acted."""

    line: str
    intents: tuple[str, ...]
    reply: str
    acted: bool


def read_lines(file: Path) -> list[str]:
    """One sentence a line, without blank ones; raises `InputError` where there is none."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError("rejects.unreadable", f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError("rejects.malformed", f"{file}: is no text in UTF-8") from error
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise InputError("rejects.none", f"{file}: holds no sentence")
    return found


def evaluate_rejects(
    lines: list[str],
    nlu: Stage,
    skills: Callable[[Database], Stage],
    answered: Callable[[Offence], None] = lambda offence: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    hear: Hear = as_typed,
    after: str = "",
) -> RejectFigures:
    """Pass every line to `nlu` and to `skills` on fresh state, and count the effects.

    A command that `skills` sends to the bridge counts as an action too. `answered` receives each
    line that was not ignored. With `hear`, lines are not typed but spoken. Every line comes `after`
    that command, if there is one, without the wake word.
    """
    offences = []
    for number, line in enumerate(lines):
        with closing(open_state(None)) as state:
            at_s, stages = APART_S * (number + 1), (nlu, skills(state))
            heard = hear(line, f"reject-{number}", at_s + SOON_S)
            if after:
                list(run(stages, typed(f"before-{number}", after, at_s)))
                heard = map(_unasked, heard)
            found = offence(line, heard, stages)
        if found is not None:
            offences.append(found)
            answered(found)
        progress(number + 1, len(lines))
    return RejectFigures(
        sentences=len(lines),
        actions=sum(one.acted for one in offences),
        answered=len(offences) / len(lines),
    )


def _unasked(message: Message) -> Message:
    """A message as if no wake word had come before it."""
    if isinstance(message, Transcript):
        return msgspec.structs.replace(message, unasked=True)
    return message


def offence(line: str, heard: Iterable[Message], stages: Sequence[Stage]) -> Offence | None:
    """What `heard`, which says `line`, makes stages do; None where it is nothing."""
    intents: list[str] = []
    replies: list[str] = []
    acted = False
    for message in run(stages, heard):
        if isinstance(message, Interpretation):
            intents += [command.intent for command in message.commands]
            intents += [choice.command.intent for choice in message.choices]
        elif isinstance(message, SpokenReply):
            replies.append(message.text)
            acted = acted or message.acted
        elif isinstance(message, HomeCommand):
            acted = True
    return Offence(line, tuple(intents), " ".join(replies), acted) if intents or acted else None
