"""Servers on a network, named as the permission `network:` and the addresses of pages name them."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

PERMISSION = "network:"
"""Beginning of a permission to reach one server, such as "network:http://192.168.1.20:8080"."""
LONGEST_URL = 4000
PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?(.*)", re.I | re.S)
_TARGET = re.compile(r"([/?][!-\"$-~]*)?")
_SKILL = re.compile(r"[a-z0-9_]+")
_SHOWN = 60


class Origin(msgspec.Struct, frozen=True):
    """A scheme, a host and a port; two that differ in any of them are different servers."""

    scheme: Literal["http", "https"]
    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Origin:
        """The origin that is written as `http://host:port`; raises `ValueError` for others."""
        origin, target = split(text)
        if target:
            raise ValueError(f'"{text[:_SHOWN]}" names more than a server; leave "{target}" away')
        return origin

    def __str__(self) -> str:
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{port}"

    @property
    def permission(self) -> str:
        """The permission to reach it."""
        return f"{PERMISSION}{self}"


def split(url: str) -> tuple[Origin, str]:
    """The server of a URL, and what is asked of it; raises `ValueError`, which quotes no path.

    The URL is taken apart here alone, so that what is checked is what is connected to.
    """
    found = _URL.fullmatch(url) if len(url) <= LONGEST_URL else None
    if found is None:
        raise ValueError("it is no URL such as http://192.168.1.20:8080/recipes")
    scheme, host, port, target = found.groups()
    if not _TARGET.fullmatch(target):
        raise ValueError("its path has a space, a # or letters that urllib.parse.quote must encode")
    number = int(port) if port else PORTS[scheme.lower()]
    if not 0 < number < 65_536:
        raise ValueError(f"there is no port {number}")
    return Origin(scheme.lower(), host.lower().strip("[]"), number), target  # type: ignore[arg-type]


def internet_variable(skill: str) -> str:
    """The variable of the bridge's unit in which root names a skill's servers on the internet.

    It is "" for a name with other characters than a-z, 0-9 and _, which could be taken for another.
    """
    return f"HARK_INTERNET_{skill.upper()}" if _SKILL.fullmatch(skill) else ""
