"""The rules of one supervised process, with time as data."""

from __future__ import annotations

import math
import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.messages import SafeModeEntered
from assistant.supervision.bounds import waits_s
from assistant.supervision.channel import Beat
from assistant.supervision.process import Backoff, Patience, Process, ProcessSpec, ProcessState

PATIENCE = Patience()
BEAT = Beat()


def process(safe: bool = False, hang_after_s: float = 5.0) -> Process:
    spec = ProcessSpec(name="asr", target="m:f", safe=safe, hang_after_s=hang_after_s)
    return Process(spec, PATIENCE, 0.0)


def started(subject: Process, now_s: float) -> Process:
    """It is forked and beats at once."""
    assert subject.due(now_s)
    subject.start(now_s)
    subject.forked(7)
    subject.beaten(BEAT, now_s)
    return subject


def failing(subject: Process, times: int, now_s: float) -> list[SafeModeEntered | None]:
    """What comes of starting it and failing at once, each time as soon as it is due."""
    outcomes = []
    for _ in range(times):
        now_s = max(now_s, subject.deadline_s())
        started(subject, now_s)
        outcomes.append(subject.ended("killed by SIGSEGV", now_s))
    return outcomes


def test_it_is_due_at_once_and_running_at_its_first_beat() -> None:
    subject = process()
    assert subject.due(0.0)
    subject.start(0.0)
    assert not subject.forked(7)
    assert subject.state is ProcessState.STARTING
    assert subject.beaten(BEAT, 1.0)
    assert not subject.beaten(BEAT, 2.0)
    assert (subject.state, subject.settled, subject.pid) == (ProcessState.RUNNING, True, 7)


def test_starting_takes_longer_than_a_beat_may() -> None:
    subject = process()
    subject.start(0.0)
    assert not subject.overdue(59.9)
    assert subject.overdue(60.0)


@pytest.mark.parametrize("hang_after_s", [5.0, 10.0])
def test_silence_is_allowed_for_as_long_as_its_spec_says(hang_after_s: float) -> None:
    subject = started(process(hang_after_s=hang_after_s), 0.0)
    subject.beaten(BEAT, 3.0)
    assert not subject.overdue(3.0 + hang_after_s - 0.1)
    assert subject.overdue(3.0 + hang_after_s)


def test_one_that_reloads_may_take_as_long_as_at_its_start() -> None:
    subject = started(process(hang_after_s=5.0), 0.0)
    subject.beaten(Beat(state="reloading"), 3.0)
    assert not subject.overdue(62.9)
    assert subject.overdue(63.0)
    subject.beaten(BEAT, 20.0)
    assert subject.overdue(25.0)


def test_one_that_was_killed_for_hanging_is_not_killed_twice_and_keeps_its_reason() -> None:
    subject = started(process(), 0.0)
    subject.kill("hung", 5.0)
    assert not subject.overdue(math.inf)
    assert not subject.beaten(BEAT, 5.1)
    assert subject.ended("killed by SIGKILL", 5.2) is None
    assert (subject.reason, subject.pid) == ("hung", None)


def test_one_beyond_its_bounds_is_left_to_end_by_itself_and_keeps_that_reason() -> None:
    subject = started(process(), 0.0)
    subject.retire("out of bounds", 10.0)
    subject.beaten(BEAT, 11.0)
    assert not subject.settled
    assert not subject.overdue(69.9)
    subject.ended("exited with status 0", 20.0)
    assert (subject.state, subject.reason) == (ProcessState.WAITING, "out of bounds")


def test_one_beyond_its_bounds_that_goes_on_working_is_killed_for_that() -> None:
    subject = started(process(), 0.0)
    subject.retire("out of bounds", 10.0)
    assert subject.overdue(70.0)
    subject.kill("hung", 70.0)
    subject.ended("killed by SIGKILL", 70.1)
    assert subject.reason == "out of bounds"


def test_one_that_leaks_again_and_again_within_a_minute_is_switched_off() -> None:
    subject = process()
    for now_s in (0.0, 10.0, 20.0):
        started(subject, now_s)
        subject.retire("out of bounds", now_s + 1.0)
        told = subject.ended("exited with status 0", now_s + 2.0)
    assert told == SafeModeEntered(stage="asr")


def test_a_restart_is_told_apart_from_the_first_start() -> None:
    subject = started(process(), 0.0)
    subject.ended("exited with status 1", 1.0)
    subject.start(2.0)
    assert subject.forked(8)
    assert subject.restarts == 1


