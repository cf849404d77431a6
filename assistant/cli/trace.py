"""`assistant trace …`: where the time of the last utterances went, as OpenTelemetry tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from assistant.cli.shared.output import console, emit, write_json
from assistant.control.traces.otlp import ERROR, Export, SpanRecord, read_line
from assistant.control.traces.ring import lines_of
from assistant.core.clock import time_zone
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.files import replace_file
from assistant.core.layout import HUB_TRACES_FOLDER, TRACES_FOLDER
from assistant.core.models.versions import MALFORMED
from assistant.core.traces.ids import trace_id_of

app = typer.Typer(no_args_is_help=True, help="Where the time of the last utterances went.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Hub = Annotated[bool, typer.Option("--hub", help="Calls of a hub that runs by these settings.")]

UTTERANCE = "hark.utterance.id"
WIDTH = 40
"""Columns of the whole utterance."""


class SpanRow(msgspec.Struct, frozen=True, kw_only=True, tag="Span"):
    """A span beside the others of its utterance, in milliseconds since that began."""

    trace_id: str
    name: str
    depth: int
    """How many spans it is a part of."""
    start_ms: float
    ms: float
    error: str = ""
    attributes: dict[str, str | float | bool | None]


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="[ID]", help="Of an utterance or a trace; the last.")
    ] = "",
    config: Config = None,
    hub: Hub = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show where the time of an utterance went, from its first sound to that of the reply."""
    settings, _ = load_config(config_files(config))
    found = _found(_exports(settings, hub), name)
    if found is None:
        wanted = f' of "{name}"' if name else ""
        raise InputError("traces.unknown", f"there is no trace{wanted}; {_remedy(settings)}")
    rows = rows_of(found.spans)
    if json:
        for row in rows:
            emit(row)
        return
    began_s = int(found.spans[0].start_time_unix_nano) / 1e9
    at = datetime.fromtimestamp(began_s, time_zone(settings.home.time_zone))
    console.print(f"{at:%Y-%m-%d %H:%M:%S}  {rows[0].trace_id}", markup=False)
    console.print(_waterfall(rows))


@app.command()
def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="In place of standard output.")
    ] = None,
    config: Config = None,
    hub: Hub = False,
) -> None:
    """Write all traces that are kept, a line of OTLP's JSON each."""
    settings, _ = load_config(config_files(config))
    lines = [line + b"\n" for line, _ in _exports(settings, hub)]
    if file is None:
        write_json(b"".join(lines).decode())
        return
    try:
        replace_file(file, b"".join(lines), 0o600, durable=False)
    except OSError as error:
        raise InputError("traces.file", f"{file}: {error.strerror}") from error
    console.print(f"{len(lines)} traces in {file}", markup=False, soft_wrap=True)


def rows_of(spans: Sequence[SpanRecord]) -> list[SpanRow]:
    """The spans of an utterance, the whole first, each followed by its parts."""
    zero_ns = min(int(span.start_time_unix_nano) for span in spans)
    parts: dict[str, list[SpanRecord]] = {}
    for span in spans:
        parts.setdefault(span.parent_span_id, []).append(span)

    def below(span_id: str, depth: int) -> Iterator[SpanRow]:
        for span in parts.pop(span_id, ()):
            begins_ns, ends_ns = int(span.start_time_unix_nano), int(span.end_time_unix_nano)
            yield SpanRow(
                trace_id=span.trace_id,
                name=span.name,
                depth=depth,
                start_ms=(begins_ns - zero_ns) / 1e6,
                ms=(ends_ns - begins_ns) / 1e6,
                error=span.status.message if span.status.code == ERROR else "",
                attributes={one.key: one.value.value for one in span.attributes},
            )
            yield from below(span.span_id, depth + 1)

    return list(below(spans[0].parent_span_id, 0))


def _exports(settings: Settings, hub: bool) -> Iterator[tuple[bytes, Export]]:
    """All lines that are kept, oldest first; one that is none is passed over."""
    folder = settings.state_dir / (HUB_TRACES_FOLDER if hub else TRACES_FOLDER)
    try:
        for line in lines_of(folder):
            try:
                export = read_line(line)
            except MALFORMED:
                continue
            if _begins_whole(export):
                yield line, export
    except OSError as error:
        message = f"{error.filename or folder}: {error.strerror}; for the service run it by sudo"
        raise InputError("traces.unreadable", message) from error


def _begins_whole(export: Export) -> bool:
    """Whether all its spans are parts of the first one."""
    ids = {span.span_id for span in export.spans}
    return bool(ids) and export.spans[0].parent_span_id not in ids


def _found(exports: Iterator[tuple[bytes, Export]], name: str) -> Export | None:
    """The last trace, or that of an utterance or a trace of that id."""
    ids, last = (name, trace_id_of(name)), None
    for _, export in exports:
        whole = export.spans[0]
        # In the trace of a caller the id is not that of the utterance.
        called = (one.value.value for one in whole.attributes if one.key == UTTERANCE)
        if not name or whole.trace_id in ids or name in called:
            last = export
    return last


def _remedy(settings: Settings) -> str:
    if settings.traces.keep:
        return "each is there some seconds after its reply, until 8 MB of others have come"
    return "set traces.keep = true and run: assistant reload"


def _waterfall(rows: Sequence[SpanRow]) -> Table:
    table = Table("", "start", "ms", "", box=None, pad_edge=False)
    for column in table.columns[1:3]:
        column.justify = "right"
    whole_ms = rows[0].ms or 1.0
    for row in rows:
        begins = min(WIDTH - 1, round(row.start_ms / whole_ms * WIDTH))
        length = max(1, round(row.ms / whole_ms * WIDTH))
        bar = " " * begins + "━" * min(length, WIDTH - begins)
        colour = "red" if row.error else "cyan" if row.depth == 1 else "dim"
        told = f"[{colour}]{bar}[/{colour}] {row.error}".rstrip()
        name = "  " * row.depth + row.name
        table.add_row(name, f"{row.start_ms:.0f}", f"{row.ms:.1f}", told)
    return table
