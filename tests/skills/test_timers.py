"""A timer that was acknowledged rings once: after kills, reboots, lost answers, a full disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import SkillError, StorageError
from assistant.core.messages import Message, PlaybackEnded, SpokenReply, Tick
from assistant.skill.context import MOST_TIMERS
from skills.scheduler import TimerScheduler
from tests.support.talking import Talk, command

TEN_YEARS = timedelta(days=3653)


def texts(messages: list[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


def set_timer(talk: Talk, seconds: float, name: str = "pasta") -> str:
    return talk.ask("HassStartTimer", duration=seconds, name=name)


def test_a_timer_rings_when_it_is_due_and_is_over_when_heard(talk: Talk) -> None:
    set_timer(talk, 600)
    assert talk.wait(599) == []
    (ring,) = talk.wait(1)
    assert isinstance(ring, SpokenReply)
    assert ring.text == "Your pasta timer is done."
    assert ring.utterance_id.startswith("timer-")
    assert ring.once
    assert talk.timers() == 1
    assert talk.play(ring) == []
    assert talk.timers() == 0
    assert talk.stage.deadline_s() is None
    assert talk.wait(1000) == []


def test_a_ring_that_was_interrupted_was_heard(talk: Talk) -> None:
    set_timer(talk, 60)
    (ring,) = talk.wait(60)
    assert isinstance(ring, SpokenReply)
    talk.feed(PlaybackEnded(utterance_id=ring.utterance_id, interrupted=True))
    assert talk.timers() == 0


def test_a_ring_that_was_lost_was_not_heard(talk: Talk) -> None:
    set_timer(talk, 60)
    (ring,) = talk.wait(60)
    assert isinstance(ring, SpokenReply)
    talk.feed(PlaybackEnded(utterance_id=ring.utterance_id, heard=False))
    assert talk.timers() == 1


def test_a_ring_without_an_answer_comes_again_under_its_name(talk: Talk) -> None:
    set_timer(talk, 60)
    first = talk.wait(60)
    again = talk.wait(200)
    assert len(again) >= 2
    assert {m.utterance_id for m in (*first, *again) if isinstance(m, SpokenReply)} == {
        first[0].utterance_id  # type: ignore[attr-defined]
    }
    assert set(texts(again)) == {"Your pasta timer is done."}


def test_between_two_rings_passes_twice_the_time_and_a_minute_at_most(talk: Talk) -> None:
    set_timer(talk, 60)
    (ring,) = talk.wait(60)
    assert isinstance(ring, SpokenReply)
    rung_s = [talk.at_s]
    for _ in range(6):
        due_s = talk.stage.deadline_s()
        assert due_s is not None
        assert talk.wait(due_s - talk.at_s - 0.001) == []
        assert len(talk.wait(0.002)) == 1
        rung_s.append(due_s)
    waited_s = [round(after - before) for before, after in pairwise(rung_s)]
    assert waited_s == [12, 24, 48, 60, 60, 60]


def test_the_answer_to_another_reply_is_not_the_rings(talk: Talk) -> None:
    set_timer(talk, 60)
    talk.wait(60)
    talk.feed(PlaybackEnded(utterance_id="u1"))
    assert talk.timers() == 1


def test_a_timer_that_gets_more_time_while_it_rings_rings_once_more(talk: Talk) -> None:
    set_timer(talk, 60)
    (first,) = talk.wait(60)
    talk.ask("HassIncreaseTimer", duration=300)
    talk.play(first)  # the answer was on its way
    assert talk.timers() == 1
    (second,) = talk.wait(300)
    assert isinstance(second, SpokenReply)
    assert isinstance(first, SpokenReply)
    assert second.utterance_id != first.utterance_id
    talk.play(second)
    assert talk.timers() == 0


def test_several_timers_ring_each_in_turn(talk: Talk) -> None:
    set_timer(talk, 120, "tea")
    set_timer(talk, 60, "egg")
    set_timer(talk, 120, "rice")
    assert texts(talk.wait(60)) == ["Your egg timer is done."]
    told = texts(talk.wait(60))
    assert "Your tea timer is done." in told
    assert "Your rice timer is done." in told


def test_stop_ends_the_ringing(talk: Talk) -> None:
    set_timer(talk, 60)
    set_timer(talk, 600, "tea")
    talk.wait(60)
    assert talk.ask("HassNevermind") == "Okay."
    assert talk.timers() == 1
    assert talk.wait(500) == []


def test_a_killed_process_rings_in_time(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.wait(300)
    talk.restart()
    assert talk.stage.deadline_s() == 0.0
    assert talk.wait(299) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_killed_while_ringing_it_rings_on_under_the_same_name(talk: Talk) -> None:
    set_timer(talk, 60)
    (ring,) = talk.wait(60)
    talk.restart()
    assert talk.wait(1) == [ring]


def test_after_a_hang_the_ring_says_that_it_is_late(talk: Talk) -> None:
    set_timer(talk, 60)
    talk.at_s += 60 + 720
    talk.now += timedelta(seconds=60 + 720)
    assert texts(talk.feed(Tick())) == ["Your pasta timer was due at 6:31 pm, twelve minutes ago."]


def test_a_reboot_in_between_changes_nothing(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.wait(100)
    talk.reboot(off_s=100)
    assert talk.wait(399) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_due_while_off_it_rings_at_the_start_and_says_so(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.reboot(off_s=600 + 1500)
    told = ["Your pasta timer was due at 6:40 pm, 25 minutes ago."]
    assert texts(talk.wait(1)) == told


def test_due_on_another_day_the_day_is_said(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.reboot(off_s=24 * 3600)
    told = ["Your pasta timer was due yesterday at 6:40 pm, 23 hours and 50 minutes ago."]
    assert texts(talk.wait(1)) == told


def test_a_clock_that_is_behind_after_a_reboot_does_not_hold_a_timer_back(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.wait(1)
    talk.reboot(off_s=0)
    talk.now -= timedelta(days=365)
    assert talk.wait(599) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


@pytest.mark.parametrize(
    ("change", "left"), [("HassIncreaseTimer", 900), ("HassDecreaseTimer", 300)]
)
def test_nor_one_that_was_moved(talk: Talk, change: str, left: int) -> None:
    set_timer(talk, 660)
    talk.wait(60)
    talk.ask(change, duration=300)
    talk.reboot(off_s=0)
    talk.now -= timedelta(days=365)
    assert talk.wait(left - 1) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_a_paused_timer_is_moved_and_stays_paused(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.ask("HassPauseTimer")
    told = "Your pasta timer for ten minutes now has 15 minutes left."
    assert talk.ask("HassIncreaseTimer", duration=300) == told
    assert talk.wait(5000) == []
    talk.ask("HassUnpauseTimer")
    assert talk.wait(899) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_a_timer_that_loses_all_its_time_rings_at_once(talk: Talk) -> None:
    set_timer(talk, 600)
    given = talk.hear("less", command("HassDecreaseTimer", duration=6000))
    assert texts(given)[-1] == "Your pasta timer is done."


def test_and_once_the_clock_is_put_right_the_timer_follows_it(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.reboot(off_s=300)
    talk.now -= timedelta(days=365)
    talk.wait(60)
    talk.now += timedelta(days=365)
    assert talk.wait(239) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


@pytest.mark.parametrize("jump", [timedelta(days=3), TEN_YEARS, -TEN_YEARS])
def test_within_one_boot_the_wall_clock_does_not_matter(talk: Talk, jump: timedelta) -> None:
    set_timer(talk, 600)
    talk.now += jump
    talk.restart()
    assert talk.wait(599) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_a_clock_that_is_ten_years_ahead_after_a_reboot_rings_at_once_and_says_so(
    talk: Talk,
) -> None:
    set_timer(talk, 600)
    talk.now += TEN_YEARS
    talk.reboot(off_s=0)
    (said,) = texts(talk.wait(1))
    assert "was due Monday, January 5, 2026 at 6:40 pm" in said


def test_a_paused_timer_waits_through_kills_and_reboots(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.wait(100)
    assert talk.ask("HassPauseTimer") == (
        "Your pasta timer for ten minutes is paused, with eight minutes and 20 seconds left."
    )
    assert talk.stage.deadline_s() is None
    assert talk.wait(5000) == []
    talk.reboot(off_s=5000)
    assert talk.wait(5000) == []
    talk.ask("HassUnpauseTimer")
    assert talk.wait(499) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


# ── any history ─────────────────────────────────────────────────────────────────────────────


class Player:
    """Playback as the audio process does it: it does not play a name twice, but answers again."""

    def __init__(self, disregards: bool = True) -> None:
        self.disregards = disregards
        self.played: list[str] = []

    def play(self, reply: SpokenReply) -> None:
        if not (self.disregards and reply.utterance_id in self.played):
            self.played.append(reply.utterance_id)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(1, 900)),
        st.tuples(st.just("wait"), st.integers(1, 900)),
        st.tuples(st.just("kill"), st.just(0)),
        st.tuples(st.just("reboot"), st.integers(0, 900)),
        st.tuples(st.just("lose answers"), st.just(0)),
        st.tuples(st.just("answer"), st.just(0)),
    ),
    max_size=12,
)


def live(steps: list[tuple[str, int]], player: Player) -> tuple[int, Talk]:
    """A life of a device: how many timers were acknowledged, and the device at its end."""
    with tempfile.TemporaryDirectory() as folder:
        talk = Talk(path=Path(folder) / "state.db")
        acknowledged, answering = 0, True

        def listen(given: list[Message]) -> None:
            for message in given:
                if isinstance(message, SpokenReply) and message.utterance_id.startswith("timer-"):
                    player.play(message)
                    if answering:
                        talk.play(message)

        for step, number in [*steps, ("answer", 0), ("wait", 2000)]:
            if step == "set":
                given = talk.hear("set", command("HassStartTimer", duration=number))
                acknowledged += sum(isinstance(m, SpokenReply) and m.acted for m in given)
                listen(given)
            elif step == "wait":
                listen(talk.wait(number))
            elif step == "kill":
                talk.restart()
            elif step == "reboot":
                talk.reboot(off_s=number)
            else:
                answering = step == "answer"
        assert talk.timers() == 0
        talk.database.close()
        return acknowledged, talk


@given(STEPS)
def test_each_acknowledged_timer_is_played_exactly_once(steps: list[tuple[str, int]]) -> None:
    player = Player()
    acknowledged, _ = live(steps, player)
    assert len(player.played) == len(set(player.played)) == acknowledged


def test_control_a_player_that_plays_names_twice_is_caught() -> None:
    player = Player(disregards=False)
    steps = [("lose answers", 0), ("set", 10), ("wait", 60), ("kill", 0), ("wait", 1)]
    acknowledged, _ = live(steps, player)
    assert len(player.played) > acknowledged


def test_control_a_store_that_forgets_is_caught() -> None:
    with tempfile.TemporaryDirectory() as folder:
        talk = Talk(path=Path(folder) / "state.db")
        set_timer(talk, 60)
        talk.database.execute("DELETE FROM timers")
        talk.restart()
        assert talk.wait(1000) == []
        talk.database.close()


# ── kill -9 ─────────────────────────────────────────────────────────────────────────────────

SETS_TIMERS = """
import sys
from pathlib import Path
from tests.support.talking import Talk

