"""What systemd is told, read from its end of the socket."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.supervision.sdnotify import Notifier


@pytest.fixture(params=["path", "abstract"])
def systemd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    name = str(tmp_path / "notify")
    address = name if request.param == "path" else f"@{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address.replace("@", "\0", 1))
        listening.settimeout(5)
        yield address, listening


@pytest.mark.parametrize(
    ("tell", "text"),
    [
        (Notifier.ready, "READY=1"),
        (Notifier.stopping, "STOPPING=1"),
        (Notifier.alive, "WATCHDOG=1"),
        (lambda n: n.status("7 processes are up"), "STATUS=7 processes are up"),
    ],
)
def test_each_state(
    systemd: tuple[str, socket.socket], tell: Callable[[Notifier], None], text: str
) -> None:
    address, listening = systemd
    tell(Notifier(address))
    assert listening.recv(4096).decode() == text


def test_one_that_succeeds_names_itself(systemd: tuple[str, socket.socket]) -> None:
    address, listening = systemd
    Notifier(address).succeeds()
    assert listening.recv(4096).decode() == f"MAINPID={os.getpid()}\nREADY=1"


def test_a_reload_carries_the_monotonic_time(systemd: tuple[str, socket.socket]) -> None:
    address, listening = systemd
    before = time.monotonic_ns() // 1000
    Notifier(address).reloading()
    state, _, usec = listening.recv(4096).decode().partition("\nMONOTONIC_USEC=")
    assert state == "RELOADING=1"
    assert before <= int(usec) <= time.monotonic_ns() // 1000


def test_without_systemd_nothing_is_sent() -> None:
    notifier = Notifier.from_environment({})
    assert notifier.watchdog_s is None
    notifier.ready()


def test_a_systemd_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    Notifier(str(tmp_path / "nobody")).ready()


@pytest.mark.parametrize(("own", "watchdog_s"), [(True, 15.0), (False, None)])
def test_the_watchdog_is_for_the_process_that_it_names(own: bool, watchdog_s: float | None) -> None:
    environment = {"WATCHDOG_USEC": "15000000", "WATCHDOG_PID": str(os.getpid()) if own else "1"}
    assert Notifier.from_environment(environment).watchdog_s == watchdog_s


def test_a_watchdog_that_names_no_process_is_for_this_one() -> None:
    environment = {"WATCHDOG_USEC": "15000000"}
    assert Notifier.from_environment(environment).watchdog_s == 15.0
