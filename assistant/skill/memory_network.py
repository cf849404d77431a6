"""A network for the tests of skills, which reaches nothing."""

from __future__ import annotations

from assistant.core.errors import UnreachableError
from assistant.core.network.exchange import LONGEST_WAIT_S
from assistant.skill.network import Response


class MemoryNetwork:
    """`Network` that a test sets; `asked` are the method, the URL and the body of each request.

    `answers` maps each URL to its `Response`; others cannot be reached.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Response] = {}
        self.asked: list[tuple[str, str, str]] = []

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        """Give the answer of a URL."""
        return self._answer("GET", url, "")

    def post(
        self,
        url: str,
        body: str = "",
        *,
        content_type: str = "application/json",
        secret: str | None = None,
        within_s: float = LONGEST_WAIT_S,
    ) -> Response:
        """Give the answer of a URL."""
        return self._answer("POST", url, body)

    def _answer(self, method: str, url: str, body: str) -> Response:
        self.asked.append((method, url, body))
        if url not in self.answers:
            raise UnreachableError("nothing answers there")
        return self.answers[url]