talk = Talk(path=Path(sys.argv[1]))
while True:
    print(talk.ask("HassStartTimer", duration=60), flush=True)
"""


@pytest.mark.parametrize("lines", [1, 2, 7, 30])
def test_every_timer_acknowledged_before_kill_9_rings(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "state.db"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", SETS_TIMERS, str(path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        acknowledged += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL
    talk = Talk(path=path)
    rung = {m.utterance_id for m in talk.wait(61) if isinstance(m, SpokenReply)}
    # The last may have been written down and its acknowledgement not yet spoken.
    assert len(acknowledged) <= len(rung) <= len(acknowledged) + 1
    talk.database.close()


# ── a full disk ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> None:
    try:
        with (disk / "filler").open("wb", buffering=0) as filler:
            while filler.write(b"\0" * 4096):
                pass
    except OSError:
        return


def set_until_refused(talk: Talk, seconds: float) -> tuple[int, str]:
    """Set timers until the disk is full: how many were acknowledged, and the refusal's code."""
    for acknowledged in range(1000):
        try:
            set_timer(talk, seconds)
        except StorageError as error:
            return acknowledged, error.code
    return 1000, ""


def test_on_a_full_disk_no_timer_is_acknowledged_that_is_not_kept(small_disk: Path) -> None:
    talk = Talk(path=small_disk / "state.db")
    set_timer(talk, 600)
    fill(small_disk)
    acknowledged, code = set_until_refused(talk, 600)
    acknowledged += 1
    assert code in ("storage.full", "storage.io")
    assert talk.timers() == acknowledged
    talk.restart()
    assert talk.timers() == acknowledged
    talk.database.close()


