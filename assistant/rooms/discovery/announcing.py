"""Announces what listens here, so that others on the local network find it by themselves."""

from __future__ import annotations

import asyncio
import logging
import uuid

from assistant.core.errors import RoomsError
from assistant.rooms.discovery import interfaces
from assistant.rooms.discovery.multicast import ROLE, SERVICE, opened, pass_over_answers

LOOKS_EVERY_S = 10.0
"""Seconds after which it is looked whether this device has other addresses."""

log = logging.getLogger(__name__)


class Announcer:
    """Announces a `role` as `name`: what listens at `address`, "" for every one, and `port`."""

    def __init__(self, name: str, role: str, address: str, port: int) -> None:
        self._name, self._role, self._address, self._port = name, role, address, port
        self._host = (
            f"{uuid.uuid4()}.local."  # the device's own may be announced by another program
        )
        self._fault = ""

    async def run(self) -> None:
        """Announce it for ever; what hinders that is logged once."""
        while True:
            try:
                await self._announced(interfaces.require_local(self._address))
            except RoomsError as error:
                self._tell_fault(error)
            await asyncio.sleep(LOOKS_EVERY_S)

    async def _announced(self, addresses: tuple[str, ...]) -> None:
        """Announce it at these addresses, until this device has others."""
        async with opened(addresses) as network:
            from zeroconf import NonUniqueNameException, ServiceInfo

            about = ServiceInfo(
                SERVICE,
                f"{self._name}.{SERVICE}",
                self._port,
                properties={ROLE: self._role},
                server=self._host,
                parsed_addresses=list(addresses),
            )
            try:
                await (await network.async_register_service(about))
            except NonUniqueNameException as error:
                message = f'somebody else announces "{self._name}" on this network'
                raise RoomsError("rooms.announced", message) from error
            pass_over_answers(network)
            self._fault = ""
            log.info('announced as "%s", port %d (rooms.announced)', self._name, self._port)
            while interfaces.require_local(self._address) == addresses:
                await asyncio.sleep(LOOKS_EVERY_S)

    def _tell_fault(self, error: RoomsError) -> None:
        fault = f"{error.message} ({error.code})"
        if fault != self._fault:
            self._fault = fault
            log.error('"%s" is not announced: %s', self._name, fault)
