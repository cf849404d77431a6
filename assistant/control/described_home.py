"""The home that the bridge has described, kept on the disk: its names outlast a restart.

Names are a part of all sentences and of what is recognised, so new ones are taken over by a reload.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from assistant.core.errors import UNDECODABLE, InputError
from assistant.core.files import read_text, replace_file
from assistant.skill.home import MOST_BYTES, read_home, within_bounds

log = logging.getLogger(__name__)


class DescribedHome:
    """The file of the home, or None where nobody describes one."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def adopt(self, text: str) -> bool:
        """Keep a description, and return whether it is another than the one before.

        One that is no home is refused, and one that cannot be written too: both are logged.
        """
        if self._file is None or text == self._kept():
            return False
        unsayable: list[str] = []
        try:
            document = msgspec.json.decode(text)
            home = read_home(document, "the description of the home", unsayable.append)
            replace_file(self._file, text.encode(), 0o600)
        except InputError as error:
            log.warning("%s (%s)", error.message, error.code)
            return False
        except UNDECODABLE:
            log.warning("what the bridge describes is no home (home.malformed)")
            return False
        except OSError as error:
            log.error("%s cannot be written: %s (storage.home)", self._file, error.strerror)
            return False
        for line in within_bounds(unsayable):
            log.warning("%s (home.name)", line)
        told = "the home has %d areas and %d devices: their names are taken over"
        log.info(told, len(home.areas), len(home.entities))
        return True

    def _kept(self) -> str | None:
        if self._file is None:
            return None
        try:
            return read_text(self._file, MOST_BYTES)
        except (OSError, UnicodeDecodeError):
            return None
