"""Questions at a terminal: what is typed is taken, and Ctrl-C is not lost whenever it comes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.terminal import terminal

# One call of C makes both calls, and in between Python runs no step of its own: that is where a
# signal used to be lost.
LATE = """
import ctypes, operator, os, select, signal
from functools import partial

signal.signal(signal.SIGWINCH, lambda *told: print("resized"))

def late(number, reading):
    kill = partial(ctypes.CDLL(None).kill, os.getpid(), number)
    return list(map(operator.call, (kill, reading)))[1]
"""
INTERRUPTED = """
waits = select.select
select.select = lambda *files: late(signal.SIGINT, partial(waits, *files))
"""
RESIZED = """
waits, signals = select.select, [signal.SIGWINCH]

def resized(*files):
    return late(signals.pop(), partial(waits, *files)) if signals else waits(*files)

select.select = resized
"""
ASKED = """
from assistant.cli.shared.questions import ask, confirm
import typer

def command():
    print("heard", ask("Who? "), confirm("Sure?", default=True), confirm("Really?"))

typer.run(command)
"""
PLAIN = """
print("Who?", flush=True)
late(signal.SIGINT, input)
"""


def script(*parts: str) -> tuple[str, ...]:
    return (sys.executable, "-c", "".join(parts))


def test_what_is_typed_is_taken(tmp_path: Path) -> None:
    with terminal(script(ASKED), os.environ, tmp_path) as user:
        user.answer("Who? ", "it is me")
        user.answer("Sure? [Y/n]: ")
        user.answer("Really? [y/N]: ", "perhaps")
        user.expect("Please answer y or n.")
        user.answer("Really? [y/N]: ", "YES")
        user.expect("heard it is me True True")
        assert user.ends() == 0


def test_the_end_of_what_is_typed_ends_it(tmp_path: Path) -> None:
    with terminal(script(ASKED), os.environ, tmp_path) as user:
        user.answer("Who? ", "\x04")
        user.expect("Aborted")
        assert user.ends() == 1


@pytest.mark.parametrize("parts", [(ASKED,), (LATE, INTERRUPTED, ASKED)], ids=["reading", "before"])
def test_ctrl_c_ends_it(tmp_path: Path, parts: tuple[str, ...]) -> None:
    with terminal(script(*parts), os.environ, tmp_path) as user:
        user.expect("Who? ")
        if len(parts) == 1:
            user.interrupt()
        user.expect("Aborted")
        assert user.ends() == 1
        assert "Traceback" not in user.shown


def test_another_signal_ends_nothing(tmp_path: Path) -> None:
    with terminal(script(LATE, RESIZED, ASKED), os.environ, tmp_path) as user:
        user.expect("resized")
        user.answer("", "me")  # it has asked that already
        user.answer("Sure?", "n")
        user.answer("Really?", "y")
        user.expect("heard me False True")
        assert user.ends() == 0


def test_without_it_the_interrupt_waits_for_a_line(tmp_path: Path) -> None:
    with terminal(script(LATE, PLAIN), os.environ, tmp_path) as user:
        user.answer("Who?", "a line")
        user.expect("KeyboardInterrupt")
        assert user.ends() != 0
