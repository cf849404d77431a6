"""The file of the calendar: read as a whole, replaced as a whole, and left alone if damaged."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

from assistant.core.errors import SkillError
from assistant.core.files import read_text, replace_file
from skills.capabilities.calendar.text import EMPTY, events_in

LARGEST_BYTES = 4 << 20
"""Most bytes of the file."""
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

log = logging.getLogger(__name__)


class CalendarFile:
    """The iCalendar file at `path`; a file that there is not yet is an empty calendar."""

    def __init__(self, path: Path) -> None:
        self._path, self._logged = path, ""
        self._read: tuple[tuple[int, ...], str, dict[str, str]] = ((), "", {})

    def text(self) -> str:
        """The whole text; raises `SkillError` with words for the user."""
        return self._known()[0]

    def events(self) -> dict[str, str]:
        """UID → the text of its events; raises likewise."""
        return self._known()[1]

    def require_writable(self) -> None:
        """Raise `SkillError` where a change could not be written."""
        self._known()
        try:
            locked = not stat.S_IMODE(self._path.stat().st_mode) & _WRITABLE
        except OSError:  # it is not there yet
            locked = False
        if locked or not os.access(self._path.parent, os.W_OK | os.X_OK):
            raise self._fault(
                "calendar.read_only", f"I can't change {self._path.name}; I may only read it."
            )

    def begin(self) -> None:
        """Make an empty calendar where there is no file; raises `OSError`."""
        if not self._path.exists():
            self.replace(EMPTY)

    def replace(self, text: str) -> None:
        """Replace the text, durably and in one step; raises `OSError`."""
        try:
            mode = stat.S_IMODE(self._path.stat().st_mode)
        except FileNotFoundError:
            mode = stat.S_IRUSR | stat.S_IWUSR
        replace_file(self._path, text.encode(), mode)

    def _known(self) -> tuple[str, dict[str, str]]:
        name = self._path.name
        try:
            facts = self._path.stat()
            stamp = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
            if stamp != self._read[0]:
                text = read_text(self._path, LARGEST_BYTES).removeprefix("\ufeff") or EMPTY
                self._read = stamp, text, events_in(text)
                self._logged = ""
        except FileNotFoundError:
            return EMPTY, {}
        except OSError as error:
            told = f"I can't read {name}: {error.strerror}."
            raise self._fault("calendar.unreadable", told) from error
        except ValueError as error:  # no UTF-8, or no calendar
            told = f"I can't read {name}, as it is damaged. I leave it as it is."
            raise self._fault("calendar.damaged", told) from error
        return self._read[1:]

    def _fault(self, code: str, told: str) -> SkillError:
        if self._logged != code:  # it is asked for again and again
            log.error("the calendar %s cannot be used (%s)", self._path, code)
        self._logged = code
        return SkillError(code, told)
