"""The header by which a caller names its trace."""

from __future__ import annotations

import pytest

from assistant.control.traces.context import TraceContext, trace_context

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.mark.parametrize(
    "header", [f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-00", f"01-{TRACE}-{SPAN}-01-later"]
)
def test_the_callers_trace_and_span_are_read(header: str) -> None:
    assert trace_context(header) == TraceContext(TRACE, SPAN)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "nonsense",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-later",
        f"00-{TRACE}-{SPAN}-1",
        f"00-{TRACE}-{SPAN}-01\n",
    ],
)
def test_what_the_standard_has_ignored_begins_no_trace(header: str) -> None:
    assert trace_context(header) is None
