"""What is told of the satellites."""

from __future__ import annotations

from assistant.core.parts import Control, Id


class SatelliteChanged(Control, frozen=True, kw_only=True):
    """A satellite came or went; that it is there is told again and again."""

    satellite: Id
    area: Id
    """Where it stands."""
    present: bool
