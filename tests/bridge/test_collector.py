"""Traces on their way to a collector, which takes them, refuses them, or is not there."""

from __future__ import annotations

import logging
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import collector as collector_module
from assistant.bridge.collector import MOST_WAITING, Collector
from assistant.control.traces.otlp import Exporter
from assistant.control.traces.spans import Span
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.errors import ConfigError
from assistant.core.messages import TraceMade
from assistant.core.settings.history import TracesSettings
from tests.support.authority import Authority
from tests.support.mosquitto import PATIENCE_S
from tests.support.otlp import parsed, spans_in
from tests.support.web_server import WebServer

PATH = "/v1/traces"


def export(number: int) -> str:
    spans = [Span("utterance", 1.0, 2.0, "audio", ""), Span("skill", 1.0, 2.0, "skills")]
    return Exporter().line(f"u{number}", spans, 0).decode()


def collector(things: ExitStack, endpoint: str, ca_file: str = "") -> Collector:
    settings = TracesSettings(endpoint=endpoint, ca_file=ca_file)
    return things.enter_context(closing(Collector(settings)))


@pytest.fixture
def web(things: ExitStack) -> WebServer:
    server = things.enter_context(closing(WebServer()))
    server.pages[PATH] = "{}"
    return server


def until(met: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not met():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def test_a_collector_gets_each_trace_once_in_requests_that_its_own_classes_read(
    things: ExitStack, web: WebServer
) -> None:
    there = collector(things, web.origin + PATH)
    for number in range(50):
        there.forward(export(number))
    until(lambda: there.sent == 50)
    got = [spans_in(parsed(body)) for path, _, body in web.asked if path == PATH]
    assert sum(map(len, got)) == len({span for spans in got for span in spans}) == 100
    assert there.dropped == 0


def test_by_https_it_is_trusted_by_the_authority_of_the_settings(
    things: ExitStack, tmp_path: Path
) -> None:
    authority = Authority(tmp_path / "authority")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.sign("IP:127.0.0.1"))
    web = things.enter_context(closing(WebServer(context)))
    web.pages[PATH] = ""
    there = collector(things, web.origin + PATH, str(authority.file))
    there.forward(export(1))
    until(lambda: there.sent == 1)
    stranger = collector(things, web.origin + PATH)
    stranger.forward(export(1))
    until(lambda: stranger.dropped == 1)
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "status 404"),
        ("/elsewhere", "status 302"),
        ("/large", "far too much"),
        ("/rubbish", "no HTTP"),
        ("/partial", "refuses 2 spans"),
    ],
)
def test_what_is_not_taken_is_counted_and_told(
    things: ExitStack, web: WebServer, caplog: pytest.LogCaptureFixture, path: str, reason: str
) -> None:
    web.pages["/partial"] = '{"partialSuccess": {"rejectedSpans": "2"}}'
    there = collector(things, web.origin + path)
    with caplog.at_level(logging.WARNING):
        there.forward(export(1))
        until(lambda: there.dropped == 1)
    (told,) = caplog.messages
    assert reason in told
    assert "1 traces were not sent" in told
    assert there.sent == 0


def test_one_that_is_away_costs_nothing_and_is_told_once(
    things: ExitStack, web: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        there = collector(things, f"http://127.0.0.1:{taken.getsockname()[1]}{PATH}")
        with caplog.at_level(logging.WARNING):
            for number in range(10):
                there.forward(export(number))
            until(lambda: there.dropped == 10)
    assert len(caplog.messages) == 1
    assert "nothing answers there" in caplog.messages[0]


def test_a_slow_one_holds_nobody_up(
    things: ExitStack, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector_module, "ANSWER_S", 60.0)  # until all others have come
    there = collector(things, f"{web.origin}/silent")
    there.forward(export(0))
    until(lambda: len(web.asked) == 1)
    for number in range(MOST_WAITING + 100):
        there.forward(export(number))
    assert there.dropped == 100


@pytest.mark.parametrize("endpoint", ["http://8.8.8.8/v1/traces", "http://[2001:4860::8]/"])
def test_nothing_is_sent_to_the_internet(
    things: ExitStack, caplog: pytest.LogCaptureFixture, endpoint: str
) -> None:
    there = collector(things, endpoint)
    with caplog.at_level(logging.WARNING):
        there.forward(export(1))
        until(lambda: there.dropped == 1)
    assert "not on the local network" in caplog.messages[0]


def test_what_is_no_trace_is_dropped(things: ExitStack, web: WebServer) -> None:
    there = collector(things, web.origin + PATH)
    there.forward('{"resourceSpans": "none"}')
    until(lambda: there.dropped == 1)
    there.forward(export(1))
    until(lambda: there.sent == 1)
    assert [path for path, *_ in web.asked] == [PATH]


def test_an_endpoint_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"traces\.endpoint: it is no URL"):
        Collector(TracesSettings(endpoint="collector:4318"))


def test_the_bridge_forwards_what_the_daemon_traces(
    things: ExitStack, web: WebServer, tmp_path: Path
) -> None:
    runtime, settings = tmp_path / "run", tmp_path / "config.toml"
    lines = (f'[storage]\nruntime = "{runtime}"', f'[traces]\nendpoint = "{web.origin}{PATH}"')
    settings.write_text("\n".join(lines), "utf-8")
    address = things.enter_context(closing(Address(runtime)))
    daemon = things.enter_context(closing(Bus("control", address, [], {}, ())))
    command = (sys.executable, "-m", "assistant", "bridge", "--config", str(settings))
    service = subprocess.Popen(command)
    things.callback(service.wait)
    things.callback(service.kill)

    def forwarded() -> bool:
        # A broadcast is lost until the bridge has found the daemon.
        daemon.send(TraceMade(at_s=boottime_s(), export=export(7)))
        return bool(web.asked)

    until(forwarded)
    path, _, body = web.asked[0]
    assert path == PATH
    assert {one.name for one in spans_in(parsed(body)).values()} == {"utterance", "skill"}
    service.send_signal(signal.SIGTERM)
    assert service.wait(PATIENCE_S) == 0
