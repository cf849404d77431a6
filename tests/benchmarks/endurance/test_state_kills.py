"""Skills that are killed at any instant keep what they acknowledged; faults in that are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assistant.core.database import Database
from benchmarks.endurance.state_kills import Attack, Figures, OpenState
from skills import stage
from skills.scheduler import TimerScheduler
from skills.state import open_state

pytestmark = pytest.mark.timeout(600)
MANY = 1_000
"""Greatest number of kills within which a fault must be found."""


def attacked(folder: Path, kills: int, opens: OpenState = open_state, seed: int = 1) -> Figures:
    with closing(Attack(folder, seed, opens)) as attack:
        return attack.run(kills)


@pytest.mark.parametrize("kills", [40, pytest.param(400, marks=pytest.mark.depth)])
def test_kills_lose_and_repeat_nothing_over_two_sittings(tmp_path: Path, kills: int) -> None:
    attacked(tmp_path, kills // 4)
    found = attacked(tmp_path, kills)
    assert (found.lost, found.done_again, found.rung_again) == ((), (), ())
    assert found.kills == kills
    assert found.steps > kills / 8
    assert len(found.while_doing) > 4


class Late(Database):
    """Commits a transaction when the next begins, and so after what it did was acknowledged."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Leave the transaction open."""
        if self.in_transaction:
            self.execute("COMMIT")
        self.execute("BEGIN IMMEDIATE")
        yield


def late(path: Path) -> Database:
    database = open_state(path)
    database.__class__ = Late
    return database


def test_what_is_acknowledged_before_it_is_committed_is_noticed(tmp_path: Path) -> None:
    found = attacked(tmp_path, MANY, late)
    assert found.lost or found.done_again  # of a command to a device its receipt may be lost first


def test_what_is_done_again_when_it_is_said_again_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "has_acted", lambda *_: False)
    found = attacked(tmp_path, MANY)
    assert found.done_again or found.lost  # one degree warmer twice is another degree than promised


def test_an_alarm_that_rings_again_after_it_was_played_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def heard(scheduler: TimerScheduler, utterance_id: str) -> None:
        scheduler._heard.add(utterance_id)

    monkeypatch.setattr(TimerScheduler, "heard", heard)
    assert attacked(tmp_path, MANY).rung_again
