"""A conversation with a command, of which the user's part is known: in the tests' own process.

It stands for `tests.support.terminal` wherever the terminal itself is not what is tested.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.commands import as_process, exit_status

QUESTIONS = "assistant.cli.shared.questions"


class Dialogue(io.TextIOBase):
    """What the user waits for and types; the command runs once all is known, when it `ends`."""

    def __init__(self, *words: str, env: Mapping[str, str], folder: Path) -> None:
        self._words, self._folder = ("assistant", *words), folder
        self._env = {**env, "COLUMNS": "200"}
        self._steps: list[tuple[str, str]] = []
        self._screen, self._seen = io.StringIO(), 0

    @property
    def shown(self) -> str:
        """What the screen shows, with what was typed and not hidden."""
        return self._screen.getvalue()

    def expect(self, words: str) -> None:
        """Wait until the command shows these words, after those of the last call."""
        self._steps.append(("expect", words))

    def answer(self, question: str, line: str = "") -> None:
        """Wait for the question and type a line; "" is Enter alone."""
        self._steps += [("expect", question), ("type", line)]

    def interrupt(self) -> None:
        """Press Ctrl-C, at the next question."""
        self._steps.append(("interrupt", ""))

    def ends(self) -> int:
        """Run the command to its end; the exit status."""
        with (
            as_process(self._words, self._env, self._folder),
            pytest.MonkeyPatch.context() as patch,
        ):
            for name, stream in (("stdin", self), ("stdout", self._screen)):
                patch.setattr(sys, name, stream)
            patch.setattr(sys, "stderr", self._screen)
            patch.setattr(f"{QUESTIONS}.wait_for_line", lambda: None)
            patch.setattr(f"{QUESTIONS}.getpass", self._hidden)
            status = exit_status()
        if any(kind == "type" for kind, _ in self._expected()):
            pytest.fail(f"it ended before all was typed: {self.shown}")
        return status

    def isatty(self) -> bool:
        """As a terminal."""
        return True

    def readline(self, _: int | None = -1, /) -> str:  # type: ignore[override]
        """The line that is typed next, which the screen shows, too."""
        line = self._typed()
        self._screen.write(line)
        return line

    def _hidden(self, prompt: str) -> str:
        self._screen.write(prompt)
        return self._typed().rstrip("\n")

    def _typed(self) -> str:
        for kind, line in self._expected():
            if kind == "interrupt":
                raise KeyboardInterrupt
            return f"{line}\n"
        pytest.fail(f"it asks for more than is typed: {self.shown}")

    def _expected(self) -> Iterator[tuple[str, str]]:
        """The next steps, after what is waited for before each has been seen."""
        while self._steps:
            kind, words = self._steps.pop(0)
            if kind != "expect":
                yield kind, words
            elif (at := self.shown.find(words, self._seen)) < 0:
                pytest.fail(f"no {words!r} came: {self.shown}")
            else:
                self._seen = at + len(words)
