"""The last request of each conversation, so that it can go on at a worker without it."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from assistant.pool.requests import PoolRequest

KEPT, FRESH_S = 1000, 60.0
"""Most conversations that are remembered, and for how long after their last request."""


class _Last(NamedTuple):
    said_s: float
    request: PoolRequest
    before: PoolRequest | None
    """What was asked before it."""


class Conversations:
    """Remembers what each stage was asked last in each, by the key of the requests' shape."""

    def __init__(self) -> None:
        self._last: OrderedDict[tuple[str, str], _Last] = OrderedDict()

    def before(self, stage: str, request: PoolRequest, now_s: float) -> PoolRequest | None:
        """What `stage` was asked before in a request's conversation, while that is fresh.

        From now on this request is the last one of it. One that is asked once more, as of another
        version of a model, has the same before it.
        """
        if not request.shape.key:
            return None
        key = stage, request.shape.key
        last = self._last.pop(key, None)
        if last is None or now_s - last.said_s >= FRESH_S:
            before = None
        elif last.request.utterance_id == request.utterance_id:
            before = last.before
        else:
            before = last.request.replayed()
        self._last[key] = _Last(now_s, request, before)
        while len(self._last) > KEPT:
            self._last.popitem(last=False)
        return before
