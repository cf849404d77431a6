"""What it means that a skill may ask a server, and what root must do for one on the internet."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from assistant.bridge.network.addresses import is_internet, is_local
from assistant.core.network.origin import PERMISSION, Origin, internet_variable

DROP_IN = "/etc/systemd/system/assistant-bridge.service.d/skill-{}.conf"
RESOLV_CONF = Path("/etc/resolv.conf")
HANDED = {
    "timers": "all timers",
    "lists": "all lists",
    "plans": "all that is planned",
    "alarms": "all alarms and reminders",
    "calendar": "the calendar that is changed by voice",
    "home": "devices and their states",
    "conversation": "what was said before, and was answered",
}
"""Capability → what a skill with it gets to know, and so might send."""

Lookup = Callable[[str], Sequence[str]]
"""Looks up the addresses of a host; none for one that is not known."""


def addresses_of(host: str) -> Sequence[str]:
    """The addresses of a host, as this machine looks them up now."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


class ServerGrant:
    """Tells, of a skill and its permissions, what leaves the house, and what root must do."""

    def __init__(
        self, skill: str, permissions: Sequence[str], lookup: Lookup = addresses_of
    ) -> None:
        self._skill, self._permissions = skill, permissions
        names = (p.removeprefix(PERMISSION) for p in permissions if p.startswith(PERMISSION))
        self._addresses = {origin: lookup(origin.host) for origin in map(Origin.read, names)}

    @property
    def told(self) -> str:
        """A text for people; "" for a skill that asks no server."""
        return "\n".join(self._lines())

    @property
    def drop_in(self) -> str:
        """What root must write for the bridge's unit; "" where all servers are at home."""
        internet = self._internet
        if not internet or not internet_variable(self._skill):
            return ""
        found = (one for origin in internet for one in self._addresses[origin] if is_internet(one))
        allowed = dict.fromkeys((*found, *_distant_name_servers()))
        servers = " ".join(map(str, internet))
        return (
            f"# Lets the skill {self._skill} ask these servers on the internet.\n"
            "[Service]\n"
            f'Environment="{internet_variable(self._skill)}={servers}"\n'
            f"IPAddressAllow={' '.join(allowed)}\n"
        )

    @property
    def _internet(self) -> tuple[Origin, ...]:
        """The servers that are on the internet."""
        return tuple(
            origin
            for origin, addresses in self._addresses.items()
            if any(map(is_internet, addresses)) and not any(map(is_local, addresses))
        )

    def _lines(self) -> Iterator[str]:
        if not self._addresses:
            return
        internet = self._internet
        for origin, addresses in self._addresses.items():
            if origin in internet:
                yield (
                    f"{origin} is on the internet: what {self._skill} sends there leaves the house."
                )
            elif addresses:
                yield f"{origin} is on your network: what {self._skill} sends there stays in it."
            else:
                yield f"{origin} has no address that is known here; look whether it is right."
        if internet:
            yield f"It may send all that it is handed: {self._handed}."
            yield from self._for_root()
        else:
            yield "The bridge carries it; now run: sudo systemctl restart assistant-bridge"

    @property
    def _handed(self) -> str:
        """What a skill with these permissions gets to know."""
        capabilities = dict.fromkeys(p.partition(":")[0] for p in self._permissions)
        more = (HANDED[capability] for capability in capabilities if capability in HANDED)
        words = "the words that are said to it, with the names, places and times in them"
        return "; ".join((words, *more))

    def _for_root(self) -> Iterator[str]:
        if not self.drop_in:
            yield "Only a skill whose name has small letters, digits and _ may ask the internet."
            return
        file = DROP_IN.format(self._skill)
        yield "Only root can allow that, by these commands:\n"
        yield f"sudo mkdir -p {Path(file).parent}"
        yield f"sudo tee {file} <<'END'\n{self.drop_in}END"
        yield "sudo systemctl daemon-reload && sudo systemctl restart assistant-bridge\n"
        yield "The addresses are those of now: when assistant doctor tells of others, do it again."


def _distant_name_servers() -> Iterator[str]:
    """The name servers of this machine that are on the internet, which the bridge must reach."""
    try:
        lines = RESOLV_CONF.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for words in map(str.split, lines):
        with suppress(ValueError):  # no address
            if len(words) > 1 and words[0] == "nameserver" and is_internet(words[1]):
                yield words[1]
