"""Whatever dies or hangs in mid-utterance is noticed, mended and told, and the next one served."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.daemon import MEMBERS
from tests.scenario import (
    Daemon,
    Do,
    Expect,
    Fifo,
    Kill,
    Rows,
    Say,
    SayMeanwhile,
    Step,
    running,
    tell,
)

pytestmark = pytest.mark.e2e

HOME = Path(__file__).parent / "home.yaml"
TIMERS = "SELECT name, duration_s FROM timers"


@contextmanager
def quiet(folder: Path, settings: str = "") -> Iterator[Daemon]:
    """A daemon without a sound card: a FIFO for a microphone, a folder for a loudspeaker."""
    audio = f'[audio]\ninput = "fifo:{folder / "mic"}"\noutput = "folder:{folder / "replies"}"\n'
    home = f'[home]\nfile = "{HOME}"\n'
    with running(folder, audio + home + settings, Fifo(folder / "mic")) as daemon:
        yield daemon


def served() -> list[Step]:
    """The next utterance is served in full."""
    return [
        Say("computer, turn on the kitchen light"),
        Expect("Reply", {"text": "kitchen light", "acted": True}),
        Expect("PlaybackEnded"),
        Rows("SELECT state FROM devices WHERE entity_id = 'light.kitchen'", [("on",)]),
    ]


def _mended(stage: str) -> Step:
    if stage == "control":  # whoever watches joins its successor a moment after that was told
        return Expect("Status", within_s=30)
    return Expect("StageRestarted", {"stage": stage}, within_s=30)


@pytest.mark.parametrize("stage", MEMBERS)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
def test_a_stage_that_fails_in_mid_utterance(
    tmp_path: Path, stage: str, how: signal.Signals
) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                SayMeanwhile("computer, what can you do and what is the time"),
                Expect("Woke"),
                Kill(stage, how),
                _mended(stage),
                # The apology, or in the way of a reply, what the user hears next.
                Expect("PlaybackEnded", {"utterance_id": "notice"}, within_s=30),
                *served(),
            ],
        )


def test_timers_survive_the_death_of_everything(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Say("computer, set a pasta timer for twenty seconds"),
                Expect("Reply", {"acted": True}),
                Do("kill -9 the supervisor", lambda d: os.kill(d.process.pid, signal.SIGKILL)),
            ],
        )
        daemon.process.wait()
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Rows(TIMERS, [("pasta", 20.0)]),
                Expect("PlaybackEnded", {"utterance_id": "timer-"}, within_s=40),
                *served(),
                Rows(TIMERS, []),
            ],
        )
