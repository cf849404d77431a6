"""Harks that are paired with nobody, or with each other."""

from __future__ import annotations

from pathlib import Path

from assistant.pairing.trust import Trust

NOBODY = Trust(Path("/nonexistent"))
"""Of a Hark that is paired with nobody."""


def paired(folder: Path, name: str) -> tuple[Trust, Trust]:
    """What a base and its satellite keep of each other; the satellite has this name there."""
    base, satellite = Trust(folder / "base"), Trust(folder / name)
    for trust in (base, satellite):
        trust.identity.make()
    base.satellite(name).keep(satellite.identity.certificate)
    satellite.base.keep(base.identity.certificate)
    return base, satellite
