"""A time limit for a skill's code, which may loop.

After `seconds` the code is interrupted wherever it is, as by Ctrl-C, and repeatedly if it goes on.
This reaches Python code and waiting system calls. Where even that does not help, as in a C library
that never returns, the process ends a second later with a traceback on stderr: the command line
with status 1, while the daemon's skills are started again. Python interrupts only the main thread;
in another, as under `--single`, the only limit is systemd's watchdog.
"""

from __future__ import annotations

import faulthandler
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from assistant.core.errors import SkillError

MOVE_S = 3.0
"""Most seconds from one reply of a skill to the next; after 5 s the process counts as hung."""
STDERR = 2
AGAIN_S = 0.1
LAST_RESORT_S = 1.0

Result = TypeVar("Result")


class Overdue(BaseException):
    """The time is over; not an `Exception`, since a skill may catch all of those."""


def within(seconds: float, act: Callable[[], Result]) -> Result:
    """What `act` gives; raises `Overdue` when it takes longer."""
    if threading.current_thread() is not threading.main_thread():
        return act()
    before = signal.signal(signal.SIGALRM, _interrupt)
    try:
        try:
            faulthandler.dump_traceback_later(seconds + LAST_RESORT_S, exit=True, file=STDERR)
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
            return act()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also when the interrupt came before the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise Overdue


def in_time(move: Callable[[], Result]) -> Result:
    """What a move of a skill gives; raises `SkillError` when it takes longer than a turn may."""
    try:
        return within(MOVE_S, move)
    except Overdue as error:  # outside of any one skill's code, which has a boundary of its own
        raise SkillError("skill.slow", "the skills do not come to an end") from error
