"""Reports of a service to systemd: sd_notify(3) over the socket in $NOTIFY_SOCKET."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Mapping, MutableMapping

SERVICE_PID = "SYSTEMD_EXEC_PID"
"""Variable in which systemd tells the first process of a service its own id."""


def forget_other_service(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove that variable where it is of another service, such as the terminal of this command."""
    if environment.get(SERVICE_PID) != str(os.getpid()):
        environment.pop(SERVICE_PID, None)


class Notifier:
    """Sends states to systemd; without systemd it sends nothing."""

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        # A leading @ stands for the NUL of an abstract socket.
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_s = watchdog_s
        """Seconds without WATCHDOG=1 after which systemd kills the service; None for no limit."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier:
        """The notifier for this process, as systemd has set it up."""
        usec, pid = environment.get("WATCHDOG_USEC"), environment.get("WATCHDOG_PID")
        ours = usec is not None and pid in (None, str(os.getpid()))
        watchdog_s = int(usec) / 1e6 if ours and usec else None
        return cls(environment.get("NOTIFY_SOCKET", ""), watchdog_s)

    def ready(self) -> None:
        """Report that every part is up, at start or after a reload."""
        self._send("READY=1")

    def succeeds(self) -> None:
        """Report that this process is up, and is the service from now on."""
        self._send(f"MAINPID={os.getpid()}\nREADY=1")

    def reloading(self) -> None:
        """Report that new settings are being read; `ready` must follow."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """Report that the service is stopping."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """Report that all is well, which restarts the watchdog's interval."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """Set the line that `systemctl status` shows."""
        self._send(f"STATUS={text}")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outlet:
            outlet.setblocking(False)
            # A restart of systemd must not end the assistant.
            with contextlib.suppress(OSError):
                outlet.sendto(state.encode(), self._address)
