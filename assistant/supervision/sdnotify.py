"""What a service tells systemd about itself: sd_notify(3) over the socket in $NOTIFY_SOCKET."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Mapping


class Notifier:
    """Sends states to systemd; without systemd it sends nothing."""

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        # A leading @ stands for the NUL of an abstract socket.
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_s = watchdog_s
        """Seconds after which systemd kills a service that did not say WATCHDOG=1, or None."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier:
        """The notifier for this very process, as systemd set it up."""
        usec, pid = environment.get("WATCHDOG_USEC"), environment.get("WATCHDOG_PID")
        ours = usec is not None and pid in (None, str(os.getpid()))
        watchdog_s = int(usec) / 1e6 if ours and usec else None
        return cls(environment.get("NOTIFY_SOCKET", ""), watchdog_s)

    def ready(self) -> None:
        """Every part is up, at start or after a reload."""
        self._send("READY=1")

    def reloading(self) -> None:
        """New settings are being read; `ready` must follow."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        """The service is on its way out."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """All is well: start the watchdog's interval anew."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._send(f"STATUS={text}")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outlet:
            outlet.setblocking(False)
            # systemd restarting must not take the assistant down with it.
            with contextlib.suppress(OSError):
                outlet.sendto(state.encode(), self._address)
