"""What the assistant does in a household's conversations, beside what judges said of it.

A file holds conversations; each utterance may have what the assistant did when it was judged, and
the judgement. The figures are those of the judgements; what was done otherwise since is listed, for
a judge to read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from assistant.core.database import Database
from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.messages import (
    HomeCommand,
    Message,
    PlaybackEnded,
    SpokenReply,
)
from assistant.core.stage import Stage
from assistant.core.yaml_text import YamlError, read_yaml
from assistant.pipeline import run, typed
from skills.state import open_state

MOST_BYTES = 4 << 20
_PAUSE_S = 4.0
"""Seconds between two utterances of a conversation."""

Verdict = Literal["right", "declined", "clumsy", "misleading", "wrong"]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What the assistant did with one utterance."""

    reply: str = ""
    effects: tuple[str, ...] = ()
    """What was sent to devices, one line each: "light.hall on brightness=50"."""


class UtteranceOfWeek(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that somebody says, and what is expected and known of it."""

    say: str
    can: str
    """The skill that it is for; "none" where no installed skill does such things."""
    expect: str = ""
    did: Done | None = None
    judged: Verdict | None = None


class ConversationOfWeek(msgspec.Struct, frozen=True, kw_only=True):
    """Utterances that follow each other; `area` is the room of the device, "" for unknown."""

    id: str
    at: str
    """Local time at which it begins: "2026-11-23 06:45"."""
    utterances: tuple[UtteranceOfWeek, ...]
    area: str = ""

    @property
    def begins(self) -> datetime:
        """When it begins, without a zone."""
        return datetime.fromisoformat(self.at)


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """The conversations of one household, its home and its documents, relative to the file."""

    conversations: tuple[ConversationOfWeek, ...]
    home: str = ""
    documents: str = ""
    language: str = "en"


class WeekFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, from 0 to 1, of the judged utterances, and how many were done otherwise since.

    `right_of_able` is the share of those that an installed skill is for.
    """

    utterances: int
    judged: int
    right: float
    right_of_able: float
    declined: float
    clumsy: float
    misleading: float
    wrong: float
    changed: int


class WeekOutcome(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One utterance's outcome beside its judgement; `changed` where it differs from the judged."""

    id: str
    say: str
    expect: str
    did: Done
    judged: Verdict | None
    changed: bool


Stages = Callable[[ConversationOfWeek, Database], Sequence[Stage]]
"""Makes the stages for one conversation, at its time and on its fresh state."""


def load_week(file: Path) -> Week:
    """Read a file of conversations; raises `InputError` where it is none, or names no known day."""
    try:
        week = msgspec.convert(read_yaml(read_text(file, MOST_BYTES)), Week)
        for conversation in week.conversations:
            _ = conversation.begins
    except OSError as error:
        raise InputError("week.unreadable", f"{file}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError, msgspec.ValidationError, ValueError) as error:
        raise InputError("week.malformed", f"{file}: {error}") from error
    if not any(conversation.utterances for conversation in week.conversations):
        raise InputError("week.none", f"{file}: holds no utterance")
    return week


def evaluate_week(
    week: Week,
    stages: Stages,
    outcome: Callable[[WeekOutcome], None] = lambda outcome: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> WeekFigures:
    """Hold every conversation, and compare what is done with what was judged."""
    outcomes = []
    for number, conversation in enumerate(week.conversations, 1):
        with closing(open_state(None)) as state:
            for one in _held(conversation, stages(conversation, state)):
                outcomes.append(one)
                outcome(one)
        progress(number, len(week.conversations))
    said = [u for conversation in week.conversations for u in conversation.utterances]
    return _figures(said, sum(one.changed for one in outcomes))


def _held(conversation: ConversationOfWeek, stages: Sequence[Stage]) -> Iterator[WeekOutcome]:
    for number, utterance in enumerate(conversation.utterances, 1):
        name = f"{conversation.id}.{number}"
        did = _done(run(stages, _heard(name, utterance.say, number * _PAUSE_S, conversation.area)))
        yield WeekOutcome(
            id=name,
            say=utterance.say,
            expect=utterance.expect,
            did=did,
            judged=utterance.judged,
            changed=utterance.did is not None and utterance.did != did,
        )


def _heard(name: str, text: str, at_s: float, area: str) -> Iterator[Message]:
    yield from typed(name, text, at_s, area)
    yield PlaybackEnded(utterance_id=name, at_s=at_s + _PAUSE_S / 2)


def _done(messages: Iterable[Message]) -> Done:
    replies: list[str] = []
    effects: list[str] = []
    for message in messages:
        if isinstance(message, SpokenReply):
            replies.append(message.text)
        elif isinstance(message, HomeCommand):
            parts = [message.entity_id, message.state, message.command]
            parts += (f"{name}={value}" for name, value in message.attributes.items())
            effects.append(" ".join(part for part in parts if part))
    return Done(reply=" ".join(replies), effects=tuple(effects))


def _figures(said: Sequence[UtteranceOfWeek], changed: int) -> WeekFigures:
    verdicts = [utterance.judged for utterance in said if utterance.judged is not None]
    able = [u.judged for u in said if u.judged is not None and u.can != "none"]
    shares = {
        verdict: verdicts.count(verdict) / max(1, len(verdicts))
        for verdict in ("right", "declined", "clumsy", "misleading", "wrong")
    }
    return WeekFigures(
        utterances=len(said),
        judged=len(verdicts),
        right_of_able=able.count("right") / max(1, len(able)),
        changed=changed,
        **shares,
    )
