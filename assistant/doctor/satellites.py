"""Findings about satellites: those of the settings, and those that announce themselves."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator

import tomlkit

from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import WyomingSettings
from assistant.doctor import probes
from assistant.doctor.checks import Finding
from assistant.doctor.servers import DENIED
from assistant.pairing.trust import Trust
from assistant.rooms.discovery.finding import Announced, Finder, announced
from assistant.rooms.discovery.multicast import INSTALL, MISSING

ANSWERS_S = 2.0
ASKS = b'{"type": "describe"}\n'
PAIR = "assistant pair"
AWAY = "see whether it runs and lets this device in: assistant satellite --base"


def satellites(settings: WyomingSettings, trust: Trust) -> Iterator[Finding]:
    """Whether each satellite can be reached, and is the one that was paired; and who announces
    itself and is named nowhere."""
    known = {name.lower() for name in settings.satellites}
    places = set()
    for name, one in settings.satellites.items():
        try:
            place = asyncio.run(Finder().where(name, one))
        except RoomsError as error:
            detail = f"{error.message}; what is for {settings.area(name)} is said here"
            yield _finding(name, detail, AWAY)
        else:
            places.add(place)
            yield _reached(name, place, settings.area(name), trust)
    if probes.installed("zeroconf"):
        yield from (
            _stranger(one)
            for one in _announced()
            if one.name.lower() not in known and (one.address, one.port) not in places
        )
    elif settings.announce:
        detail = f"the services are not announced: {MISSING}"
        yield Finding(name="wyoming", ok=False, detail=detail, remedy=INSTALL, necessary=False)


def _reached(name: str, place: tuple[str, int], area: str, trust: Trust) -> Finding:
    """Whether a satellite can be reached, where its words go, and whether they are encrypted."""
    where = f"{place[0]}, port {place[1]}"
    detail, remedy = f"{where}, in {area}: its sound comes here, and replies go there", ""
    try:
        detail += f"; {_encrypted(name, place, trust)}"
    except RoomsError as error:
        detail, remedy = f"{where}: {error.message}", DENIED
    except (ssl.SSLError, ConnectionResetError, BrokenPipeError):
        detail = f"{where}: it is not the one that was paired, or was paired with another base"
        remedy = f"run: assistant unpair {name}; on it: assistant unpair; then: {PAIR} {name}"
    except OSError as error:
        detail = f"{where}: {error.strerror or error}; what is for {area} is said here"
        remedy = AWAY
    return _finding(name, detail, remedy)


def _encrypted(name: str, place: tuple[str, int], trust: Trust) -> str:
    """How it is connected to; raises `OSError`, and `RoomsError` where the pairing is not seen."""
    pin = trust.satellite(name)
    context, since = trust.context(pin), pin.since
    with socket.create_connection(place, ANSWERS_S) as plain:
        if context is None or since is None:
            return f"not encrypted (a Hark's satellite can be: {PAIR} {name})"
        with context.wrap_socket(plain) as encrypted:
            encrypted.sendall(ASKS)
            if not encrypted.recv(1):  # what it thinks of this device comes after the handshake
                raise ConnectionResetError
    return f"paired and encrypted, since {since:%Y-%m-%d %H:%M}"


def _finding(name: str, detail: str, remedy: str) -> Finding:
    named = f"satellite {name}"
    return Finding(name=named, ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def _announced() -> list[Announced]:
    try:
        return asyncio.run(announced())
    except RoomsError:  # there is no local network; it matters to those that are named
        return []


def _stranger(found: Announced) -> Finding:
    """Somebody who is named nowhere; no fault, as it may serve others."""
    section = tomlkit.key(["wyoming", "satellites", found.name]).as_string()
    return Finding(
        name="announced",
        ok=True,
        detail=f'"{found.name}" at {found.address}, port {found.port}; it is not called',
        remedy=f"where it is a satellite of yours, add to the settings: [{section}]",
        necessary=False,
    )
