"""The trace that a caller has begun, as W3C's header `traceparent` names it.

https://www.w3.org/TR/trace-context/#traceparent-header
"""

from __future__ import annotations

import re

import msgspec

HEADER = "traceparent"
_FORM = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")
_NEVER = "ff"


class TraceContext(msgspec.Struct, frozen=True):
    """The ids, in hexadecimal, of a trace and of the span in it that asks."""

    trace_id: str
    span_id: str


def trace_context(header: str) -> TraceContext | None:
    """What a header says; None for what the standard has ignored.

    Whether the caller keeps its own spans, the last field, decides nothing here.
    """
    found = _FORM.fullmatch(header)
    if found is None:
        return None
    version, trace_id, span_id, more = found.groups()
    if version == _NEVER or (version == "00" and more):
        return None
    if not (trace_id.strip("0") and span_id.strip("0")):
        return None
    return TraceContext(trace_id, span_id)
