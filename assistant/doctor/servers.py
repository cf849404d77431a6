"""Findings about the network: what the running bridge reaches, and who reaches this device."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

from assistant.bridge.network.grants import granted
from assistant.core.config import Config
from assistant.core.errors import BridgeError, UnreachableError
from assistant.core.network.exchange import (
    Allowed,
    Answer,
    Check,
    CheckCalendar,
    CheckHome,
    CheckHub,
    Refused,
    Request,
    ask_bridge,
)
from assistant.core.network.origin import Origin
from assistant.core.settings.wyoming import WyomingSettings
from assistant.doctor.checks import Finding
from assistant.english.spoken import joined

DOWN = "run: sudo systemctl restart assistant-bridge"
SATELLITES_DOWN = "run: sudo systemctl restart assistant-satellites"
DENIED = "run this with sudo"
LISTENS_S = 2.0


def servers(config: Config) -> Iterator[Finding]:
    """Whether devices and calendar are reached, and each server that a skill is granted answers."""

    def ask(check: Request) -> Answer | BridgeError:
        try:
            return ask_bridge(config.network_socket, check)
        except BridgeError as error:
            return error

    yield from found(config, ask)
    if config.wyoming.allow:
        yield _wyoming(config.wyoming)


def _wyoming(settings: WyomingSettings) -> Finding:
    """Who may use the ear, the voice and the skills, and whether somebody listens for them."""
    where = (settings.address or "localhost", settings.port)
    who = f"{joined(settings.allow)} may use the ear, the voice and the skills"
    detail, remedy = f"{who}, at port {settings.port}", ""
    try:
        socket.create_connection(where, LISTENS_S).close()
    except OSError as error:
        detail, remedy = f"nothing listens at port {settings.port}: {error}", SATELLITES_DOWN
    return Finding(name="wyoming", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def found(config: Config, ask: Callable[[Request], Answer | BridgeError]) -> Iterator[Finding]:
    """The findings, from what the bridge says of each of them."""
    if config.reaches_devices:
        yield _devices(config, ask(CheckHome()))
    if config.calendar.url:
        yield _calendar(config.calendar.url, ask(CheckCalendar()))
    if config.hub.url:
        yield _hub(config.hub.url, ask(CheckHub()))
    for skill in sorted(config.skills.grants):
        for origin in sorted(granted(config, skill), key=str):
            yield _finding(skill, origin, ask(Check(skill=skill, origin=origin)))


def _devices(config: Config, answer: Answer | BridgeError) -> Finding:
    named = _named(config)
    there = joined(list(named.values()))
    sections = joined([f"[{section}]" for section in named])
    detail, remedy = _told(
        answer,
        f"{there} {'is' if len(named) == 1 else 'are'} connected",
        f"{there} is not connected",
        f"see {sections} in the settings, and whether it runs",
    )
    described = config.described_home is None or config.home_files
    if isinstance(answer, Allowed) and not described:
        remedy = "wait until it has started; then say its names"
        detail += ", and has not described its devices yet"
    return Finding(name="devices", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def _calendar(url: str, answer: Answer | BridgeError) -> Finding:
    remedy = "see [calendar] in the settings, and whether it runs"
    detail, remedy = _told(answer, f"{url} is kept in step", f"{url} is not reached", remedy)
    return Finding(name="calendar", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def _hub(url: str, answer: Answer | BridgeError) -> Finding:
    remedy = "see [hub] in the settings, and whether it runs; this device does without meanwhile"
    detail, remedy = _told(answer, f"{url} may be asked", f"{url} is not reached", remedy)
    return Finding(name="hub", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def _told(answer: Answer | BridgeError, detail: str, lost: str, refused: str) -> tuple[str, str]:
    """What is so, and its remedy: "" where the answer is as it should be."""
    match answer:
        case BridgeError(code="bridge.denied"):
            return answer.message, DENIED
        case BridgeError():
            return f"{lost}: {answer.message}", DOWN
        case Refused():
            return answer.message, refused
    return detail, ""


def _named(config: Config) -> dict[str, str]:
    """Section of the settings → the server that it names, of those that reach devices."""
    named = {}
    if config.reaches_home:
        broker = f"{config.mqtt.host}:{config.mqtt.port}"
        section = "home_assistant" if config.home_assistant.url else "mqtt"
        named[section] = config.home_assistant.url or broker
    if config.mpd.host:
        named["mpd"] = f"MPD at {config.mpd.host}:{config.mpd.port}"
    if config.mpris.on:
        named["mpris"] = "the session with its players"
    return named


def _finding(skill: str, origin: Origin, answer: Answer | BridgeError) -> Finding:
    unreachable = isinstance(answer, Refused) and answer.code == UnreachableError.CODE
    granting = f"run: assistant skills grant {skill}"
    remedy = f"see whether it runs; {skill} cannot ask it" if unreachable else granting
    detail, remedy = _told(answer, f"{origin} may be asked", f"{origin} cannot be asked", remedy)
    name = f"network of {skill}"
    return Finding(name=name, ok=not remedy, detail=detail, remedy=remedy, necessary=False)