def test_on_a_full_disk_questions_are_answered_and_timers_ring_once(small_disk: Path) -> None:
    talk = Talk(path=small_disk / "state.db")
    set_timer(talk, 60)
    fill(small_disk)
    set_until_refused(talk, 6000)
    assert talk.ask("HassGetCurrentTime") == "It's 6:30 pm."
    (ring,) = talk.wait(60)
    with pytest.raises(StorageError):
        talk.play(ring)
    assert talk.wait(600) == []
    talk.database.close()


def test_a_full_disk_at_the_start_keeps_no_timer_from_ringing(small_disk: Path) -> None:
    talk = Talk(path=small_disk / "state.db")
    set_timer(talk, 60)
    talk.database.close()
    fill(small_disk)
    talk.open()
    assert texts(talk.wait(60)) == ["Your pasta timer is done."]
    talk.database.close()


# ── the skill ───────────────────────────────────────────────────────────────────────────────


def test_the_timers_are_told(talk: Talk) -> None:
    assert talk.ask("HassTimerStatus") == "There is no timer."
    set_timer(talk, 600)
    talk.wait(60)
    told = "Your pasta timer for ten minutes has nine minutes left."
    assert talk.ask("HassTimerStatus") == told
    talk.ask("HassStartTimer", duration=300)
    assert talk.ask("HassTimerStatus") == (
        "You have two timers: the timer for five minutes has five minutes left "
        "and the pasta timer for ten minutes has nine minutes left."
    )
    assert talk.ask("HassTimerStatus", name="pasta") == told
    assert talk.ask("HassTimerStatus", start_duration=600) == told
    assert talk.ask("HassTimerStatus", name="tea") == "There is no tea timer."


