"""OTLP's JSON as OpenTelemetry's own classes read it."""

from __future__ import annotations

import base64
import json
from typing import Any

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

IDS = ("traceId", "spanId", "parentSpanId")


def parsed(line: bytes | str) -> ExportTraceServiceRequest:
    """The request in a line; raises `google.protobuf.json_format.ParseError` for what is none.

    Its ids are hexadecimal, where protobuf's own JSON has base64.
    """
    request = ExportTraceServiceRequest()
    Parse(json.dumps(json.loads(line, object_hook=_as_protobuf)), request)
    return request


def spans_in(request: ExportTraceServiceRequest) -> dict[str, Span]:
    """The spans of a request by their ids, in hexadecimal."""
    return {
        span.span_id.hex(): span
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }


def facts_of(span: Span) -> dict[str, Any]:
    """The attributes of a span."""
    return {
        one.key: getattr(one.value, one.value.WhichOneof("value") or "") for one in span.attributes
    }


def uncovered_s(spans: dict[str, Span]) -> float:
    """Seconds of the whole utterance in which no part of it took place."""
    (root,) = (one for one in spans.values() if not one.parent_span_id)
    parts = sorted(
        (one.start_time_unix_nano, one.end_time_unix_nano)
        for one in spans.values()
        if one.parent_span_id == root.span_id
    )
    covered_until, gaps = root.start_time_unix_nano, 0
    for begins, ends in parts:
        gaps += max(0, begins - covered_until)
        covered_until = max(covered_until, ends)
    return (gaps + abs(root.end_time_unix_nano - covered_until)) / 1e9


def _as_protobuf(values: dict[str, Any]) -> dict[str, Any]:
    for name in IDS:
        if name in values:
            values[name] = base64.b64encode(bytes.fromhex(values[name])).decode()
    return values