def test_back_off_grows_to_its_longest_and_is_forgotten_after_a_healthy_minute() -> None:
    backoff = Backoff(PATIENCE)
    delays = [backoff.failed(ran_s=0.0) for _ in range(8)]
    assert delays == [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 10.0, 10.0]
    assert backoff.failed(ran_s=60.0) == 0.1


def test_the_third_failure_within_a_minute_is_safe_mode() -> None:
    subject = process()
    assert failing(subject, 3, 0.0) == [None, None, SafeModeEntered(stage="asr")]
    assert (subject.state, subject.settled) == (ProcessState.RESTING, True)


def test_three_failures_over_more_than_a_minute_are_not() -> None:
    subject = process()
    assert [failing(subject, 1, at_s)[0] for at_s in (0.0, 31.0, 62.0)] == [None, None, None]
    assert failing(subject, 1, 63.0) == [SafeModeEntered(stage="asr")]


def test_in_safe_mode_it_is_tried_once_a_minute_and_nobody_is_told_again() -> None:
    subject = process()
    failing(subject, 3, 0.0)
    rests_until_s = subject.deadline_s()
    assert not subject.due(rests_until_s - 0.1)
    assert failing(subject, 1, rests_until_s) == [None]
    assert (subject.state, subject.deadline_s()) == (ProcessState.RESTING, rests_until_s + 60.0)


def test_a_reload_ends_its_rest_and_a_healthy_minute_ends_safe_mode() -> None:
    subject = process()
    failing(subject, 3, 0.0)
    subject.wake(5.0)
    started(subject, 5.0)
    subject.beaten(BEAT, 64.9)
    assert subject.safe_mode
    subject.beaten(BEAT, 65.0)
    assert not subject.safe_mode


def test_what_safe_mode_needs_never_rests() -> None:
    subject = process(safe=True)
    assert failing(subject, 50, 0.0) == [None] * 50
    assert subject.deadline_s() - 10.0 < 50 * 10.0


def test_to_go_down_with_the_zygote_is_no_failure_of_its_own() -> None:
    subject = process()
    for now_s in range(10):
        started(subject, now_s)
        subject.lost("the zygote died", now_s)
    assert subject.state is ProcessState.WAITING
    assert not subject.safe_mode


def test_one_that_rests_goes_on_resting_when_the_zygote_is_lost() -> None:
    subject = process()
    failing(subject, 3, 0.0)
    subject.lost("the zygote died", 10.0)
    assert subject.state is ProcessState.RESTING


def test_it_is_fresh_while_it_is_mended_but_not_for_ever() -> None:
    subject = started(process(safe=True), 0.0)
    subject.ended("exited with status 1", 5.0)
    assert subject.fresh(59.9)
    assert not subject.fresh(60.0)


@given(st.lists(st.floats(0.0, 100.0), max_size=40), st.booleans())
def test_whatever_happens_there_is_always_a_next_step(gaps_s: list[float], safe: bool) -> None:
    subject, now_s = process(safe=safe), 0.0
    for gap_s in gaps_s:
        now_s += gap_s
        if subject.due(now_s):
            started(subject, now_s)
        elif subject.overdue(now_s):
            subject.kill("hung", now_s)
            subject.ended("killed by SIGKILL", now_s)
        assert subject.deadline_s() < math.inf
        assert safe <= (not subject.safe_mode)


def test_before_its_first_start_nothing_is_known_of_it() -> None:
    subject = process()
    assert (subject.pid, subject.beat, subject.reason) == (None, BEAT, "")
    assert (subject.restarts, subject.safe_mode, subject.settled) == (0, False, False)
    assert subject.deadline_s() == 0.0
    assert not subject.due(-0.1)


def test_each_state_has_its_deadline() -> None:
    subject = process()
    subject.start(10.0)
    assert not subject.due(math.inf)
    assert subject.deadline_s() == 70.0
    subject.forked(7)
    assert subject.deadline_s() == 70.0
    subject.beaten(BEAT, 20.0)
    assert subject.deadline_s() == 25.0
    subject.beaten(BEAT, 22.0)
    assert subject.deadline_s() == 27.0
    subject.kill("hung", 27.0)
    assert subject.state is ProcessState.ENDING
    assert subject.deadline_s() == math.inf
    assert not subject.due(math.inf)
    subject.ended("killed by SIGKILL", 28.0)
    assert (subject.state, subject.deadline_s()) == (ProcessState.WAITING, 28.1)
    assert not subject.overdue(math.inf)


