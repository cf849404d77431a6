"""One connection to a Home Assistant that nobody follows yet: is it there, and what has it?"""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import NamedTuple

import msgspec

from assistant.bridge.complaints import Complaints
from assistant.bridge.described import described_text
from assistant.bridge.home_assistant.description import describe, is_running, read_states
from assistant.bridge.home_assistant.link import origin, tls
from assistant.bridge.home_assistant.session import Session, lived, opened
from assistant.core.network.origin import Origin
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.skill.home import Home, read_home

log = logging.getLogger(__name__)


class Found(NamedTuple):
    """The home that is described; one that has not started yet may lack devices."""

    home: Home
    started: bool


def try_out(settings: HomeAssistantSettings, token: str) -> Found:
    """What the Home Assistant of `settings` describes to whoever has this token.

    The home is as the daemon reads it. Raises `BridgeError` with what is wrong, and `ConfigError`
    for unusable settings.
    """
    home, started = asyncio.run(_tried(origin(settings), tls(settings), token))
    taken = read_home(msgspec.json.decode(described_text(home)), "what Home Assistant describes")
    return Found(taken, started)


async def _tried(there: Origin, context: ssl.SSLContext | None, token: str) -> Found:
    async with opened(there, context, token, _passed_over, Complaints(log)) as session:
        return await lived(session, there, _read(session))


async def _read(session: Session) -> Found:
    started = await is_running(session)
    return Found(await describe(session, await read_states(session)), started)


def _passed_over(_: msgspec.Raw) -> None:
    """Take an event, of which none was subscribed to."""
