"""The events of a running daemon, for commands that watch it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from assistant.control.client import ControlClient
from assistant.core.errors import ControlError

RETURNS_WITHIN_S = 5.0


def every_event(client: ControlClient) -> Iterator[dict[str, Any]]:
    """Every event, continued after a restart of the control process."""
    yield from client.follow("watch")
    gone_s = time.monotonic()
    while time.monotonic() - gone_s < RETURNS_WITHIN_S:
        try:
            for line in client.follow("watch"):
                gone_s = time.monotonic()
                yield line
        except ControlError as error:
            if error.code != "control.down":
                raise
        time.sleep(0.1)
    raise ControlError("control.down", "the daemon has stopped")
