"""Optional parts of a stage that are missing or damaged; each failure is reported once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from assistant.core.errors import AssistantError, ModelError, RecognitionError
from assistant.core.messages import StageFailed

T = TypeVar("T")
log = logging.getLogger(__name__)

MANIFEST = "manifest"
"""The part that has failed when the manifest is unusable, so that no model can be checked."""
TELL_AFTER_S = 3.0
"""Seconds after a stage's last work when its faults are reported: the user has been served."""


class Degraded:
    """The parts of `stage` that have failed.

    The first fault of each part is logged and kept until `take_reports` returns it. A stage that
    speaks no replies itself reports them at `deadline_s`, some time after `note_work`.
    """

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._untold: list[StageFailed] = []
        self._parts: set[str] = set()
        self._worked_s: float | None = None

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def note(self, part: str, error: AssistantError) -> None:
        """Record that `part` has failed with `error`."""
        if error.code in ("model.manifest", "model.no_manifest"):
            part = MANIFEST
        if part in self._parts:
            return
        self._parts.add(part)
        told = "%s: goes on without its %s: %s (%s)"
        log.error(told, self._stage, part, error.message, error.code)
        failed = StageFailed(stage=self._stage, code=error.code, message=error.message, part=part)
        self._untold.append(failed)

    def take_reports(self) -> list[StageFailed]:
        """The faults to report, without those of earlier calls."""
        untold, self._untold = self._untold, []
        return untold

    def note_work(self, at_s: float) -> None:
        """Record that a user was served at `at_s`."""
        self._worked_s = at_s

    def deadline_s(self) -> float | None:
        """When to report the faults that are left: some seconds after the last work."""
        if not self._untold or self._worked_s is None:
            return None
        return self._worked_s + TELL_AFTER_S

    def until_fault(self, part: str, messages: Iterable[T]) -> Iterator[T]:
        """`messages`, until a `ModelError`, which is noted and not raised."""
        try:
            yield from messages
        except ModelError as error:
            self.note(part, error)

    def with_note(self, part: str, load: Callable[[], T]) -> Callable[[], T]:
        """`load`, whose `ModelError` is noted before it is raised."""

        def loading() -> T:
            try:
                return load()
            except ModelError as error:
                self.note(part, error)
                raise

        return loading

    def load_or_none(self, part: str, load: Callable[[], T]) -> T | None:
        """What `load` returns; None when it finds no sound model, which is noted."""
        try:
            return load()
        except (ModelError, RecognitionError) as error:
            self.note(part, error)
            return None
