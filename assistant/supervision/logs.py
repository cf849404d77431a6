"""The log format of every process; lines go to stderr, which journald reads.

A message is one line, whatever was sent from outside and stands in it. Of a traceback each line is
indented, so that none of it looks like another message.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from types import TracebackType
from typing import Any

from assistant.core.errors import one_line

LONGEST_LINE = 2_000
"""Most characters of a message, and of a line of a traceback."""
LONGEST_TRACEBACK = 200
"""Most lines of a traceback; its end is kept."""

# journald takes the priority of a line from this prefix (sd-daemon(3)).
_PRIORITY = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}


class _LogFormatter(logging.Formatter):
    def __init__(self, process: str, journal: bool) -> None:
        clock = "" if journal else "%(asctime)s.%(msecs)03d "
        super().__init__(f"{clock}{process}: %(levelname)s %(message)s", "%H:%M:%S")
        self._journal = journal

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return one_line(super().formatMessage(record), LONGEST_LINE)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        lines = super().formatException(ei).splitlines()[-LONGEST_TRACEBACK:]
        return "\n".join(f"  {one_line(line, LONGEST_LINE)}" for line in lines)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if not self._journal:
            return text
        prefix = f"<{_PRIORITY.get(record.levelname, 6)}>"
        return "\n".join(prefix + line for line in text.splitlines())


def _uncaught(
    kind: type[BaseException], error: BaseException | None, where: TracebackType | None
) -> None:
    if error is not None and not issubclass(kind, KeyboardInterrupt | SystemExit):
        logging.critical("ends by a fault of the program", exc_info=(kind, error, where))


def set_up(process: str, level: str) -> None:
    """Log from now on as `process`, at `level` ("debug", "info", "warning", "error") and above."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogFormatter(process, "JOURNAL_STREAM" in os.environ))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # What nobody catches is written as all else is.
    sys.excepthook = _uncaught
    threading.excepthook = lambda found: _uncaught(
        found.exc_type, found.exc_value, found.exc_traceback
    )
    # It logs every instruction set that it tries.
    logging.getLogger("faiss.loader").setLevel(logging.WARNING)
