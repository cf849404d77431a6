"""Finds satellites by the names that they announce.

Names and addresses of the network are untrusted: they are compared, or shown, and no more. A
satellite is looked for by its whole name, and only while somebody asks where it is, so that nothing
is kept of what all others send.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.rooms.discovery import interfaces
from assistant.rooms.discovery.multicast import ROLE, SERVICE, SERVICES, opened

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, ServiceStateChange, Zeroconf
    from zeroconf.asyncio import AsyncZeroconf

LOOK_S = 0.5
"""Seconds of one look at what a name is told of."""
LOOKS, LOOKS_AGAIN = 6, 2
"""Looks in which a satellite that is there has answered, be it that two packets are lost; and those
after it has just announced itself."""
LISTENS_S = 3.0
"""Seconds in which all that are there have announced themselves."""
AT_ONCE = 4
"""Most satellites that are looked for at a time."""
MOST = 50
"""Most names that are listed."""
LONGEST_NAME = 63
"""Most bytes of a name; a longer one is no label of the DNS."""


class Announced(NamedTuple):
    """Something that speaks Wyoming, as it announces itself."""

    name: str
    """A printable name of at most `LONGEST_NAME` bytes."""
    address: str
    """An IPv4 address of a local network."""
    port: int


class Finder:
    """Knows where satellites are, by their settings or by what they announce."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def where(self, name: str, settings: SatelliteSettings) -> tuple[str, int]:
        """Address and port of a satellite; raises `RoomsError` where it is not found.

        One that announces several addresses may be reached at one only: each time it is another.
        """
        if settings.address:
            return settings.address, settings.port
        async with self._turn:
            found = await _found(name)
        if not found:
            raise RoomsError("rooms.away", f'nobody on this network announces "{name}"')
        return random.choice(found)


async def _found(name: str) -> list[tuple[str, int]]:
    async with opened(interfaces.require_local()) as network:
        return _places(await _told(network, f"{name}.{SERVICE}", LOOKS))


async def _told(network: AsyncZeroconf, name: str, looks: int) -> ServiceInfo | None:
    """What the network tells of a name, which includes the service.

    The answer is to go to all, as another program of this device may take what goes to one. An
    address that comes before its port is overlooked by zeroconf, and found with the next look.
    """
    from zeroconf import BadTypeInNameException, DNSQuestionType

    about, within_ms, to_all = None, round(1000 * LOOK_S), DNSQuestionType.QM
    try:
        while about is None and looks:
            looks -= 1
            about = await network.async_get_service_info(SERVICE, name, within_ms, to_all)
    except BadTypeInNameException:  # nobody can have such a name, be it that somebody sends it
        return None
    return about


async def announced(seconds: float = LISTENS_S) -> list[Announced]:
    """What announces itself within some seconds, but for the services of a Hark, in order.

    Raises `RoomsError` where nobody can be listened to.
    """
    names: set[str] = set()

    def note(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        if len(names) < MOST and _is_name(name.removesuffix(f".{SERVICE}")):
            names.add(name)

    async with opened(interfaces.require_local()) as network:
        from zeroconf import DNSQuestionType
        from zeroconf.asyncio import AsyncServiceBrowser

        to_all = DNSQuestionType.QM
        async with AsyncServiceBrowser(network.zeroconf, SERVICE, [note], question_type=to_all):
            await asyncio.sleep(seconds)
        found = await asyncio.gather(*(_told(network, name, LOOKS_AGAIN) for name in sorted(names)))
    return list(_listed(about for about in found if about is not None))


def _listed(found: Iterable[ServiceInfo]) -> Iterable[Announced]:
    for about in found:
        role = about.properties.get(ROLE.encode())
        if (places := _places(about)) and role != SERVICES.encode():
            yield Announced(about.name.removesuffix(f".{SERVICE}"), *places[0])


def _places(about: ServiceInfo | None) -> list[tuple[str, int]]:
    """Where it can be reached on a local network."""
    if about is None or not about.port:
        return []
    addresses = about.parsed_addresses()
    return [(one, about.port) for one in addresses if ":" not in one and interfaces.is_local(one)]


def _is_name(name: str) -> bool:
    return name.isprintable() and 0 < len(name.encode()) <= LONGEST_NAME
