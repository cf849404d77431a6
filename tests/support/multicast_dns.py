"""Multicast DNS on the loopback device, and others that announce themselves there."""

from __future__ import annotations

import ipaddress
import random
import uuid
from types import TracebackType

import pytest
from zeroconf import IPVersion, ServiceInfo, Zeroconf

from assistant.rooms.discovery import interfaces
from assistant.rooms.discovery.multicast import SERVICE


def local_address() -> str:
    """An address of the loopback device that no other program uses at the same time."""
    return str(ipaddress.IPv4Address(random.randrange(0x7F010001, 0x7FFEFFFF)))


HERE, THERE, ELSEWHERE = local_address(), local_address(), local_address()


def on_loopback(monkeypatch: pytest.MonkeyPatch, address: str = HERE) -> None:
    """Let the loopback device be the local network, and this device at an address of it."""
    networks = (*interfaces.NETWORKS, ipaddress.IPv4Network("127.0.0.0/8"))
    monkeypatch.setattr(interfaces, "NETWORKS", networks)
    monkeypatch.setattr(interfaces, "local_addresses", lambda: (address,))


def name_of_its_own(beginning: str = "kitchen") -> str:
    """A name that no other test announces at the same time on this machine."""
    return f"{beginning} {uuid.uuid4().hex[:8]}"


class Others:
    """Other programs on the network, by zeroconf itself: they announce, and look."""

    def __init__(self, address: str = HERE) -> None:
        self._network = Zeroconf([address], ip_version=IPVersion.V4Only)
        self._announced: dict[str, ServiceInfo] = {}

    def announce(self, name: str, address: str, port: int, **told: str) -> None:
        """Announce a name, or that it is elsewhere now; it need not be one that is allowed."""
        before = self._announced.pop(name, None)
        if before is not None:
            self._network.unregister_service(before)
        about = ServiceInfo(
            SERVICE, f"{name}.{SERVICE}", port, properties=told, parsed_addresses=[address]
        )
        self._network.register_service(about, cooperating_responders=True, strict=False)
        self._announced[name] = about

    def look(self, name: str, within_s: float = 5.0) -> ServiceInfo | None:
        """What is announced under a name; None where that is nothing."""
        return self._network.get_service_info(SERVICE, f"{name}.{SERVICE}", round(1000 * within_s))

    def __enter__(self) -> Others:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._network.close()
