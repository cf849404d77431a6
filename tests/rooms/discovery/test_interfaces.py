"""Which interfaces lead to the local network, in a network of the test's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.core.errors import RoomsError
from assistant.rooms.discovery import interfaces

REPOSITORY = Path(__file__).resolve().parents[3]
OWN_NETWORK = ("unshare", "--user", "--map-root-user", "--net", "--mount")
MAY = subprocess.run((*OWN_NETWORK, "test", "-w", "/dev/net/tun"), capture_output=True)
SCRIPT = """
import fcntl, json, pathlib, socket, struct, sys
from assistant.rooms.discovery import interfaces

open_ones, told = [], {}
any_socket = socket.socket(type=socket.SOCK_DGRAM)

def make(name, address, kind=2, flags=0x1041):
    tun = open("/dev/net/tun", "r+b", buffering=0)
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", name, kind | 0x1000))
    open_ones.append(tun)
    packed = socket.inet_aton(address)
    fcntl.ioctl(any_socket, 0x8916, struct.pack("16sHH4s16x", name, socket.AF_INET, 0, packed))
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH22x", name, flags))

make(b"lan0", "192.168.77.1")
make(b"lan1", "10.1.2.3")
make(b"public0", "203.0.113.5")
make(b"tunnel0", "10.8.0.2", kind=1)
make(b"down0", "192.168.78.1", flags=0x1000)
fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH22x", b"lo", 0x1))
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


@pytest.mark.skipif(MAY.returncode != 0, reason="no network of one's own can be made here")
def test_only_what_leads_to_the_local_network_counts(tmp_path: Path) -> None:
    shell = 'mount -t sysfs none /sys && exec "$0" -c "$1" "$2"'
    command = (*OWN_NETWORK, "sh", "-c", shell, sys.executable, SCRIPT, str(tmp_path))
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
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
