"""The network as a skill sees it: one question to a server that the user lets it ask."""

from __future__ import annotations

from typing import Protocol

import msgspec

from assistant.core.network.exchange import LONGEST_WAIT_S


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """What a server answered, whatever its status says."""

    status: int
    """The status of HTTP, such as 200 or 404."""
    body: bytes = b""

    @property
    def text(self) -> str:
        """The body as UTF-8; what is none of it is replaced."""
        return self.body.decode("utf-8", "replace")


class Network(Protocol):
    """Servers that the skill has the permission `network:http://host:port` for.

    Both calls wait for the answer, `within_s` seconds at most. They raise `UnreachableError` where
    none comes in that time, where it has over 256 kB, where the server's certificate is refused or
    where it sends the caller elsewhere; and `SkillError` where the permission is lacking.
    """

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        """Ask for `url`; `secret` names the user's secret that goes along, which no skill sees."""

    def post(
        self,
        url: str,
        body: str = "",
        *,
        content_type: str = "application/json",
        secret: str | None = None,
        within_s: float = LONGEST_WAIT_S,
    ) -> Response:
        """Send `body`, of 32 kB at most; it is not taken back when the turn fails or is undone."""
