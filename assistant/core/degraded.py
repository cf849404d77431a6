"""What a stage does without: parts that are missing or damaged, or that take too long for now."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from assistant.core.clock import boottime_s
from assistant.core.errors import AssistantError, ModelError, RecognitionError
from assistant.core.messages import Simplify, StageFailed

T = TypeVar("T")
log = logging.getLogger(__name__)

MANIFEST = "manifest"
"""The part that has failed when the manifest is unusable, so that no model can be checked."""
TELL_AFTER_S = 3.0
"""Seconds after a stage's last work when its faults are reported: the user has been served."""


class SimplerPath:
    """Whether a stage takes its simpler path: it does as an order says, which ends by itself."""

    def __init__(self, clock: Callable[[], float] = boottime_s) -> None:
        self._clock, self._until_s = clock, float("-inf")

    def order(self, order: Simplify) -> None:
        """Take the simpler path for as long as `order` says from now on."""
        self._until_s = self._clock() + order.for_s

    @property
    def taken(self) -> bool:
        """Whether it is taken now."""
        return self._clock() < self._until_s


class Degraded:
    """The parts of `stage` that have failed, and whether it is to take its simpler path for now.

    The first fault of each part is logged and kept until `take_reports` returns it. A stage that
    speaks no replies itself reports them at `deadline_s`, some time after `note_work`.
    """

    def __init__(self, stage: str, simpler: SimplerPath | None = None) -> None:
        self._stage, self._simpler = stage, simpler or SimplerPath()
        self._untold: list[StageFailed] = []
        self._parts: set[str] = set()
        self._worked_s: float | None = None

    @property
    def simpler(self) -> bool:
        """Whether the stage takes its simpler path now."""
        return self._simpler.taken

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
