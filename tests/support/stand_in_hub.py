"""A hub of one home: it hears, answers and summarises what a test says, or is no good."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from assistant.bridge.network.fetcher import Fetcher
from assistant.bridge.network.grants import ServerGrants
from assistant.bridge.network.hub import HubClient
from assistant.bridge.network.secrets import Secrets
from assistant.bridge.network.server import NetworkServer
from assistant.core.config import Config
from assistant.core.network.hub import Hub
from assistant.core.settings.hub import HubSettings

KEY = "the key of this home"
WORDS = "where is the good marmalade"


@contextmanager
def hub_for_stages(there: StandInHub, folder: Path) -> Iterator[Hub]:
    """How stages ask a hub, by a bridge's network that this process serves; they wait 0.5 s."""
    key, socket = folder / "key", folder / "network.sock"
    key.write_text(KEY)
    key.chmod(0o600)
    settings = HubSettings(url=there.url, key_file=str(key), within_s=0.5)
    for_skills = Fetcher(ServerGrants(Config, {}), Secrets(None), ssl.create_default_context())
    with closing(NetworkServer(socket, for_skills, HubClient(settings))):
        yield Hub(settings, socket)


class StandInHub:
    """Listens on a free port of 127.0.0.1 until it is closed.

    `asked` are the paths and bodies of what came with the right key. `how` is "well", or what is
    wrong: "silent", "cut" in the middle of a reply, "rubbish", or a status of HTTP.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[tuple[str, bytes]] = []
        self.traces: list[str] = []
        """The header `traceparent` of each, "" for none."""
        self.connections = 0
        self.how = "well"
        self.answer: Mapping[str, Any] = {
            "text": "In the larder.",
            "done": True,
            "title": "the larder's list",
            "place": "Jars",
        }
        self._ended = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                hub.connections += 1

            def do_GET(self) -> None:
                hub._serve(self)

            def do_POST(self) -> None:
                hub._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            self._send(request, 401, b"{}")
            return
        self.asked.append((request.path, body))
        self.traces.append(request.headers.get("traceparent", ""))
        content = json.dumps(self._reply(request.path)).encode()
        match self.how:
            case "silent":
                self._ended.wait(30)
            case "cut":
                request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
                request.close_connection = True
            case "rubbish":
                self._send(request, 200, b'{"words": 5, "text": []}')
            case "well":
                self._send(request, 200, content)
            case status:
                self._send(request, int(status), b"{}")

    def _reply(self, path: str) -> object:
        if path.startswith("/v1/hear"):
            return {
                "transcript": WORDS,
                "words": [
                    {"text": word, "start_s": 0.2 * at, "end_s": 0.2 * at + 0.2, "confidence": 0.9}
                    for at, word in enumerate(WORDS.split())
                ],
            }
        return self.answer if path in ("/v1/answer", "/v1/summarise") else []

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, status: int, content: bytes) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)
