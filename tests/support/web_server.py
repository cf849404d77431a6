"""A web server on this machine that behaves, or does not."""

from __future__ import annotations

import contextlib
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGE = 300_000


class WebServer:
    """Listens on a free port of 127.0.0.1 until it is closed.

    `asked` are the paths of what came, with the header `Authorization` ("" for none) and the body.
    `pages` are texts that it serves, by path.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.pages: dict[str, str] = {}
        self._ended = threading.Event()
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web._answer(self)

            def do_POST(self) -> None:
                web._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
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
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        length = int(request.headers.get("Content-Length", 0))
        body = request.rfile.read(length).decode()
        authorization = request.headers.get("Authorization", "")
        self.asked.append((request.path, authorization, body))
        path, _, query = request.path.partition("?")
        match path:
            case "/hello":
                self._send(request, 200, f"hello {body}".strip())
            case "/missing":
                self._send(request, 404, "there is none")
            case "/elsewhere":
                self._send(request, 302, "", Location="/hello")
            case "/large":
                self._send(request, 200, "x" * LARGE)
            case "/echo":
                self._send(request, 200, f"you sent {authorization}")
            case "/compressed":
                self._send(request, 200, "x", Content_Encoding="gzip")
            case "/silent":
                self._ended.wait(30)
            case "/drip":
                count = int(query.removeprefix("bytes=") or 1000)
                self._drip(request, b"Content-Length: %d\r\n\r\n" % count + b"x" * count)
            case "/drip-headers":
                self._drip(request, b"X-Long: " + b"x" * 1000)
            case "/rubbish":
                request.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")
                request.close_connection = True
            case _ if path in self.pages:
                self._send(request, 200, self.pages[path])

    def _send(self, request: BaseHTTPRequestHandler, status: int, text: str, **more: str) -> None:
        request.send_response(status)
        for name, value in more.items():
            request.send_header(name.replace("_", "-"), value)
        body = text.encode()
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _drip(self, request: BaseHTTPRequestHandler, content: bytes) -> None:
        """A byte every 50 ms, so that each one comes in time and the whole does not."""
        with contextlib.suppress(OSError):
            request.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for byte in content:
                if self._ended.wait(0.05):
                    return
                request.wfile.write(bytes([byte]))
        request.close_connection = True
