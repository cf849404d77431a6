"""The network of one skill: what it asks for goes through the bridge, which alone has one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from assistant.core.errors import BridgeError, SkillError, UnreachableError
from assistant.core.network.exchange import LONGEST_WAIT_S, Fetch, Fetched, Refused, ask_bridge
from assistant.core.network.origin import Origin, split
from assistant.skill.network import Response

LARGEST_BODY_BYTES = 32_768


class BridgeNetwork:
    """Implements `Network` for a skill; without a `socket` nothing can be reached, as in trials."""

    def __init__(self, socket: Path | None, skill: str) -> None:
        self._socket, self._skill = socket, skill

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        """Ask for `url`."""
        return self._fetched(url, "GET", secret, within_s)

    def post(
        self,
        url: str,
        body: str = "",
        *,
        content_type: str = "application/json",
        secret: str | None = None,
        within_s: float = LONGEST_WAIT_S,
    ) -> Response:
        """Send `body`."""
        if len(body.encode()) > LARGEST_BODY_BYTES:
            raise SkillError("skill.network", "a body has 32 kB at most")
        return self._fetched(url, "POST", secret, within_s, body, content_type)

    def _fetched(
        self,
        url: str,
        method: Literal["GET", "POST"],
        secret: str | None,
        within_s: float,
        body: str = "",
        content_type: str = "",
    ) -> Response:
        origin, target = asked_of(url)
        if self._socket is None:
            raise UnreachableError(f"{origin}: there is no network here, but in the daemon alone")
        fetch = Fetch(
            skill=self._skill,
            origin=origin,
            method=method,
            target=target if target.startswith("/") else f"/{target}",
            body=body,
            content_type=content_type,
            secret=secret or "",
            within_s=min(within_s, LONGEST_WAIT_S),
        )
        try:
            answer = ask_bridge(self._socket, fetch, fetch.within_s)
        except BridgeError as error:
            raise UnreachableError(f"{origin}: {error.message}") from error
        match answer:
            case Fetched():
                return Response(status=answer.status, body=answer.body)
            case Refused(code=UnreachableError.CODE):
                raise UnreachableError(answer.message)
            case Refused():
                raise SkillError(answer.code, answer.message)
        raise UnreachableError(f"{origin}: the bridge answered something else")


def asked_of(url: str) -> tuple[Origin, str]:
    """The server of a URL, and what is asked of it; raises `SkillError` for what is none."""
    try:
        return split(url)
    except ValueError as error:
        raise SkillError("skill.url", f"a URL is refused: {error}") from error
