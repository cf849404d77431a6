"""What the answering does without, because it is missing or damaged; each is told once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from assistant.core.errors import AssistantError, ModelError
from assistant.core.messages import StageFailed

T = TypeVar("T")
log = logging.getLogger(__name__)


class Faults:
    """The parts that have failed; the first fault of each is logged and waits to be told."""

    def __init__(self) -> None:
        self._untold: list[StageFailed] = []
        self._parts: set[str] = set()

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def note(self, part: str, error: AssistantError) -> None:
        """Go on without `part`, because of `error`."""
        if part in self._parts:
            return
        self._parts.add(part)
        log.error("answer: goes on without its %s: %s (%s)", part, error.message, error.code)
        failed = StageFailed(stage="answer", code=error.code, message=error.message, part=part)
        self._untold.append(failed)

    def told(self) -> list[StageFailed]:
        """What is to be told since this was last asked."""
        untold, self._untold = self._untold, []
        return untold

    def passing(self, part: str, messages: Iterable[T]) -> Iterator[T]:
        """`messages`, which a `ModelError` ends; that is noted and not raised."""
        try:
            yield from messages
        except ModelError as error:
            self.note(part, error)

    def noting(self, part: str, load: Callable[[], T]) -> Callable[[], T]:
        """`load`, whose `ModelError` is noted before it is raised."""

        def loading() -> T:
            try:
                return load()
            except ModelError as error:
                self.note(part, error)
                raise

        return loading