def test_a_timer_is_cancelled_by_name_or_length(talk: Talk) -> None:
    set_timer(talk, 600)
    set_timer(talk, 300, "tea")
    assert talk.ask("HassCancelTimer", name="egg") == "There is no egg timer."
    assert talk.ask("HassCancelTimer", name="tea") == (
        "Your tea timer for five minutes is cancelled."
    )
    assert talk.ask("HassCancelTimer", start_duration=600) == (
        "Your pasta timer for ten minutes is cancelled."
    )
    assert talk.wait(1000) == []


def test_with_several_it_asks_which(talk: Talk) -> None:
    set_timer(talk, 600)
    talk.ask("HassStartTimer", duration=300)
    assert talk.ask("HassCancelTimer") == "Which timer: five minutes or pasta?"
    assert talk.say("pasta") == "Your pasta timer for ten minutes is cancelled."


def test_all_are_cancelled_at_once(talk: Talk) -> None:
    assert talk.ask("HassCancelAllTimers") == "There is no timer."
    set_timer(talk, 600)
    set_timer(talk, 300, "tea")
    assert talk.ask("HassCancelAllTimers") == "I cancelled two timers."


def test_time_is_added_and_taken_off(talk: Talk) -> None:
    set_timer(talk, 600)
    assert talk.ask("HassIncreaseTimer", duration=60) == (
        "Your pasta timer for ten minutes now has eleven minutes left."
    )
    assert talk.ask("HassDecreaseTimer", duration=360) == (
        "Your pasta timer for ten minutes now has five minutes left."
    )
    assert talk.wait(299) == []
    assert texts(talk.wait(1)) == ["Your pasta timer is done."]


