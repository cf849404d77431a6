"""`assistant skills dev`: what is typed or spoken is said, what is saved is loaded."""

from __future__ import annotations

import sys
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread

from assistant.cli.shared.conversation import Timings, tell
from assistant.cli.shared.output import console
from assistant.core.errors import AssistantError, SkillError
from assistant.core.messages import Commit, DeviceChanged, Level, Message, Woke
from assistant.skill_development.microphone import SpokenTo
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


def listen(session: Session, saved: SavedFiles, spoken_to: SpokenTo) -> None:
    """Take what is spoken, and lines of standard input, and load what is saved, until it ends."""
    _load(session)
    lines, exchange = _lines(), _Exchange(session)
    spoken_to.read(0.0)  # what was said while it was loaded
    console.print("Speak; no wake word is needed. Ctrl-D ends it.", style="dim")
    while True:
        with suppress(Empty):
            line = lines.get_nowait()
            if line is None:
                return
            if line.strip():
                _say(session, line.strip())
        if saved.changed():
            _load(session)
        for message in spoken_to.during(LOOK_S):
            exchange.take(message)


class _Exchange:
    """Gathers what comes of an utterance, and shows it once the person is done."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._begin()

    def take(self, message: Message) -> None:
        """Take a frame, or news of a device or of what is played."""
        if isinstance(message, DeviceChanged):
            told = f"no loudspeaker: {message.detail}; replies are shown only"
            console.print(
                "the loudspeaker is back" if message.present else told, markup=False, soft_wrap=True
            )
        fault = ""
        try:
            for one in self._session.hear(message, self._timings.observe):
                self._gather(one)
        except AssistantError as error:
            fault = error.message
        if any(isinstance(one, Commit) for one in self._messages):
            tell("you", self._messages, self._timings, as_lines=False)
            self._begin()
        if fault:
            console.print(fault, style="red", markup=False, soft_wrap=True)

    def _begin(self) -> None:
        self._messages: list[Message] = []
        self._timings = Timings()

    def _gather(self, message: Message) -> None:
        if isinstance(message, Woke):
            self._begin()
            console.print("listening …", style="dim")
        if not isinstance(message, Level):
            self._messages.append(message)


def _lines() -> Queue[str | None]:
    """The lines of standard input as they come, then None."""
    lines: Queue[str | None] = Queue()

    def read() -> None:
        # A fork, such as that which makes the ear's network, closes sys.stdin: it would wait for
        # ever for a thread that reads it.
        with open(sys.stdin.fileno(), closefd=False) as typed:
            for line in typed:
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
