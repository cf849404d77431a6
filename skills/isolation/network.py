"""The network of a skill of somebody else: the servers it is granted, and the time of one move."""

from __future__ import annotations

import time

from assistant.core.errors import SkillError, UnreachableError
from assistant.core.network.exchange import LONGEST_WAIT_S
from assistant.skill.network import Network, Response
from skills.capabilities.network import asked_of
from skills.isolation.permissions import Permissions

MOST_REQUESTS = 8
"""Most requests from one thing that a skill says to the next."""
LEFT_S = 0.9
"""Seconds before the end of a skill's move at which no answer is waited for any more.

Its own process ends the move 0.3 s earlier, and on a busy
machine the last answer comes 0.2 s late: some 0.4 s are left for what it makes of the answers.
"""
LEAST_S = 0.05


class Allowance:
    """How much of the network a skill may use until the time `until_s` of the monotonic clock."""

    def __init__(self, until_s: float) -> None:
        self._until_s = until_s - LEFT_S
        self._requests = 0

    def taken(self, wanted_s: float) -> float:
        """The seconds for one more request; raises `SkillError` where there is no more."""
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise SkillError("skill.network", f"it asks for more than {MOST_REQUESTS} answers")
        left_s = min(wanted_s, self._until_s - time.monotonic())
        if left_s < LEAST_S:
            raise UnreachableError("the time for this is over")
        return left_s


class AllowedNetwork:
    """Implements `Network` for the servers that a skill may ask."""

    def __init__(self, network: Network, permissions: Permissions, allowance: Allowance) -> None:
        self._network, self._permissions, self._allowance = network, permissions, allowance

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        """Ask for `url`; raises `SkillError` for a server that it may not ask."""
        self._check(url)
        return self._network.get(url, secret=secret, within_s=self._allowance.taken(within_s))

    def post(
        self,
        url: str,
        body: str = "",
        *,
        content_type: str = "application/json",
        secret: str | None = None,
        within_s: float = LONGEST_WAIT_S,
    ) -> Response:
        """Send `body`; raises `SkillError` for a server that it may not ask."""
        self._check(url)
        return self._network.post(
            url,
            body,
            content_type=content_type,
            secret=secret,
            within_s=self._allowance.taken(within_s),
        )

    def _check(self, url: str) -> None:
        origin, _ = asked_of(url)
        if not self._permissions.allows_server(origin):
            message = f'this needs the permission "{origin.permission}"'
            raise SkillError("skill.permission", message)