def test_a_timer_that_is_taken_back_does_not_ring(talk: Talk) -> None:
    set_timer(talk, 600)
    assert talk.ask("HassTimerStatus") != ""
    assert talk.ask("Undo") == "I took that back."
    assert talk.wait(1000) == []
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_a_timer_of_no_time_is_refused(talks: Callable[..., Talk]) -> None:
    talk = talks()
    assert set_timer(talk, 0) == "A timer needs more time than that."
    assert talk.timers() == 0


@pytest.mark.parametrize("seconds", [32_000_000, 10**12, 10**13])
def test_a_timer_of_more_than_a_year_is_refused(talk: Talk, seconds: int) -> None:
    assert set_timer(talk, seconds) == "A timer can run for a year at most."
    set_timer(talk, 600)
    told = talk.ask("HassIncreaseTimer", duration=seconds)
    assert told == "A timer can run for a year at most."
    assert talk.timers() == 1
    assert texts(talk.wait(600)) == ["Your pasta timer is done."]


def test_nor_may_any_other_skill_set_one(talk: Talk) -> None:
    timers = TimerScheduler(talk.database, lambda: talk.now, talk.boot)
    with pytest.raises(SkillError, match="for a year at most"):
        timers.start(timedelta(days=367))
    timer = timers.start(timedelta(days=300))
    with pytest.raises(SkillError, match="for a year at most"):
        timers.extend(timer.id, timedelta(days=67))


def test_what_is_less_than_no_time_is_no_time(talk: Talk) -> None:
    assert set_timer(talk, -(10**12)) == "A timer needs more time than that."
    set_timer(talk, 600)
    told = talk.ask("HassIncreaseTimer", duration=-(10**12))
    assert told == "A timer is changed by more time than that."
    assert texts(talk.wait(600)) == ["Your pasta timer is done."]


def test_a_hundred_timers_are_enough(talk: Talk) -> None:
    for number in range(MOST_TIMERS):
        set_timer(talk, 600 + number)
    assert set_timer(talk, 60) == "You have 100 timers already. Cancel one first."
    assert talk.timers() == MOST_TIMERS
    talk.ask("HassCancelAllTimers")
    assert set_timer(talk, 60).endswith("starting now.")


@pytest.mark.parametrize("column", ["duration_s", "span_s", "due_unix_s", "due_boot_s"])
@pytest.mark.parametrize("value", [1e300, -1e300, float("inf"), float("-inf")])
def test_a_damaged_row_costs_only_itself(
    talk: Talk, caplog: pytest.LogCaptureFixture, column: str, value: float
) -> None:
    set_timer(talk, 300, "tea")
    talk.database.execute(f"UPDATE timers SET {column} = ?", value)
    set_timer(talk, 600)
    told = "Your pasta timer for ten minutes has ten minutes left."
    assert talk.ask("HassTimerStatus") == told
    talk.restart()
    (ring,) = talk.wait(600)
    assert texts([ring]) == ["Your pasta timer is done."]
    talk.play(ring)
    assert talk.timers() == 1  # it stays for whoever can mend it
    assert "(timer.damaged)" in caplog.text


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_that_jumps_by_ten_years_holds_nothing_back(talk: Talk, years: int) -> None:
    set_timer(talk, 600)
    talk.now += timedelta(days=365 * years)
    assert talk.wait(599) == []
    (ring,) = talk.wait(1)
    assert texts([ring]) == ["Your pasta timer is done."]
    talk.play(ring)
    set_timer(talk, 600, "tea")
    talk.reboot(off_s=0)
    talk.now -= timedelta(days=365 * years)
    assert any("tea timer" in text for text in texts(talk.wait(600)))


def test_a_name_is_the_same_however_it_is_written(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=600, name="Pizza ")
    assert talk.ask("HassCancelTimer", name="pizza") == (
        "Your Pizza timer for ten minutes is cancelled."
    )


@pytest.mark.parametrize("change", ["HassIncreaseTimer", "HassDecreaseTimer"])
@pytest.mark.parametrize("seconds", [0, -60])
def test_a_timer_is_not_changed_by_less_than_nothing(talk: Talk, change: str, seconds: int) -> None:
    set_timer(talk, 600)
    assert talk.ask(change, duration=seconds) == "A timer is changed by more time than that."
    assert talk.wait(599) == []
    assert len(talk.wait(1)) == 1
