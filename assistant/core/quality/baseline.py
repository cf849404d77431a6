"""What a monitor has learned, in a file, so that a restart does not lose it.

It is stored with the versions of the models at work: another model has another certainty and other
shares of flaws.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec

from assistant.core.errors import UNDECODABLE, ModelError
from assistant.core.files import replace_file
from assistant.core.models.manifest import Library
from assistant.core.quality.monitor import Baseline

log = logging.getLogger(__name__)


def models_at_work(library: Library, names: Iterable[str]) -> str:
    """Those models of `library` with their versions, as baselines are stored for them."""
    try:
        known = [name for name in names if name in library.artefacts]
    except ModelError:  # which its first use reports
        return ""
    return ", ".join(f"{name} {library.version(name)}" for name in known)


def read_baseline(file: Path, models: str) -> Baseline:
    """What was stored for `models`; empty when the file is missing or damaged."""
    return _read(file).get(models, {})


def keep_baseline(file: Path, models: str, baseline: Baseline) -> None:
    """Store `baseline`; a write error is logged and affects nothing else."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode({**_read(file), models: baseline}))
    except OSError as error:
        log.warning("%s: %s (quality.unwritable)", file, error.strerror)


def _read(file: Path) -> dict[str, dict[str, float]]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, float]])
    except (OSError, *UNDECODABLE):
        return {}
