"""The prompt of `assistant skills dev`: what is typed is said, what is saved is loaded."""

from __future__ import annotations

import sys
from queue import Empty, Queue
from threading import Thread

from assistant.cli.shared.conversation import Timings, tell
from assistant.cli.shared.output import console
from assistant.core.errors import SkillError
from assistant.skill_development.saved import SavedFiles
from assistant.skill_development.session import Session

LOOK_S = 0.2
"""Seconds from one look at the folder to the next."""
_PROMPT = "> "


def converse(session: Session, saved: SavedFiles) -> None:
    """Say each line of standard input, and load what is saved, until the input ends."""
    _load(session)
    lines = _lines()
    _ask()
    while True:
        try:
            line = lines.get(timeout=LOOK_S)
        except Empty:
            line = ""
        if saved.changed():
            console.print()
            _load(session)
            _ask()
        if line is None:
            return
        if line.strip():
            _say(session, line.strip())
            _ask()


def _lines() -> Queue[str | None]:
    """The lines of standard input as they come, then None."""
    lines: Queue[str | None] = Queue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    Thread(target=read, name="prompt", daemon=True).start()
    return lines


def _ask() -> None:
    console.print(_PROMPT, end="")
    sys.stdout.flush()


def _load(session: Session) -> None:
    milliseconds = session.load()
    if session.fault:
        console.print(session.fault, style="red", markup=False, soft_wrap=True)
    else:
        console.print(f"loaded in {milliseconds:.0f} ms", style="dim")


def _say(session: Session, text: str) -> None:
    timings = Timings()
    try:
        tell(text, session.say(text, timings.observe), timings, as_lines=False)
    except SkillError as error:
        console.print(error.message, style="red", markup=False, soft_wrap=True)
