"""Callers of a pool on Ray Serve, each of whom asks one request after the other."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from assistant.core.errors import AssistantError
from assistant.core.messages import SpokenReply
from assistant.hub.ray.engine import RayError
from assistant.hub.ray.pool import RayPool
from tests.support.pool_stages import asked

STAGE = "answer"
"""The stage is one that says the words of each request, 200 a second."""


class Load:
    """Counts the requests of all callers, and which were lost or answered with other words."""

    def __init__(self, pool: RayPool) -> None:
        self._pool, self._numbers, self._lock = pool, count(), threading.Lock()
        self.took_s: list[float] = []
        self.lost, self.wrong = 0, 0

    @contextmanager
    def of(self, callers: int, words: int, pause_s: float = 0.0) -> Iterator[None]:
        """Callers who ask for about so many words each time, while this is open."""
        over = threading.Event()
        threads = [
            threading.Thread(target=self._call, args=(random.Random(seed), words, pause_s, over))
            for seed in range(callers)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def where(self) -> str:
        """The process that answers."""
        return self._said(f"where{next(self._numbers)}", "where")[0]

    def _call(self, draw: random.Random, words: int, pause_s: float, over: threading.Event) -> None:
        while not over.wait(draw.uniform(0.0, 2 * pause_s)):
            number = next(self._numbers)
            text = [f"w{number}-{n}" for n in range(draw.randint(words // 2, words * 3 // 2))]
            began_s = time.monotonic()
            try:
                said = self._said(f"u{number}", " ".join(text))
            except (AssistantError, RayError):
                said = None
            with self._lock:
                self.took_s.append(time.monotonic() - began_s)
                self.lost += said is None
                self.wrong += said is not None and said != text

    def _said(self, name: str, text: str) -> list[str]:
        replies = self._pool.run(STAGE, asked(name, text))
        return [reply.text for reply in replies if isinstance(reply, SpokenReply)]
