"""What is planned is carried out once and told once, whatever dies meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scenario import Expect, Kill, Rest, Rows, Say, Spoken, quiet, served, tell

pytestmark = pytest.mark.e2e

STATE = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"
TOLD = {"utterance_id": "plan-"}
HEARD = Expect("PlaybackEnded", {**TOLD, "interrupted": False, "heard": True}, within_s=60)


def test_a_plan_is_carried_out_and_told_once_though_the_skills_are_killed(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Say("computer, turn on the kitchen light in ten seconds"),
                Expect("Reply", {"text": "in ten seconds", "acted": True}),
                Rows(STATE, [("off",)]),
                Spoken(),
                Expect("PlaybackStarted", TOLD, within_s=60),
                Kill("skills"),
                Expect("StageRestarted", {"stage": "skills"}),
                HEARD,
                Rest(),
                Rows(STATE, [("on",)]),
                Rows("SELECT * FROM plans", []),
                Rows("SELECT * FROM plan_reports", [], within_s=30),
                *served("off"),
            ],
        )
        assert len(daemon.all("PlaybackStarted", **TOLD)) == 1
