"""The traces of the hub's calls, as they are kept and as `assistant trace` shows them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra hub is not installed")
pytest.importorskip("httpx", reason="the test client of the extra hub is not installed")

from fastapi.testclient import TestClient

from assistant.cli import trace
from assistant.control.traces.otlp import SERVER
from assistant.control.traces.ring import LineRing, LoggedRing, lines_of
from assistant.core.layout import HUB_TRACES_FOLDER
from assistant.core.traces.ids import trace_id_of
from assistant.hub.gateway import application
from assistant.hub.observation.traces import CallTracer
from assistant.hub.service import Service
from tests.support.hub_streams import KEYS, TENANTS, Streams, sound
from tests.support.otlp import facts_of, parsed, spans_in

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CALLER = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
Ask = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / HUB_TRACES_FOLDER


@pytest.fixture
def ask(folder: Path) -> Iterator[Ask]:
    tracer = CallTracer(LoggedRing(LineRing(folder)))
    clock = iter(range(0, 1_000_000, 60))  # nobody asks too often
    service = Service(
        Streams(), TENANTS, list, clock=lambda: next(clock), observers=(tracer.observe,)
    )
    with TestClient(application(service), raise_server_exceptions=False) as client:
        key = {"Authorization": f"Bearer {KEYS['red']}"}

        def post(path: str, caller: dict[str, str] = CALLER, **body: Any) -> Any:
            return client.post(path, headers=key | caller, **body)

        yield post


def traced(folder: Path) -> list[dict[str, Any]]:
    """The spans of each call by their names."""
    return [
        {span.name: span for span in spans_in(parsed(line)).values()} for line in lines_of(folder)
    ]


def test_a_call_is_a_part_of_its_callers_trace(ask: Ask, folder: Path) -> None:
    assert ask("/v1/interpret", json={"text": "lamp off"}).status_code == 200
    (spans,) = traced(folder)
    whole, part = spans["/v1/interpret"], spans["understanding"]
    assert {span.trace_id.hex() for span in spans.values()} == {TRACE}
    assert (whole.parent_span_id.hex(), part.parent_span_id) == (SPAN, whole.span_id)
    assert whole.kind == SERVER
    facts = facts_of(whole)
    assert (facts["hark.tenant"], facts["hark.status"]) == ("red", 200)
    assert facts_of(part)["hark.retries"] == 0


@pytest.mark.parametrize("caller", [{}, {"traceparent": "00-nonsense"}], ids=["none", "nonsense"])
def test_without_a_caller_the_trace_is_that_of_the_hubs_own_id(
    ask: Ask, folder: Path, caller: dict[str, str]
) -> None:
    for _ in range(2):
        ask("/v1/interpret", caller, json={"text": "lamp off"})
    wholes = [spans["/v1/interpret"] for spans in traced(folder)]
    assert [one.trace_id.hex() for one in wholes] == [
        trace_id_of(facts_of(one)["hark.utterance.id"]) for one in wholes
    ]
    assert wholes[0].trace_id != wholes[1].trace_id
    assert not any(one.parent_span_id for one in wholes)


def test_two_calls_of_one_trace_have_spans_of_their_own(ask: Ask, folder: Path) -> None:
    for _ in range(2):
        ask("/v1/interpret", json={"text": "lamp off"})
    ids = [span.span_id for spans in traced(folder) for span in spans.values()]
    assert len(ids) == len(set(ids))


def test_the_parts_fit_the_whole(ask: Ask, folder: Path) -> None:
    ask("/v1/hear", content=sound(1.0))
    (spans,) = traced(folder)
    whole, heard, meant = (spans[n] for n in ("/v1/hear", "recognition", "understanding"))
    assert whole.start_time_unix_nano <= heard.start_time_unix_nano
    assert heard.end_time_unix_nano <= meant.start_time_unix_nano
    assert meant.end_time_unix_nano <= whole.end_time_unix_nano


def test_what_fails_has_the_code_of_its_fault(ask: Ask, folder: Path) -> None:
    assert ask("/v1/interpret", json={"text": "fail"}).status_code == 500
    assert ask("/v1/answer", json={"text": "fail"}).status_code == 500
    assert ask("/v1/interpret", json={"text": "busy"}).status_code == 503
    codes = [{span.status.message for span in spans.values()} for spans in traced(folder)]
    assert codes == [{"nlu.internal"}, {"answer.broken"}, {"pool.busy"}]


def test_what_asks_no_stage_is_not_traced(ask: Ask, folder: Path) -> None:
    assert ask("/v1/interpret", json={"text": ""}).status_code == 422
    assert list(lines_of(folder)) == []


def test_no_word_of_a_hundred_calls_is_in_their_traces(ask: Ask, folder: Path) -> None:
    for number in range(25):
        said = {"text": f"xylophone {number}", "area": "zanzibar"}
        ask("/v1/interpret", json=said)
        ask("/v1/answer", json=said, caller=CALLER | {"Accept": "text/event-stream"})
        ask("/v1/summarise", json={"name": f"xylophone {number}", "area": "zanzibar"})
        ask("/v1/hear?area=zanzibar", content=sound(0.1))
    written = b"\n".join(lines_of(folder)).lower()
    assert len(traced(folder)) == 100
    assert not [
        word for word in (b"xylophone", b"zanzibar", b"lights", b"asked") if word in written
    ]
    assert b"/v1/interpret" in written


def test_a_full_disk_loses_traces_and_no_call(
    ask: Ask, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("in the way")
    with caplog.at_level(logging.WARNING):
        told = [ask("/v1/interpret", json={"text": "lamp off"}) for _ in range(2)]
    assert [one.status_code for one in told] == [200, 200]
    assert [record.message.split()[-1] for record in caplog.records] == ["(traces.unwritable)"]


def test_the_command_shows_and_exports_them(
    ask: Ask, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask("/v1/hear", content=sound(0.5))
    config = folder.parent / "config.toml"
    config.write_text(f'[storage]\nstate = "{folder.parent}"\n')
    (spans,) = traced(folder)
    own = facts_of(spans["/v1/hear"])["hark.utterance.id"]
    for name in ("", TRACE, own):
        trace.show(name, config, hub=True, json=True)
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [(row["name"], row["depth"]) for row in rows] == [
            ("/v1/hear", 0),
            ("recognition", 1),
            ("understanding", 1),
        ]
    trace.export(None, config, hub=True)
    assert TRACE in capsys.readouterr().out
