"""The last request of each conversation, so that it can go on at a worker without it."""

from __future__ import annotations

import math
from collections import OrderedDict

from assistant.pool.requests import PoolRequest

KEPT, FRESH_S = 1000, 60.0
"""Most conversations that are remembered, and for how long after their last request."""


class Conversations:
    """Remembers what each stage was asked last in each, by the key of the requests' shape."""

    def __init__(self) -> None:
        self._last: OrderedDict[tuple[str, str], tuple[float, PoolRequest]] = OrderedDict()

    def before(self, stage: str, request: PoolRequest, now_s: float) -> PoolRequest | None:
        """What `stage` was asked before in a request's conversation, while that is fresh.

        From now on this request is the last one of it.
        """
        if not request.shape.key:
            return None
        key = stage, request.shape.key
        said_s, last = self._last.pop(key, (-math.inf, request))
        self._last[key] = (now_s, request)
        while len(self._last) > KEPT:
            self._last.popitem(last=False)
        return last.replayed() if now_s - said_s < FRESH_S else None
