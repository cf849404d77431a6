"""A web server on this machine that behaves, or does not."""

from __future__ import annotations

import contextlib
import ssl
from http.server import BaseHTTPRequestHandler

from tests.support.local_server import LocalServer

LARGE = 300_000


class WebServer(LocalServer):
    """`asked` are the paths of what came, with the header `Authorization` and the body.

    The header is "" for none. `pages` are texts that it serves, by path.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.pages: dict[str, str] = {}
        super().__init__(tls)

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        authorization = request.headers.get("Authorization", "")
        text = body.decode()
        self.asked.append((request.path, authorization, text))
        path, _, query = request.path.partition("?")
        match path:
            case "/hello":
                self.send(request, 200, f"hello {text}".strip().encode())
            case "/missing":
                self.send(request, 404, b"there is none")
            case "/elsewhere":
                self.send(request, 302, Location="/hello")
            case "/large":
                self.send(request, 200, b"x" * LARGE)
            case "/echo":
                self.send(request, 200, f"you sent {authorization}".encode())
            case "/compressed":
                self.send(request, 200, b"x", Content_Encoding="gzip")
            case "/silent":
                self.ended.wait(30)
            case "/drip":
                count = int(query.removeprefix("bytes=") or 1000)
                self._drip(request, b"Content-Length: %d\r\n\r\n" % count + b"x" * count)
            case "/drip-headers":
                self._drip(request, b"X-Long: " + b"x" * 1000)
            case "/rubbish":
                request.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
                request.close_connection = True
            case _ if path in self.pages:
                self.send(request, 200, self.pages[path].encode())

    def _drip(self, request: BaseHTTPRequestHandler, content: bytes) -> None:
        """A byte every 50 ms, so that each one comes in time and the whole does not."""
        with contextlib.suppress(OSError):
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for byte in content:
                if self.ended.wait(0.05):
                    return
                request.wfile.write(bytes([byte]))
        request.close_connection = True
