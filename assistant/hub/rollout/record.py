"""The record of the hub's trials, which is written beside its event loop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.core.models.trial_file import Trial, TrialFile


class HubTrialFile(TrialFile):
    """Stores each state of a trial in a thread of its own, as calls would wait for the disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = TrialFile(path)
        self._disk = ThreadPoolExecutor(1, "hub trials")

    def all(self) -> tuple[Trial, ...]:
        """As of a `TrialFile`, with all that was kept so far."""
        return self._disk.submit(self._file.all).result()

    def keep(self, trial: Trial) -> None:
        """Store a trial in place of its earlier state, soon."""
        self._disk.submit(self._file.keep, trial)
