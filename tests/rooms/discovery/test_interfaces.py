"""Which interfaces lead to the local network, in a network of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.core.errors import RoomsError
from assistant.rooms.discovery import interfaces
from tests.support.own_network import may_be_made, run_within

SCRIPT = """
import json, pathlib, sys
from contextlib import ExitStack
from assistant.rooms.discovery import interfaces
from tests.support.network import raise_loopback
from tests.support.own_network import DOWN, TUN, interface

told = {}
with ExitStack() as opened:
    opened.enter_context(interface("lan0", "192.168.77.1"))
    opened.enter_context(interface("lan1", "10.1.2.3"))
    opened.enter_context(interface("public0", "203.0.113.5"))
    opened.enter_context(interface("tunnel0", "10.8.0.2", TUN))
    opened.enter_context(interface("down0", "192.168.78.1", flags=DOWN))
    raise_loopback()
    told["all"] = interfaces.local_addresses()

    interfaces.INTERFACES = pathlib.Path(sys.argv[1])
    ports = interfaces.INTERFACES / "lan0" / "brif"
    for name in ("lan1", "container0", "wire0"):
        (interfaces.INTERFACES / name).mkdir(parents=True)
    (ports / "container0").mkdir(parents=True)
    told["a bridge of containers"] = interfaces.local_addresses()
    (interfaces.INTERFACES / "wire0" / "device").mkdir()
    (ports / "wire0").mkdir()
    told["a bridge with a device"] = interfaces.local_addresses()
print(json.dumps(told))
"""


@pytest.mark.skipif(not may_be_made(), reason="no network of one's own can be made here")
def test_only_what_leads_to_the_local_network_counts(tmp_path: Path) -> None:
    assert json.loads(run_within(SCRIPT, str(tmp_path))) == {
        "all": ["10.1.2.3", "192.168.77.1"],
        "a bridge of containers": ["10.1.2.3"],
        "a bridge with a device": ["10.1.2.3", "192.168.77.1"],
    }


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("192.168.1.31", True),
        ("172.31.0.1", True),
        ("172.32.0.1", False),
        ("169.254.7.7", True),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("93.184.215.14", False),
    ],
)
def test_which_addresses_are_local(address: str, local: bool) -> None:
    assert interfaces.is_local(address) is local


def test_who_listens_at_one_address_is_at_that_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    both = ("10.1.2.3", "192.168.77.1")
    monkeypatch.setattr(interfaces, "local_addresses", lambda: both)
    assert interfaces.require_local() == both
    assert interfaces.require_local("0.0.0.0") == both
    assert interfaces.require_local("10.1.2.3") == ("10.1.2.3",)
    with pytest.raises(RoomsError) as raised:
        interfaces.require_local("10.1.2.4")
    assert raised.value.code == "rooms.network"
