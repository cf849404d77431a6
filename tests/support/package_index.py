"""A package index on this machine for pip, in place of the user's; it may be no good."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NOWHERE = "http://127.0.0.1:9/simple"
"""An index that refuses every connection."""


def pip_settings(index: str, cache: Path) -> dict[str, str]:
    """The environment by which pip asks this index alone, and keeps what comes in `cache`."""
    return {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": index,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_CONSTRAINT": "",
        "PIP_CACHE_DIR": str(cache),
    }


class PackageIndex:
    """Listens on a free port of 127.0.0.1 until it is closed; `asked` are the paths of what came.

    `how` is "well", or what is wrong: "silent", "empty" (it has no such package) or "cut" in the
    middle of the wheel.
    """

    def __init__(self, wheel: Path) -> None:
        self.asked: list[str] = []
        self.how = "well"
        self._wheel = wheel
        self._ended = threading.Event()
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/simple"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        if self.how == "silent":
            self._ended.wait(60)
            return
        if self.how == "empty":
            request.send_error(404)
            return
        name = self._wheel.name
        if request.path.endswith(".whl"):
            content = self._wheel.read_bytes()
            self._send(request, "application/zip", content, cut=self.how == "cut")
        else:
            page = f'<!DOCTYPE html><html><body><a href="/{name}">{name}</a></body></html>'
            self._send(request, "text/html", page.encode(), cut=False)

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, kind: str, content: bytes, *, cut: bool) -> None:
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 2] if cut else content)
