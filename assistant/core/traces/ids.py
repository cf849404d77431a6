"""The ids of an utterance's trace and of its spans, the same wherever they are derived."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ROOT = "utterance"
"""The name of the span of the whole."""
_SPOKEN: ContextVar[str] = ContextVar("spoken", default="")


def trace_id_of(utterance_id: str) -> str:
    """The id of an utterance's trace, 16 bytes in hexadecimal."""
    return hashlib.sha256(utterance_id.encode()).hexdigest()[:32]


def span_id_of(trace_id: str, name: str, number: int = 0) -> str:
    """The id of a span, 8 bytes in hexadecimal; the trace is that of the utterance alone."""
    return hashlib.sha256(f"{trace_id} {name} {number}".encode()).hexdigest()[:16]


@contextmanager
def spoken(utterance_id: str) -> Iterator[None]:
    """Let what is asked of others meanwhile belong to the trace of an utterance."""
    token = _SPOKEN.set(utterance_id)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def traceparent() -> str:
    """W3C's header of the utterance that is worked on; "" for none.

    https://www.w3.org/TR/trace-context/#traceparent-header
    """
    if not (utterance_id := _SPOKEN.get()):
        return ""
    trace_id = trace_id_of(utterance_id)
    return f"00-{trace_id}-{span_id_of(trace_id, ROOT)}-01"
