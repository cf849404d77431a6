"""A CalDAV server that answers whatever a test wants, as a broken or hostile one might."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Spoil = Callable[[str, str], tuple[int, str | bytes | None]]
PATH = "/anna/home/"
HEAD = (
    '<D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
    ' xmlns:S="http://calendarserver.org/ns/">'
)
FINE = "<D:status>HTTP/1.1 200 OK</D:status>"


def multistatus(*responses: str) -> str:
    """An answer of these parts."""
    return f"{HEAD}{''.join(responses)}</D:multistatus>"


def response(href: str, properties: str, status: str = FINE) -> str:
    """What an answer tells of one resource."""
    told = f"<D:propstat><D:prop>{properties}</D:prop>{status}</D:propstat>"
    return f"<D:response><D:href>{href}</D:href>{told}</D:response>"


COLLECTION = response(
    PATH,
    "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype><S:getctag>{}</S:getctag>",
)


class CalDavServer:
    """Listens on a free port of 127.0.0.1; `events` are names and texts, which a test may spoil.

    `spoil` is given a method and the answer, and returns another status and answer; None for
    silence, and bytes for an answer that goes on for ever.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.events: dict[str, str] = {}
        self.asked: list[str] = []
        self.spoil: Spoil = lambda _, body: (207, body)
        self._ended = threading.Event()
        there = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_PROPFIND(self) -> None:
                if self.path == PATH:
                    there._answer(self, multistatus(COLLECTION.format(len(there.events))))
                else:
                    there._answer(self, multistatus(response(self.path, "<D:resourcetype/>")))

            def do_REPORT(self) -> None:
                there._answer(self, "")

            def do_PUT(self) -> None:
                there._answer(self, "")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = (
            f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}{PATH}"
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler, body: str) -> None:
        asked = request.rfile.read(int(request.headers.get("Content-Length", 0))).decode()
        self.asked.append(f"{request.command} {request.path}")
        if request.command == "REPORT":
            names = (
                n for n in self.events if "multiget" not in asked or f"/{Path(n).name}<" in asked
            )
            body = multistatus(*(self._event(name, asked) for name in names))
        status, answer = self.spoil(request.command, body)
        if request.command == "PROPFIND" and request.path != PATH:
            status = status if Path(request.path).name in self.events else 404
        with contextlib.suppress(OSError):
            if answer is None:
                self._ended.wait(30)
            elif isinstance(answer, bytes):
                request.wfile.write(b"HTTP/1.1 207 Multi-Status\r\n\r\n" + HEAD.encode())
                while not self._ended.is_set():
                    request.wfile.write(answer)
            else:
                request.send_response(status)
                request.send_header("Content-Length", str(len(answer.encode())))
                request.send_header("Location", "http://127.0.0.1/elsewhere/")
                request.end_headers()
                request.wfile.write(answer.encode())
        request.close_connection = True

    def _event(self, name: str, asked: str) -> str:
        text = self.events[name]
        data = f"<C:calendar-data>{text}</C:calendar-data>" if "multiget" in asked else ""
        href = name if name.startswith(("/", "http")) else f"{PATH}{name}"
        return response(href, f'<D:getetag>"{len(text)}"</D:getetag>{data}')
