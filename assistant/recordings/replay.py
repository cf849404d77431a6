"""Runs recorded utterances through the chain again, beside what became of them when they were said.

Recognition, understanding and skills get the very sound, at the time when it was said; what was
said within a minute is one conversation. Timers, lists and devices are not those of that day, so
replies may differ, and only what was heard and what it meant is compared. Documents are not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime

import msgspec

from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.messages import (
    Asked,
    AudioChunk,
    Commit,
    Interpretation,
    Message,
    SpokenReply,
    Transcript,
)
from assistant.outcome import in_words
from assistant.pipeline import run, typed
from assistant.recordings.folder import Recorded
from audio.frames import frames_of
from nlu.room import CONVERSATION_S
from skills.state import open_state


class Replayed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One utterance, as it was taken then and now."""

    id: str
    heard_then: str
    heard: str
    meant_then: tuple[str, ...]
    meant: tuple[str, ...]
    """Commands, in words."""
    replied_then: str
    replied: str
    wrong: bool
    """Whether it is marked as wrong."""
    expect: str
    as_expected: bool | None
    """Whether it means what the expected words mean; None where nobody has told them."""

    @property
    def changed(self) -> bool:
        """Whether other words are heard, or the same ones mean something else."""
        return (self.heard, self.meant) != (self.heard_then, self.meant_then)


class ReplayFigures(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How many utterances are taken as they were."""

    utterances: int
    same_text: int
    same_meaning: int
    wrong: int
    """Those marked as wrong."""
    wrong_changed: int
    """Those of them that are taken otherwise now."""
    expected: int
    """Those of which is known what was said."""
    as_expected: int


def replay(
    recorded: Sequence[Recorded], config: Config, outcome: Callable[[Replayed], None]
) -> ReplayFigures:
    """Run recordings again with these settings; each result goes to `outcome`."""
    clock = _Clock()
    composition = Composition(config, now=clock, corrected=True)
    recognition = composition.asr()
    results: list[Replayed] = []
    for conversation in _conversations(recorded):
        clock.now = conversation[0].trace.said_at
        with closing(open_state(None)) as state:
            stages = (recognition, composition.nlu(), composition.skills(state))
            for one in conversation:
                clock.now = one.trace.said_at
                expected = _meaning_of(one.trace.expect, composition) if one.trace.expect else None
                result = _result(one, list(run(stages, _said(one))), expected)
                results.append(result)
                outcome(result)
    return _figures(results)


class _Clock:
    """The time at which something was said."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


def _conversations(recorded: Sequence[Recorded]) -> Iterator[list[Recorded]]:
    one: list[Recorded] = []
    for each in recorded:
        last = one[-1].trace.said_at if one else each.trace.said_at
        if (each.trace.said_at - last).total_seconds() > CONVERSATION_S:
            yield one
            one = []
        one.append(each)
    if one:
        yield one


def _said(one: Recorded) -> Iterator[Message]:
    """The messages with which an utterance came."""
    trace, at_s = one.trace, one.trace.said_at.timestamp()
    utterance = msgspec.structs.replace(trace.utterance, at_s=at_s, unasked=False)
    follows = f"before-{trace.id}" if trace.answers else ""
    if trace.answers:
        yield Asked(at_s=at_s, utterance_id=follows, answers=trace.answers)
    for number, samples in enumerate(frames_of(one.sound)):
        yield AudioChunk(
            at_s=at_s,
            utterance_id=trace.id,
            sequence=number,
            samples=samples,
            wake_word=utterance.wake_word,
            follows=follows,
            unasked=trace.utterance.unasked,
        )
    yield utterance
    yield Commit(at_s=at_s, utterance_id=trace.id, revision=utterance.revision)


def _meaning_of(text: str, composition: Composition) -> tuple[str, ...]:
    """What words mean that are said first in a conversation."""
    at_s = composition.now().timestamp()
    return _meant(run((composition.nlu(),), typed("expected", text, at_s)))


def _meant(messages: Iterable[Message]) -> tuple[str, ...]:
    last = [m for m in messages if isinstance(m, Interpretation)][-1:]
    return tuple(in_words(command) for m in last for command in m.commands)


def _result(
    one: Recorded, messages: Sequence[Message], expected: tuple[str, ...] | None
) -> Replayed:
    trace = one.trace
    heard = [m.text for m in messages if isinstance(m, Transcript)]
    meant = _meant(messages)
    return Replayed(
        id=trace.id,
        heard_then=trace.heard,
        heard=heard[-1] if heard else "",
        meant_then=tuple(map(in_words, trace.commands)),
        meant=meant,
        replied_then=" ".join(trace.replies),
        replied=" ".join(m.text for m in messages if isinstance(m, SpokenReply)),
        wrong=trace.wrong,
        expect=trace.expect,
        as_expected=None if expected is None else meant == expected,
    )


def _figures(results: Sequence[Replayed]) -> ReplayFigures:
    wrong = [one for one in results if one.wrong]
    expected = [one.as_expected for one in results if one.as_expected is not None]
    return ReplayFigures(
        utterances=len(results),
        same_text=sum(one.heard == one.heard_then for one in results),
        same_meaning=sum(one.meant == one.meant_then for one in results),
        wrong=len(wrong),
        wrong_changed=sum(one.changed for one in wrong),
        expected=len(expected),
        as_expected=sum(expected),
    )
