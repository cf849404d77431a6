"""Whatever dies or hangs in mid-utterance is noticed, mended and told, and the next one served."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from assistant.core.layout import MEMBERS
from tests.support.scenario import Expect, Kill, Rest, SayMeanwhile, Step, quiet, served, tell

pytestmark = pytest.mark.e2e

PAIRS = list(zip(MEMBERS, (*MEMBERS[1:], MEMBERS[0]), strict=True))


def mended(stage: str, how: signal.Signals) -> list[Step]:
    """It fails in mid-utterance, and then all is as before."""
    return [
        SayMeanwhile("computer, what can you do and what is the time"),
        Expect("Woke"),
        Kill(stage, how),
        _told(stage),
        # The apology, or in the way of a reply, what the user hears next.
        Expect("PlaybackEnded", {"utterance_id": "notice"}, within_s=30),
        # Whoever goes on at once speaks into the same utterance.
        Rest(),
    ]


def _told(stage: str) -> Step:
    if stage == "control":  # whoever watches joins its successor a moment after that was told
        return Expect("Status", within_s=30)
    return Expect("StageRestarted", {"stage": stage}, within_s=30)


@pytest.mark.parametrize(("killed", "hung"), PAIRS)
def test_one_stage_is_killed_and_another_hangs(tmp_path: Path, killed: str, hung: str) -> None:
    with quiet(tmp_path) as daemon:
        tell(daemon, [*mended(killed, signal.SIGKILL), *served("on")])
        tell(daemon, [*mended(hung, signal.SIGSTOP), *served("off")])
