"""A stage's simpler path, which a test takes and leaves."""

from __future__ import annotations

from assistant.core.degraded import SimplerPath
from assistant.core.messages import Simplify


class Switched:
    """The simpler path of a stage, on a clock that stands still."""

    def __init__(self) -> None:
        self.path = SimplerPath(lambda: 0.0)

    def on(self) -> None:
        self.path.order(Simplify(stage="any", why="slow", for_s=60.0))

    def off(self) -> None:
        self.path.order(Simplify(stage="any", why="slow", for_s=0.0))
