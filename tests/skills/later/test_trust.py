"""What is planned by the clock waits until that is known to be right; lengths of time go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from assistant.core.messages import SpokenReply, Tick, When
from skills.later.evidence import Evidence, clock_evidence
from skills.later.later import DOUBT, DOUBT_S
from skills.later.planning import DOUBT as WAITS
from skills.later.trust import STAYS_S
from tests.support.talking import EVENING, Talk, command

TEN = When(kind="at", said="at ten", value="2026-01-05T22:00:00+00:00")
SOON = When(kind="in", said="in ten minutes", value=600)
DAILY = When(
    kind="every",
    said="every day at seven",
    value="DTSTART;TZID=UTC:20260105T190000\nRRULE:FREQ=DAILY",
)
TO_TEN_S = 3.5 * 3600
HOUR = timedelta(hours=1)
YEARS = timedelta(days=3652)


def planned(talk: Talk, when: When) -> str:
    kettle = msgspec.structs.replace(command("HassTurnOn", name="Kettle"), when=when)
    return talk.say(f"turn on the kettle {when.said}", kettle)


def told(talk: Talk, seconds: float) -> list[str]:
    """What is said in a while, each thing once, and heard."""
    said: dict[str, str] = {}
    for message in talk.wait(seconds):
        if isinstance(message, SpokenReply) and message.utterance_id not in said:
            said[message.utterance_id] = message.text
            talk.play(message)
    return list(said.values())


@pytest.fixture
def board(talks: Callable[..., Talk]) -> Talk:
    """A board that waits for network time."""
    return talks(evidence=Evidence.AWAITED)


def test_who_plans_by_a_clock_that_is_not_known_is_told_that_it_waits(board: Talk) -> None:
    assert planned(board, TEN) == f"I will turn on the kettle at 10 pm.{WAITS}"
    assert planned(board, SOON) == "I will turn on the kettle in ten minutes."


def test_a_plan_waits_until_network_time_came(board: Talk) -> None:
    planned(board, TEN)
    assert told(board, TO_TEN_S + 600) == [DOUBT]
    assert board.state("switch.kettle") == "off"
    board.evidence = Evidence.NETWORK
    assert told(board, 60) == ["I am late: I turned on the kettle now."]


def test_by_a_clock_that_is_trusted_it_does_not_wait(talk: Talk) -> None:
    planned(talk, TEN)
    assert told(talk, TO_TEN_S) == ["I turned on the kettle, as planned."]


def test_what_is_planned_before_the_date_is_known_keeps_its_time_of_day(board: Talk) -> None:
    board.now = EVENING.replace(year=1970)
    planned(board, msgspec.structs.replace(TEN, value="1970-01-05T22:00:00+00:00"))
    board.now, board.evidence = EVENING, Evidence.NETWORK
    assert told(board, TO_TEN_S - 1) == []
    assert told(board, 2) == ["I turned on the kettle, as planned."]


@pytest.mark.parametrize("wrong", [-YEARS, YEARS])
def test_what_recurs_and_was_planned_before_the_date_is_known_comes_daily(
    board: Talk, wrong: timedelta
) -> None:
    board.now = EVENING + wrong
    value = f"DTSTART;TZID=UTC:{board.now:%Y%m%d}T190000\nRRULE:FREQ=DAILY"
    planned(board, msgspec.structs.replace(DAILY, value=value))
    board.now, board.evidence = EVENING, Evidence.NETWORK
    assert told(board, 1801) == ["I turned on the kettle, as planned."]
    assert len(told(board, 86_400)) == 1


def test_that_plans_wait_is_told_once(board: Talk) -> None:
    planned(board, TEN)
    assert told(board, DOUBT_S - 60) == []
    assert told(board, 180) == [DOUBT]
    assert told(board, 86_400) == []


def test_nothing_is_told_where_nothing_waits(board: Talk) -> None:
    planned(board, SOON)
    assert told(board, 2 * DOUBT_S) == ["I turned on the kettle, as planned."]


def test_the_user_may_say_that_the_clock_is_right(board: Talk) -> None:
    planned(board, TEN)
    assert board.ask("ClockIsRight") == "Good. It's 6:30 pm on Monday, January 5, 2026."
    board.restart()
    assert told(board, TO_TEN_S) == ["I turned on the kettle, as planned."]
    planned(board, msgspec.structs.replace(TEN, value="2026-01-06T22:00:00+00:00"))
    board.reboot(off_s=60)  # it may be wrong again
    assert told(board, 86_400) == [DOUBT]


def test_what_was_done_for_a_while_ends_by_any_clock(board: Talk) -> None:
    until = When(kind="until", said="until ten", value=TEN.value)
    planned(board, until)
    assert told(board, TO_TEN_S) == ["I put the kettle back to how it was, as planned."]


def test_timers_ring_in_time(board: Talk) -> None:
    board.ask("HassStartTimer", duration=600, name="tea")
    board.now += YEARS
    assert told(board, 599) == []
    assert told(board, 1) == ["Your tea timer is done."]


def test_a_clock_that_is_not_trusted_does_not_say_that_a_timer_is_over(board: Talk) -> None:
    board.ask("HassStartTimer", duration=600, name="tea")
    board.now += YEARS
    board.reboot(off_s=0)
    board.now += YEARS
    assert told(board, 599) == []
    assert told(board, 1) == ["Your tea timer is done."]


def test_a_clock_that_is_set_while_a_timer_runs_counts_after_a_reboot(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=3600, name="tea")
    talk.now += YEARS
    talk.wait(600)
    talk.feed(Tick())
    talk.reboot(off_s=60)
    assert told(talk, 2939) == []
    assert told(talk, 1) == ["Your tea timer is done."]


def test_a_clock_earlier_than_was_known_is_wrong(talks: Callable[..., Talk]) -> None:
    talk = talks(evidence=Evidence.NETWORK)
    planned(talk, TEN)
    talk.evidence = Evidence.NONE  # nothing tells any more
    talk.reboot(off_s=-86_400)
    assert told(talk, 86_400 - 60) == [DOUBT]
    assert told(talk, TO_TEN_S + 120) == ["I turned on the kettle, as planned."]


@pytest.mark.parametrize("evidence", [Evidence.NONE, Evidence.BATTERY, Evidence.NETWORK])
def test_a_clock_that_is_set_wrongly_for_minutes_does_nothing(
    talks: Callable[..., Talk], evidence: Evidence
) -> None:
    talk = talks(evidence=evidence)
    planned(talk, TEN)
    talk.wait(60)
    talk.now += YEARS
    assert told(talk, STAYS_S - 1) == []
    talk.now -= YEARS
    assert told(talk, TO_TEN_S) == ["I turned on the kettle, as planned."]


def test_a_clock_that_stays_as_it_was_set_is_believed(talk: Talk) -> None:
    planned(talk, TEN)
    talk.wait(60)
    talk.now += YEARS
    (missed,) = told(talk, STAYS_S + 120)
    assert "so I did not turn on the kettle" in missed


def test_what_recurs_goes_on_after_a_clock_was_years_ahead(talk: Talk) -> None:
    planned(talk, DAILY)
    assert len(told(talk, 1800)) == 1
    talk.now += YEARS
    assert len(told(talk, 2 * 86_400)) == 3
    talk.now -= YEARS
    assert len(told(talk, 2 * 86_400)) == 1  # the first is left out: it may have come already


# ── what the machine tells ──────────────────────────────────────────────────────────────────


def unset() -> bool:
    return False


def chip(root: Path, since_epoch_s: float, used: bool = True) -> None:
    folder = root / "sys/class/rtc/rtc0"
    folder.mkdir(parents=True)
    (folder / "hctosys").write_text(f"{used:d}\n", "ascii")
    (folder / "since_epoch").write_text(f"{since_epoch_s:.0f}\n", "ascii")


def test_where_nothing_tells_that_is_so(tmp_path: Path) -> None:
    assert clock_evidence(tmp_path, unset) is Evidence.NONE
    assert clock_evidence(tmp_path, lambda: True) is Evidence.NETWORK


def test_network_time_is_awaited_and_comes(tmp_path: Path) -> None:
    (tmp_path / "run/systemd/timesync").mkdir(parents=True)
    assert clock_evidence(tmp_path, unset) is Evidence.AWAITED
    (tmp_path / "run/systemd/timesync/synchronized").touch()
    assert clock_evidence(tmp_path, unset) is Evidence.NETWORK


def test_a_battery_keeps_the_clock(tmp_path: Path) -> None:
    chip(tmp_path, time.time() + 7200)  # in local time
    assert clock_evidence(tmp_path, unset) is Evidence.BATTERY


def test_a_chip_without_a_battery_tells_nothing(tmp_path: Path) -> None:
    chip(tmp_path, 60.0, True)
    assert clock_evidence(tmp_path, unset) is Evidence.NONE


def test_a_chip_that_is_not_used_tells_nothing(tmp_path: Path) -> None:
    chip(tmp_path, time.time(), False)
    assert clock_evidence(tmp_path, unset) is Evidence.NONE


def test_a_clock_from_before_the_program_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 86_400.0)
    assert clock_evidence(tmp_path, lambda: True) is Evidence.WRONG


def test_the_kernel_of_this_machine_can_be_asked() -> None:
    assert clock_evidence() in Evidence
