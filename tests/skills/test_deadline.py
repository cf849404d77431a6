"""Code that does not come to an end is ended, whatever it does against it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.core.errors import SkillError
from assistant.skill import Context, Reply, Skill
from skills import deadline
from skills.deadline import Overdue, within
from skills.registry import Registry
from tests.support.talking import Talk

SHORT_S = 0.05
PATIENCE_S = 60.0
HOLDS_ON = """
from skills.deadline import within

def act():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass

within(0.05, act)
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine an interrupt may wait longer than the last resort, which ends pytest."""
    monkeypatch.setattr(deadline, "LAST_RESORT_S", PATIENCE_S)


def loops() -> None:
    while True:
        pass


def catches_all_exceptions() -> None:
    while True:
        with suppress(Exception):
            loops()


def catches_some_interrupts() -> None:
    for _ in range(3):
        with suppress(BaseException):
            loops()
    loops()


def waits() -> None:
    time.sleep(60)


@pytest.mark.parametrize("act", [loops, catches_all_exceptions, catches_some_interrupts, waits])
def test_what_does_not_end_is_interrupted(act: object) -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Overdue):
        within(SHORT_S, act)  # type: ignore[arg-type]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_what_ends_in_time_is_given_and_nothing_interrupts_later() -> None:
    assert within(60, lambda: 3) == 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 / 0)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_in_another_thread_there_is_no_limit() -> None:
    given: list[int] = []
    thread = threading.Thread(target=lambda: given.append(within(0.0, lambda: 3)))
    thread.start()
    thread.join()
    assert given == [3]


def test_what_holds_on_ends_the_process_with_its_line() -> None:
    ended = subprocess.run((sys.executable, "-c", HOLDS_ON), capture_output=True, text=True)
    assert ended.returncode == 1
    assert "in act" in ended.stderr


def test_a_skill_that_loops_is_named_and_nothing_of_it_stays(tmp_path: Path) -> None:
    skill = Skill("mill")

    @skill.intent("Grind", "grind")
    def grind(context: Context) -> Reply:
        context.lists.add("shopping", "flour")
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        signal.setitimer(signal.ITIMER_REAL, SHORT_S)  # its time is over soon, and not before
        while True:
            pass

    @skill.intent("Rest", "rest")
    def rest() -> Reply:
        return Reply("Resting.")

    registry = Registry()
    registry.add("mill", lambda: skill)
    talk = Talk(path=tmp_path / "state.db", registry=registry)
    with pytest.raises(SkillError) as slow:
        talk.ask("Grind")
    assert (slow.value.code, slow.value.part) == ("skill.slow", "mill")
    told = 'skill "mill", intent Grind: does not come to an end (' + __file__
    assert slow.value.message.startswith(told)
    assert talk.database.execute("SELECT * FROM list_items") == []
    assert talk.ask("Rest") == "Resting."
    talk.database.close()
