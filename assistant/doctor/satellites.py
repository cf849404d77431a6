"""Findings about satellites: those of the settings, and those that announce themselves."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import tomlkit

from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import WyomingSettings
from assistant.doctor import probes
from assistant.doctor.checks import Finding
from assistant.rooms.discovery.finding import Announced, Finder, announced
from assistant.rooms.discovery.multicast import INSTALL, MISSING

ANSWERS_S = 2.0
AWAY = "see whether it runs and lets this device in: assistant satellite --base"


def satellites(settings: WyomingSettings) -> Iterator[Finding]:
    """Whether each satellite can be reached, and who announces itself and is named nowhere."""
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
            yield _reached(name, place, settings.area(name))
    if probes.installed("zeroconf"):
        yield from (
            _stranger(one)
            for one in _announced()
            if one.name.lower() not in known and (one.address, one.port) not in places
        )
    elif settings.announce:
        detail = f"the services are not announced: {MISSING}"
        yield Finding(name="wyoming", ok=False, detail=detail, remedy=INSTALL, necessary=False)


def _reached(name: str, place: tuple[str, int], area: str) -> Finding:
    """Whether a satellite lets itself be called, and where its sound and its words go."""
    where = f"{place[0]}, port {place[1]}"
    try:
        socket.create_connection(place, ANSWERS_S).close()
    except OSError as error:
        detail = f"{where}: {error.strerror or error}; what is for {area} is said here"
        return _finding(name, detail, AWAY)
    return _finding(name, f"{where}, in {area}: its sound comes here, and replies go there", "")


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
