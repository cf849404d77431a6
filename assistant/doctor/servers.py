"""Findings about what the running bridge reaches: devices, the calendar, the skills' servers."""

from __future__ import annotations

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
    Refused,
    Request,
    ask_bridge,
)
from assistant.core.network.origin import Origin
from assistant.doctor.checks import Finding
from assistant.english.spoken import joined

DOWN = "run: sudo systemctl restart assistant-bridge"
DENIED = "run this with sudo"


def servers(config: Config) -> Iterator[Finding]:
    """Whether devices and calendar are reached, and each server that a skill is granted answers."""

    def ask(check: Request) -> Answer | BridgeError:
        try:
            return ask_bridge(config.network_socket, check)
        except BridgeError as error:
            return error

    yield from found(config, ask)


def found(config: Config, ask: Callable[[Request], Answer | BridgeError]) -> Iterator[Finding]:
    """The findings, from what the bridge says of each of them."""
    if config.reaches_devices:
        yield _devices(config, ask(CheckHome()))
    if config.calendar.url:
        yield _calendar(config.calendar.url, ask(CheckCalendar()))
    for skill in sorted(config.skills.grants):
        for origin in sorted(granted(config, skill), key=str):
            yield _finding(skill, origin, ask(Check(skill=skill, origin=origin)))


def _devices(config: Config, answer: Answer | BridgeError) -> Finding:
    named = _named(config)
    there = joined(list(named.values()))
    detail, remedy = f"{there} {'is' if len(named) == 1 else 'are'} connected", ""
    match answer:
        case BridgeError(code="bridge.denied"):
            detail, remedy = answer.message, DENIED
        case BridgeError():
            detail, remedy = f"{there} is not connected: {answer.message}", DOWN
        case Refused():
            sections = joined([f"[{section}]" for section in named])
            detail, remedy = answer.message, f"see {sections} in the settings, and whether it runs"
        case Allowed() if config.described_home is not None and not config.home_files:
            remedy = "wait until it has started; then say its names"
            detail += ", and has not described its devices yet"
    return Finding(name="devices", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


def _calendar(url: str, answer: Answer | BridgeError) -> Finding:
    detail, remedy = f"{url} is kept in step", ""
    match answer:
        case BridgeError(code="bridge.denied"):
            detail, remedy = answer.message, DENIED
        case BridgeError():
            detail, remedy = f"{url} is not reached: {answer.message}", DOWN
        case Refused():
            detail, remedy = answer.message, "see [calendar] in the settings, and whether it runs"
    return Finding(name="calendar", ok=not remedy, detail=detail, remedy=remedy, necessary=False)


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
    detail, remedy = f"{origin} may be asked", ""
    match answer:
        case BridgeError(code="bridge.denied"):
            detail, remedy = answer.message, DENIED
        case BridgeError():
            detail, remedy = f"{origin} cannot be asked: {answer.message}", DOWN
        case Refused(code=UnreachableError.CODE):
            detail, remedy = answer.message, f"see whether it runs; {skill} cannot ask it"
        case Refused():
            detail, remedy = answer.message, f"run: assistant skills grant {skill}"
        case Allowed():
            pass
    name = f"network of {skill}"
    return Finding(name=name, ok=not remedy, detail=detail, remedy=remedy, necessary=False)
