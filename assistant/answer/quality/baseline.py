"""What the monitor has learned about answers, in a file, so that a restart does not lose it.

It is stored with the versions of the models that made the answers: another model has another
certainty and other shares of flaws.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from assistant.answer.quality.monitor import Baseline
from assistant.core.files import replace_file

log = logging.getLogger(__name__)


def read_baseline(file: Path, models: str) -> Baseline:
    """What was stored for `models`; empty when the file is missing or damaged."""
    return _read(file).get(models, {})


def keep_baseline(file: Path, models: str, baseline: Baseline) -> None:
    """Store `baseline`; a write error is logged and affects no answer."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode({**_read(file), models: baseline}))
    except OSError as error:
        log.warning("answer: %s: %s (quality.unwritable)", file, error.strerror)


def _read(file: Path) -> dict[str, dict[str, float]]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, float]])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
