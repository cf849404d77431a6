"""The log format of every process; lines go to stderr, which journald reads."""

from __future__ import annotations

import logging
import os
import sys

# journald takes the priority of a line from this prefix (sd-daemon(3)).
_PRIORITY = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}


class _LogFormatter(logging.Formatter):
    def __init__(self, process: str, journal: bool) -> None:
        clock = "" if journal else "%(asctime)s.%(msecs)03d "
        super().__init__(f"{clock}{process}: %(levelname)s %(message)s", "%H:%M:%S")
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if not self._journal:
            return text
        prefix = f"<{_PRIORITY.get(record.levelname, 6)}>"
        return "\n".join(prefix + line for line in text.splitlines())


def set_up(process: str, level: str) -> None:
    """Log from now on as `process`, at `level` ("debug", "info", "warning", "error") and above."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogFormatter(process, "JOURNAL_STREAM" in os.environ))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # It logs every instruction set that it tries.
    logging.getLogger("faiss.loader").setLevel(logging.WARNING)
