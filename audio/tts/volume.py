"""How loud the assistant speaks: a file that the skills write and the player reads."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from assistant.core.files import replace_file

UNITY_PERCENT = 50
"""Percent at which a voice sounds as its engine made it."""
RANGE = range(10, 101)
_MOST_BYTES = 16

log = logging.getLogger(__name__)


class VolumeFile:
    """The percentage in the file at `path`, which every sentence follows that begins to play.

    It is a copy of what the skills keep, who write it again when they start: one that is missing or
    damaged counts as `UNITY_PERCENT`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def percent(self) -> int:
        """The percentage, from 10 to 100."""
        with suppress(OSError, ValueError), self._path.open("rb") as file:
            percent = int(file.read(_MOST_BYTES))
            if percent in RANGE:
                return percent
        return UNITY_PERCENT

    @property
    def factor(self) -> float:
        """The factor on the samples."""
        return self.percent / UNITY_PERCENT

    def write(self, percent: int) -> None:
        """Have it spoken at `percent` from now on; a disk that refuses it is logged."""
        try:
            replace_file(self._path, f"{percent}\n".encode(), mode=0o600)
        except OSError as error:
            log.warning("%s: %s; the voice stays as loud (audio.volume)", self._path, error)
