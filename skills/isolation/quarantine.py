"""Skills that failed too often, and stay off until the user says otherwise."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assistant.core.errors import UNDECODABLE
from assistant.core.files import replace_file

STRIKES = 3
"""Crashes, hangs and broken rules after which a skill is not started any more."""


class Quarantine:
    """How often each skill failed; in memory, until it is told where to keep that."""

    def __init__(self) -> None:
        self._file: Path | None = None
        self._strikes: dict[str, int] = {}

    def keep_in(self, file: Path) -> None:
        """Go on with what a file tells, and keep it there; one that is damaged counts as empty."""
        self._file = file
        try:
            self._strikes = msgspec.json.decode(file.read_bytes(), type=dict[str, int])
        except (OSError, *UNDECODABLE):
            self._strikes = {}

    def strike(self, skill: str) -> None:
        """Note that a skill's process crashed, hung, or sent what nobody agreed on."""
        self._strikes[skill] = self._strikes.get(skill, 0) + 1
        self._keep()

    def holds(self, skill: str) -> bool:
        """Whether a skill stays off."""
        return self._strikes.get(skill, 0) >= STRIKES

    def release(self, skill: str) -> bool:
        """Let a skill begin anew; False for one that had not failed."""
        released = self._strikes.pop(skill, 0) > 0
        if released:
            self._keep()
        return released

    def _keep(self) -> None:
        if self._file is not None:
            replace_file(self._file, msgspec.json.encode(self._strikes))
