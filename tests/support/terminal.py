"""A terminal for tests: a command runs in it, and is answered when it asks."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 90.0
"""Seconds in which a command must ask; the first sentences of a home are learnt in half of it."""
_STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """The end at which the user sits."""

    def __init__(self, end: int, process: subprocess.Popen[bytes]) -> None:
        self._end, self.process = end, process
        self._seen = 0
        self.shown = ""

    def expect(self, words: str) -> None:
        """Wait until the command shows these words, after those of the last call."""
        deadline_s = time.monotonic() + PATIENCE_S
        while (at := self.shown.find(words, self._seen)) < 0:
            assert time.monotonic() < deadline_s, f"no {words!r} came: {self.shown[-2000:]}"
            assert self._read(), f"no {words!r} came, and it ended: {self.shown[-2000:]}"
        self._seen = at + len(words)

    def answer(self, question: str, line: str = "") -> None:
        """Wait for the question and type a line; "" is Enter alone."""
        self.expect(question)
        os.write(self._end, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.write(self._end, b"\x03")

    def ends(self) -> int:
        """Wait for the end; the exit status."""
        while self._read():
            pass
        return self.process.wait(PATIENCE_S)

    def _read(self) -> bool:
        """Take what is shown; False where it has ended."""
        if not select.select([self._end], [], [], 1.0)[0]:
            return True
        try:
            piece = os.read(self._end, 65_536)
        except OSError:  # a terminal that nobody writes to any more
            return False
        self.shown += _STYLE.sub("", piece.decode("utf-8", "replace")).replace("\r", "")
        return bool(piece)


@contextmanager
def terminal(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> Iterator[Terminal]:
    """A command at a terminal, in `folder`."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**environment, "TERM": "xterm", "COLUMNS": "200"},
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        os.close(ours)


def _take_terminal() -> None:
    """Make the terminal the one that controls this session, so that Ctrl-C comes from it."""
    # Whoever runs the tests in the background may have Ctrl-C ignored, and that is inherited.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
