"""A hub of one home: it hears, answers and summarises what a test says, or is no good."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler
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
from tests.support.local_server import LocalServer

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


class StandInHub(LocalServer):
    """`asked` are the paths and bodies of what came with the right key. `how` is "well", or what is
    wrong: "silent", "cut" in the middle of a reply, "rubbish", or a status of HTTP.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[tuple[str, bytes]] = []
        self.traces: list[str] = []
        """The header `traceparent` of each, "" for none."""
        self.how = "well"
        self.answer: Mapping[str, Any] = {
            "text": "In the larder.",
            "done": True,
            "title": "the larder's list",
            "place": "Jars",
        }
        super().__init__(tls)

    @property
    def url(self) -> str:
        """Where it is found."""
        return self.origin

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            self.send(request, 401, b"{}")
            return
        self.asked.append((request.path, body))
        self.traces.append(request.headers.get("traceparent", ""))
        content = json.dumps(self._reply(request.path)).encode()
        match self.how:
            case "silent":
                self.ended.wait(30)
            case "cut":
                request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
                request.close_connection = True
            case "rubbish":
                self.send(request, 200, b'{"words": 5, "text": []}')
            case "well":
                self.send(request, 200, content)
            case status:
                self.send(request, int(status), b"{}")

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
