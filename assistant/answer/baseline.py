"""What the monitor has learned of answers, in a file, so that a restart does not forget it."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from assistant.answer.monitor import Baseline
from assistant.core.durable import replace_file

log = logging.getLogger(__name__)


def read_baseline(file: Path) -> Baseline:
    """What was kept; nothing, to be learned anew, when the file is missing or damaged."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, float])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def keep_baseline(file: Path, baseline: Baseline) -> None:
    """Keep `baseline`; a disk that does not take it is logged and costs nobody an answer."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode(baseline))
    except OSError as error:
        log.warning("answer: %s: %s (quality.unwritable)", file, error.strerror)