def test_what_counts_for_the_back_off_is_how_long_it_ran() -> None:
    subject, now_s = process(safe=True), 1000.0
    waited = []
    for ran_s in (1.0, 59.9, 1.0, 60.0, 1.0):
        started(subject, now_s)
        subject.ended("exited with status 1", now_s + ran_s)
        waited.append(round(subject.deadline_s() - now_s - ran_s, 3))
        now_s = subject.deadline_s()
    assert waited == [0.1, 0.5, 1.0, 0.1, 0.5]


def test_the_last_reason_and_every_restart_are_told() -> None:
    subject = started(process(safe=True), 0.0)
    for count, reason in enumerate(("exited with status 1", "killed by SIGSEGV"), start=1):
        subject.ended(reason, 1.0)
        assert (subject.reason, subject.pid) == (reason, None)
        subject.start(2.0)
        assert subject.forked(7 + count)
        assert (subject.restarts, subject.pid) == (count, 7 + count)


def test_failures_a_minute_apart_still_count_and_a_moment_more_do_not() -> None:
    together, apart = process(), process()
    assert [failing(together, 1, at_s)[0] for at_s in (0.0, 30.0, 60.0)][-1] is not None
    assert [failing(apart, 1, at_s)[0] for at_s in (0.0, 30.0, 60.1)][-1] is None


def test_one_failure_is_enough_where_no_more_are_allowed() -> None:
    spec = ProcessSpec(name="asr", target="m:f")
    subject = Process(spec, Patience(failures=1, rest_s=7.0), 0.0)
    assert failing(subject, 1, 0.0) == [SafeModeEntered(stage="asr")]
    assert (subject.safe_mode, subject.deadline_s()) == (True, 7.0)


def test_what_goes_down_with_the_zygote_is_due_at_once_and_says_so() -> None:
    subject = started(process(), 0.0)
    subject.lost("the zygote died", 3.0)
    assert (subject.state, subject.pid, subject.reason) == (
        ProcessState.WAITING,
        None,
        "the zygote died",
    )
    assert subject.due(3.0)
    assert subject.deadline_s() == 3.0
    # One that was down already has a reason of its own.
    started(subject, 4.0)
    subject.ended("exited with status 1", 5.0)
    subject.lost("the zygote died", 5.0)
    assert (subject.reason, subject.due(5.0)) == ("exited with status 1", True)


def test_a_reload_hurries_none_but_those_that_rest() -> None:
    subject = started(process(), 0.0)
    subject.ended("exited with status 1", 1.0)
    subject.wake(1.0)
    assert not subject.due(1.05)
    resting = process()
    failing(resting, 3, 0.0)
    resting.wake(9.0)
    assert resting.due(9.0)
    assert not resting.due(8.9)


def test_one_that_rests_needs_no_help_of_systemd() -> None:
    subject = process()
    failing(subject, 3, 0.0)
    assert subject.fresh(1e9)
    assert not process().fresh(60.0)
    assert process().fresh(59.9)


def test_how_long_the_supervisor_waits_for_the_rest() -> None:
    assert (PATIENCE.zygote_s, PATIENCE.look_s, PATIENCE.stop_s) == (5.0, 10.0, 1.5)


def test_what_is_shown_of_its_state() -> None:
    shown = ["waiting", "starting", "running", "retiring", "ending", "safe mode"]
    assert [state.value for state in ProcessState] == shown


def test_what_it_waited_for_a_processor_is_no_silence_until_it_beats_again() -> None:
    subject = started(process(), 0.0)
    subject.note_waits({"7": 1.0, "8": 90.0})
    subject.beaten(BEAT, 1.0)
    subject.note_waits({"7": 3.0, "8": 90.0})
    subject.note_waits({"7": 4.0, "9": 0.5})
    assert subject.deadline_s() == 1.0 + 5.0 + 2.0 + 1.0
    subject.beaten(BEAT, 8.0)
    assert subject.deadline_s() == 13.0


def test_the_threads_of_forks_wait_for_a_processor_as_well() -> None:
    with subprocess.Popen(("sleep", "60")) as fork:
        own, whole = waits_s(os.getpid()), waits_s(os.getpid(), forks=True)
        fork.kill()
    assert str(os.getpid()) in own
    assert set(whole) - set(own) >= {str(fork.pid)}
    assert waits_s(fork.pid) == {}
