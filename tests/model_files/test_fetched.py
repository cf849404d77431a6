"""Bundles are fetched from a server whose word counts for nothing."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.core.errors import ModelError
from assistant.model_files import fetched as module
from assistant.model_files.fetched import fetched, names_bundle
from assistant.model_files.incoming import INCOMING

CONTENT = bytes(range(256)) * 2000


@dataclass
class Server:
    """What it says of the file's size, sends, and where it breaks off."""

    url: str = ""
    says: int | None = len(CONTENT)
    sends: bytes = CONTENT
    break_after: int | None = None
    status: int = 200


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends what its server wants, from where it is asked."""

    served: Server

    def do_HEAD(self) -> None:
        self.send_response(self.served.status)
        if self.served.says is not None:
            self.send_header("Content-Length", str(self.served.says))
        self.end_headers()

    def do_GET(self) -> None:
        begin = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        self.send_response(206)
        self.end_headers()
        left = self.served.sends[begin:]
        with suppress(ConnectionError):  # it may hang up
            self.wfile.write(left[: self.served.break_after])
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    handler = type("BoundHandler", (Handler,), {"served": served})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        served.url = f"http://127.0.0.1:{running.server_port}/a.hark"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield served
        running.shutdown()
        thread.join()


def refused(server: Server, pulled: Path) -> str:
    with pytest.raises(ModelError) as refusal, fetched(pulled, server.url, lambda *_: None):
        pytest.fail("it was fetched")
    return refusal.value.code


def kept(pulled: Path) -> list[int]:
    return [file.stat().st_size for file in (pulled / INCOMING).glob("*.hark")]


def test_a_file_is_there_for_as_long_as_the_block(server: Server, tmp_path: Path) -> None:
    told: list[int] = []
    with fetched(tmp_path, server.url, lambda name, more, size: told.append(more)) as file:
        assert file.read_bytes() == CONTENT
    assert sum(told) == len(CONTENT)
    assert kept(tmp_path) == []


def test_what_was_broken_off_is_resumed(server: Server, tmp_path: Path) -> None:
    server.break_after = 100_000
    assert refused(server, tmp_path) == "model.interrupted"
    assert kept(tmp_path) == [100_000]
    server.break_after = None
    told: list[int] = []
    with fetched(tmp_path, server.url, lambda name, more, size: told.append(more)) as file:
        assert file.read_bytes() == CONTENT
    assert told[0] == 100_000


def test_no_more_is_taken_than_was_told(server: Server, tmp_path: Path) -> None:
    server.sends = CONTENT + bytes(50_000_000)
    assert refused(server, tmp_path) == "model.hub"
    assert kept(tmp_path)[0] < 2 * len(CONTENT)


def test_a_server_that_says_nothing_useful_is_told(server: Server, tmp_path: Path) -> None:
    server.says = None
    assert refused(server, tmp_path) == "model.unreachable"
    server.says, server.status = 1, 404
    assert refused(server, tmp_path) == "model.unreachable"


def test_nothing_is_fetched_that_is_too_large(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.says = module.LARGEST_BYTES + 1
    assert refused(server, tmp_path) == "model.unfit"
    server.says = len(CONTENT)
    monkeypatch.setattr("assistant.model_files.incoming.SPARE_BYTES", 1 << 60)
    assert refused(server, tmp_path) == "model.disk_full"


def test_a_source_of_bundles_is_no_name_of_a_model() -> None:
    assert names_bundle("https://example.org/a.hark")
    assert names_bundle("hf:owner/repository/a.hark")
    assert not names_bundle("whisper-tiny.en")
