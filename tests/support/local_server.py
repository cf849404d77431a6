"""A server of HTTP on this machine, whose answers a test decides."""

from __future__ import annotations

import ssl
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

METHODS = ("GET", "HEAD", "POST", "PUT", "PROPFIND", "REPORT")


class Listening:
    """Listens on a free port of 127.0.0.1 until it is closed; `ended` is set then."""

    def __init__(
        self, handler: Callable[..., BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None
    ) -> None:
        self.ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = int(self._server.server_address[1])
        self.scheme = "https" if tls else "http"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def origin(self) -> str:
        """Its origin, as a permission names it."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop listening."""
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Files(Listening):
    """Serves the files of a folder."""

    def __init__(self, folder: Path) -> None:
        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

        super().__init__(partial(Handler, directory=str(folder)))


class LocalServer(Listening, ABC):
    """Gives each request, of whatever method, to `serve`."""

    protocol: ClassVar[str] = "HTTP/1.1"

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.connections = 0
        there = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = self.protocol

            def setup(self) -> None:
                super().setup()
                there.connections += 1

            def answered(self) -> None:
                there.serve(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def log_message(self, *_: object) -> None:
                pass

        for method in METHODS:
            setattr(Handler, f"do_{method}", Handler.answered)
        super().__init__(Handler, tls)

    @abstractmethod
    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer a request, or do not."""

    @staticmethod
    def send(
        request: BaseHTTPRequestHandler, status: int, content: bytes = b"", **headers: str
    ) -> None:
        """Send a reply; the headers' names have `_` for `-`."""
        begin(request, status, Content_Length=str(len(content)), **headers)
        request.wfile.write(content)


def begin(request: BaseHTTPRequestHandler, status: int, **headers: str) -> None:
    """Send the head of a reply."""
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
