"""Which addresses are at home, and which are on the internet; some are neither."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_LOCAL = tuple(
    ip_network(one)
    for one in (
        *("127.0.0.0/8", "169.254.0.0/16", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
        *("::1/128", "fe80::/10", "fc00::/7"),
    )
)
"""As in IPAddressAllow= of systemd/assistant-bridge.service."""
_NAT64 = ip_network("64:ff9b::/96")


def is_local(address: str) -> bool:
    """Whether an address is of this machine or of the local network."""
    plain = _plain(address)
    return any(plain in network for network in _LOCAL if network.version == plain.version)


def is_internet(address: str) -> bool:
    """Whether an address is on the internet, with what lies in it where it stands for another."""
    plain = _plain(address)
    return plain.is_global and not plain.is_multicast


def _plain(address: str) -> IPv4Address | IPv6Address:
    """The address that is really spoken to, where IPv6 carries one of IPv4."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        if found in _NAT64:
            return IPv4Address(int(found) & 0xFFFF_FFFF)
        return found.ipv4_mapped or found.sixtofour or found
    return found
