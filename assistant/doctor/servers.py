"""Findings about the servers that skills are granted, as the running bridge has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assistant.bridge.network.grants import granted
from assistant.core.config import Config
from assistant.core.errors import BridgeError, UnreachableError
from assistant.core.network.exchange import Allowed, Answer, Check, Refused, ask_bridge
from assistant.core.network.origin import Origin
from assistant.doctor.checks import Finding

DOWN = "run: sudo systemctl restart assistant-bridge"
DENIED = "run this with sudo"


def servers(config: Config) -> Iterator[Finding]:
    """Whether each server that the settings grant a skill may be asked, and answers."""

    def ask(check: Check) -> Answer | BridgeError:
        try:
            return ask_bridge(config.network_socket, check)
        except BridgeError as error:
            return error

    yield from found(config, ask)


def found(config: Config, ask: Callable[[Check], Answer | BridgeError]) -> Iterator[Finding]:
    """The findings, from what the bridge says of each server."""
    for skill in sorted(config.skills.grants):
        for origin in sorted(granted(config, skill), key=str):
            yield _finding(skill, origin, ask(Check(skill=skill, origin=origin)))


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
