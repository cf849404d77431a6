"""A CalDAV server that answers whatever a test wants, as a broken or hostile one might."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support.local_server import LocalServer

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


class CalDavServer(LocalServer):
    """A server whose `events` are names and texts, which a test may spoil.

    `spoil` is given a method and the answer, and returns another status and answer; None for
    silence, and bytes for an answer that goes on for ever.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.events: dict[str, str] = {}
        self.asked: list[str] = []
        self.spoil: Spoil = lambda _, body: (207, body)
        super().__init__(tls)

    @property
    def url(self) -> str:
        """Where the collection is."""
        return f"{self.origin}{PATH}"

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        self.asked.append(f"{request.command} {request.path}")
        status, answer = self.spoil(request.command, self._told(request, body.decode()))
        if request.command == "PROPFIND" and request.path != PATH:
            status = status if Path(request.path).name in self.events else 404
        with contextlib.suppress(OSError):
            if answer is None:
                self.ended.wait(30)
            elif isinstance(answer, bytes):
                request.wfile.write(b"HTTP/1.1 207 Multi-Status\r\n\r\n" + HEAD.encode())
                while not self.ended.is_set():
                    request.wfile.write(answer)
            else:
                elsewhere = "http://127.0.0.1/elsewhere/"
                self.send(request, status, answer.encode(), Location=elsewhere)
        request.close_connection = True

    def _told(self, request: BaseHTTPRequestHandler, asked: str) -> str:
        match request.command, request.path:
            case "REPORT", _:
                wanted = (n for n in list(self.events) if _is_asked(n, asked))
                return multistatus(*(self._event(name, asked) for name in wanted))
            case "PROPFIND", path if path == PATH:
                return multistatus(COLLECTION.format(len(self.events)))
            case "PROPFIND", path:
                return multistatus(response(path, "<D:resourcetype/>"))
        return ""

    def _event(self, name: str, asked: str) -> str:
        text = self.events[name]
        data = f"<C:calendar-data>{text}</C:calendar-data>" if "multiget" in asked else ""
        href = name if name.startswith(("/", "http")) else f"{PATH}{name}"
        return response(href, f'<D:getetag>"{len(text)}"</D:getetag>{data}')


def _is_asked(name: str, asked: str) -> bool:
    return "multiget" not in asked or f"/{Path(name).name}<" in asked
