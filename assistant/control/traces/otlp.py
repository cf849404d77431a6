"""OTLP's JSON: a line for each utterance, as OpenTelemetry's file exporters write it.

https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/. The structs name the fields of its
protobuf that are used here; ids are hexadecimal there, and 64-bit numbers are texts.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from importlib.metadata import version

import msgspec

from assistant.control.traces.context import TraceContext
from assistant.control.traces.spans import Span, Value
from assistant.core.traces.ids import span_id_of, trace_id_of

INTERNAL, SERVER = 1, 2
"""The kinds of a span that calls nobody, and of one that was called."""
ERROR = 2
"""The status of a span that failed."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What an export is made of."""


class AnyValue(_Part, frozen=True, kw_only=True):
    """A value; one of its fields is set."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: str | None = None
    double_value: float | None = None

    @property
    def value(self) -> str | float | bool | None:
        """The field that is set."""
        fields = (self.string_value, self.bool_value, self.int_value, self.double_value)
        return next((one for one in fields if one is not None), None)


class KeyValue(_Part, frozen=True, kw_only=True):
    """An attribute."""

    key: str
    value: AnyValue


class SpanStatus(_Part, frozen=True, kw_only=True):
    """Whether a span failed."""

    code: int = 0
    message: str = ""


class SpanRecord(_Part, frozen=True, kw_only=True):
    """A span."""

    trace_id: str
    span_id: str
    parent_span_id: str = ""
    name: str
    kind: int = 0
    start_time_unix_nano: str
    end_time_unix_nano: str
    attributes: tuple[KeyValue, ...] = ()
    status: SpanStatus = SpanStatus()


class Scope(_Part, frozen=True, kw_only=True):
    """What made the spans."""

    name: str = ""
    version: str = ""


class ScopeSpans(_Part, frozen=True, kw_only=True):
    """The spans of one maker."""

    scope: Scope = Scope()
    spans: tuple[SpanRecord, ...] = ()


class Resource(_Part, frozen=True, kw_only=True):
    """The device and its assistant."""

    attributes: tuple[KeyValue, ...] = ()


class ResourceSpans(_Part, frozen=True, kw_only=True):
    """The spans of one device."""

    resource: Resource = Resource()
    scope_spans: tuple[ScopeSpans, ...] = ()


class Export(_Part, frozen=True, kw_only=True):
    """A line: an `ExportTraceServiceRequest`."""

    resource_spans: tuple[ResourceSpans, ...] = ()

    @property
    def spans(self) -> tuple[SpanRecord, ...]:
        """All its spans."""
        return tuple(
            span
            for resource in self.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        )


_ENCODER, _DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(Export)


class Exporter:
    """Writes lines for a `service` of this device; `kind` is that of what is whole."""

    def __init__(self, service: str = "hark", kind: int = INTERNAL) -> None:
        self._kind = kind
        program = version("hark-assistant")
        device = {"service.version": program, "host.name": socket.gethostname()}
        self._scope = Scope(name="hark", version=program)
        self._resource = Resource(attributes=_attributes({"service.name": service, **device}))

    def line(
        self,
        utterance_id: str,
        spans: Iterable[Span],
        epoch_ns: int,
        caller: TraceContext | None = None,
    ) -> bytes:
        """The line of an utterance, without its newline; `epoch_ns` is when the clock began.

        Where a `caller` asked for it, it is a part of the caller's trace.
        """
        own = trace_id_of(utterance_id)
        above = caller or TraceContext(own, "")
        records = tuple(self._record(above, own, span, epoch_ns) for span in spans)
        scoped = ScopeSpans(scope=self._scope, spans=records)
        device = ResourceSpans(resource=self._resource, scope_spans=(scoped,))
        return _ENCODER.encode(Export(resource_spans=(device,)))

    def _record(self, above: TraceContext, own: str, span: Span, epoch_ns: int) -> SpanRecord:
        attributes = {"hark.process": span.process, **span.attributes}
        if span.error:
            attributes["error.type"] = span.error
        return SpanRecord(
            trace_id=above.trace_id,
            span_id=span_id_of(own, span.name, span.number),
            parent_span_id=span_id_of(own, span.parent) if span.parent else above.span_id,
            name=span.name,
            kind=INTERNAL if span.parent else self._kind,
            start_time_unix_nano=str(epoch_ns + round(span.begins_s * 1e9)),
            end_time_unix_nano=str(epoch_ns + round(span.ends_s * 1e9)),
            attributes=_attributes(attributes),
            status=SpanStatus(code=ERROR, message=span.error) if span.error else SpanStatus(),
        )


def read_line(line: bytes) -> Export:
    """The export in a line; raises `msgspec.DecodeError` for what is none."""
    return _DECODER.decode(line)


def _attributes(values: Mapping[str, Value]) -> tuple[KeyValue, ...]:
    return tuple(KeyValue(key=key, value=_any(value)) for key, value in values.items())


def _any(value: Value) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=str(value))
        case float():
            return AnyValue(double_value=value)
    return AnyValue(string_value=value)
