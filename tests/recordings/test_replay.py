"""Recordings run again give what they gave, and tell what is taken otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.messages import Command, Slot
from assistant.recordings.folder import Recordings, recorded
from assistant.recordings.replay import Replayed, ReplayFigures, replay
from assistant.recordings.trace import Trace
from tests.support.scenario import HOME
from tests.support.utterances import utterance
from tests.support.voices import speech

EVENING = datetime(2026, 11, 24, 18, 30, tzinfo=UTC)
SAID = (
    ("turn on the kitchen light", (), "HassTurnOn"),
    ("what time is it", (), "HassGetCurrentTime"),
    ("yes", ("yes", "no"), ""),
)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("replay")
    storage = StorageSettings(state=str(folder / "state"))
    return Config(home=HomeSettings(file=str(HOME)), storage=storage)


@pytest.fixture
def kept(tmp_path: Path) -> Recordings:
    """Three utterances, as if all had been taken for "lights out"."""
    recordings = Recordings(tmp_path)
    recordings.agree()
    for number, (text, answers, _) in enumerate(SAID):
        name = f"said{number}"
        recordings.keep_sound(name, b"".join(speech(text, "rms")))
        trace = Trace(
            said_at=EVENING + timedelta(minutes=5 * number),
            utterance=utterance(name, wake_word=""),
            answers=answers,
            heard="lights out",
            commands=(Command(intent="HassTurnOff", slots=()),),
            wrong=number == 0,
        )
        recordings.keep_trace(trace)
    return recordings


def ran(kept: Recordings, config: Config) -> tuple[list[Replayed], ReplayFigures]:
    results: list[Replayed] = []
    figures = replay(recorded(kept.folder), config, results.append)
    return results, figures


def test_what_is_taken_otherwise_is_told_and_what_is_not_is_the_same(
    kept: Recordings, config: Config
) -> None:
    results, figures = ran(kept, config)
    assert [one.heard for one in results] == [text for text, _, _ in SAID]
    assert [bool(one.meant) for one in results] == [True, True, False]
    assert all(
        intent in "".join(one.meant) for one, (_, _, intent) in zip(results, SAID, strict=True)
    )
    assert results[1].replied == "It's 6:35 pm."  # then, and not now
    assert (figures.same_text, figures.wrong, figures.wrong_changed) == (0, 1, 1)

    for one, result in zip(recorded(kept.folder), results, strict=True):
        commands = (
            (
                Command(
                    intent="HassTurnOn", slots=(Slot(name="name", value="Kitchen Light", raw=""),)
                ),
            )
            if one.trace.id == "said0"
            else (Command(intent="HassGetCurrentTime"),)[: len(result.meant)]
        )
        kept.keep_trace(msgspec.structs.replace(one.trace, heard=result.heard, commands=commands))
    again, figures = ran(kept, config)
    assert figures == ReplayFigures(
        utterances=3,
        same_text=3,
        same_meaning=3,
        wrong=1,
        wrong_changed=0,
        expected=0,
        as_expected=0,
    ), again


def test_what_was_really_said_is_compared(kept: Recordings, config: Config) -> None:
    kept.mark("said0", "turn the kitchen light on")
    kept.mark("said1", "what day is it")
    results, figures = ran(kept, config)
    assert [one.as_expected for one in results] == [True, False, None]
    assert (figures.expected, figures.as_expected) == (2, 1)
