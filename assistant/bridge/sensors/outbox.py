"""What is published about sensors, and waits where the client of the broker takes no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assistant.bridge.payloads import Publication

AGAIN_S = 1.0
"""Seconds after which what the client did not take is given to it again."""


class Outbox:
    """Publications in their order; `publish` says whether the client has taken one.

    What the client has taken it keeps while the broker is away, but not any number. Here waits one
    of each topic and payload, and of a retained topic the newest: this is bounded by the sensors'
    file.
    """

    def __init__(self, publish: Callable[[Publication], bool]) -> None:
        self._publish = publish
        self._waiting: dict[tuple[str, bytes], Publication] = {}
        self._again_at_s = 0.0

    def put(self, publications: Iterable[Publication], at_s: float) -> None:
        """Publish these, now or as soon as that is possible."""
        for one in publications:
            key = (one.topic, b"" if one.retain else one.payload)
            self._waiting.pop(key, None)
            self._waiting[key] = one
        self.send(at_s)

    def send(self, at_s: float) -> None:
        """Publish what waits, as far as the client takes it."""
        self._again_at_s = at_s + AGAIN_S
        for key, one in list(self._waiting.items()):
            if not self._publish(one):
                return
            del self._waiting[key]

    def due_s(self) -> float | None:
        """When `send` is to be called; None for not at all."""
        return self._again_at_s if self._waiting else None
