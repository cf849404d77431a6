"""Addresses at home, on the internet, and neither."""

from __future__ import annotations

import pytest

from assistant.bridge.network.addresses import is_internet, is_local


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.20"),
        *("169.254.7.7", "::1", "fe80::1", "fe80::1%eth0", "fd00::1", "fc00::1"),
        *("::ffff:192.168.1.20", "64:ff9b::192.168.1.20", "2002:c0a8:0114::1"),
    ],
)
def test_it_is_at_home(address: str) -> None:
    assert is_local(address)
    assert not is_internet(address)


@pytest.mark.parametrize(
    "address",
    [
        *("1.1.1.1", "172.15.0.1", "172.32.0.1", "11.0.0.1", "192.169.0.1", "2606:4700::1111"),
        *("::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:0101:0101::1"),
    ],
)
def test_it_is_on_the_internet(address: str) -> None:
    assert is_internet(address)
    assert not is_local(address)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "::", "255.255.255.255", "224.0.0.1", "ff02::1", "100.64.0.1", "192.0.2.1"],
)
def test_it_is_neither(address: str) -> None:
    assert not is_internet(address)
    assert not is_local(address)
