"""A package index on this machine for pip, in place of the user's; it may be no good."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support.local_server import LocalServer, begin

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


class PackageIndex(LocalServer):
    """`asked` are the paths of what came.

    `how` is "well", or what is wrong: "silent", "empty" (it has no such package) or "cut" in the
    middle of the wheel.
    """

    def __init__(self, wheel: Path) -> None:
        self.asked: list[str] = []
        self.how = "well"
        self._wheel = wheel
        super().__init__()

    @property
    def url(self) -> str:
        """Where pip finds it."""
        return f"{self.origin}/simple"

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        self.asked.append(request.path)
        if self.how == "silent":
            self.ended.wait(60)
            return
        if self.how == "empty":
            request.send_error(404)
            return
        name = self._wheel.name
        if not request.path.endswith(".whl"):
            page = f'<!DOCTYPE html><html><body><a href="/{name}">{name}</a></body></html>'
            self.send(request, 200, page.encode(), Content_Type="text/html")
            return
        content = self._wheel.read_bytes()
        size = str(len(content))
        begin(request, 200, Content_Type="application/zip", Content_Length=size)
        request.wfile.write(content[: len(content) // 2] if self.how == "cut" else content)
        request.close_connection = True
