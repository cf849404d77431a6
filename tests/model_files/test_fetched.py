"""Bundles are fetched from a server whose word counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from assistant.core.errors import ModelError
from assistant.model_files import fetched as module
from assistant.model_files.fetched import fetched, names_bundle
from assistant.model_files.incoming import INCOMING
from tests.support.local_server import LocalServer, begin

CONTENT = bytes(range(256)) * 2000


class Server(LocalServer):
    """What it says of the file's size, sends, and where it breaks off."""

    protocol = "HTTP/1.0"

    def __init__(self) -> None:
        self.says: int | None = len(CONTENT)
        self.sends = CONTENT
        self.break_after: int | None = None
        self.status = 200
        super().__init__()

    @property
    def url(self) -> str:
        """Where the file is."""
        return f"{self.origin}/a.hark"

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        if request.command == "HEAD":
            sized = {} if self.says is None else {"Content_Length": str(self.says)}
            begin(request, self.status, **sized)
            return
        start = int(request.headers["Range"].removeprefix("bytes=").rstrip("-"))
        begin(request, 206)
        request.wfile.write(self.sends[start:][: self.break_after])


@pytest.fixture
def server() -> Iterator[Server]:
    with closing(Server()) as there:
        yield there


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
