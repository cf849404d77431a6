"""Runs a skill's tests through understanding, skills and answers, and tells what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from itertools import count
from typing import NamedTuple

import msgspec

from assistant.composition import Composition
from assistant.core.errors import SkillError
from assistant.core.messages import Message, PlaybackEnded
from assistant.core.stage import Stage
from assistant.pipeline import run, typed
from assistant.skill_development.cases import Tests, Turn
from assistant.skill_development.expectations import Happened, deviations
from skills.state import open_state

PRESENT = datetime(2026, 1, 5, 18, 30)
"""The local time of every test, a Monday evening, that of `assistant.skill.testing`."""
TURN_S = 4.0
"""Seconds between two turns of a conversation."""
APART_S = 3600.0
"""Seconds between two conversations, so that none refers to the one before it."""
_WARM_UP = "the quick brown fox jumps over the lazy dog"
"""Words that fit no sentence: they have the models loaded before a time is measured."""


class Said(NamedTuple):
    """One turn as it is said: its id, when, and what it answers to, "" for nothing."""

    utterance_id: str
    text: str
    at_s: float
    follows: str


Say = Callable[[Said], Iterable[Message]]
"""Gives the messages of what is said: by keyboard or by voice."""


class Failure(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One expectation that was not met, and the line that states it."""

    file: str
    line: int
    say: str
    heard: str
    key: str
    expected: str
    actual: str


class TestFigures(msgspec.Struct, frozen=True, kw_only=True, tag="Tested"):
    """How many conversations and turns were held, and how many expectations were not met."""

    skill: str
    conversations: int
    turns: int
    failures: int
    spoken: bool


def as_typed(said: Said) -> Iterable[Message]:
    """The messages of a turn that is typed."""
    return typed(said.utterance_id, said.text, said.at_s)


class Chain(NamedTuple):
    """What the tests run through: stages that are made once, and how a turn is said to them."""

    composition: Composition
    before: tuple[Stage, ...]
    say: Say


def run_tests(
    tests: Tests, chain: Chain, progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Failure]:
    """Hold every conversation on fresh state, and give what fails, in the file's order."""
    composition = chain.composition
    nlu, answer = composition.nlu(), composition.answer()
    if any(_timed(turn) for turns in tests.conversations for turn in turns):
        list(run([nlu], typed("warm-up", _WARM_UP, 0.0)))
    for number, turns in enumerate(tests.conversations):
        with closing(open_state(None)) as state:
            stages = (*chain.before, nlu, composition.skills(state), answer)
            for turn, happened in _held(turns, stages, chain.say, APART_S * (number + 1)):
                for key, expected, actual in deviations(turn.expected, happened):
                    yield Failure(
                        file=str(tests.file),
                        line=turn.lines.get(key, turn.lines["say"]),
                        say=turn.say,
                        heard=happened.text,
                        key=key,
                        expected=expected,
                        actual=actual,
                    )
        progress(number + 1, len(tests.conversations))


_ids = count(1)


def _held(
    turns: Sequence[Turn], stages: Sequence[Stage], say: Say, at_s: float
) -> Iterator[tuple[Turn, Happened]]:
    """Each turn with what happened."""
    follows = ""
    for turn in turns:
        said = Said(f"test-{next(_ids)}", turn.say, at_s, follows)
        seconds = 0.0

        def took(stage: Stage, spent_s: float) -> None:
            nonlocal seconds
            seconds += spent_s

        heard = list(say(said))
        fault = ""
        followed: list[Message] = []
        try:
            for message in run(stages, heard, took):
                followed.append(message)
        except SkillError as error:
            fault = with_cause(error)
        happened = Happened.of([*heard, *followed], seconds * 1000, fault)
        yield turn, happened
        follows = said.utterance_id if happened.asked else ""
        at_s += TURN_S
        ended = PlaybackEnded(utterance_id=said.utterance_id, at_s=at_s - TURN_S / 2)
        list(run(stages, [ended]))


def with_cause(error: SkillError) -> str:
    """The error's message with the text of the exception that the skill raised.

    The daemon leaves that out, as it may hold the user's words.
    """
    told = str(error.__cause__ or "").strip().partition("\n")[0]
    return f"{error.message}: {told}" if told and told not in error.message else error.message


def _timed(turn: Turn) -> bool:
    return turn.expected.within_ms is not msgspec.UNSET
