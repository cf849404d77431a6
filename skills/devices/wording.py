"""What is said of commands that were not sent, or of which nobody knows whether they were."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.skill import Entity
from skills.home.targets import capital, the

_PASSIVE = {
    "next": "the next track was{} asked for",
    "previous": "the track before was{} asked for",
    "volume_up": "{the} was{} turned up",
    "volume_down": "{the} was{} turned down",
    "press": "{the} was{} pressed",
    "stop": "{the} was{} stopped",
    "off": "{the} was{} stopped",
    "scene.on": "{the} was{} activated",
    "script.on": "{the} was{} run",
}
"""Command, or domain and command → what it does; the braces take a negation."""
_OTHER = "the command for {the} was{} sent"


def unsent_words(entity: Entity, command: str) -> str:
    """The sentence about a command that was not sent."""
    return capital(f"{_told(entity, command, ' not')} in time.")


def unsure_words(entity: Entity, command: str) -> str:
    """The sentence about a command that may have been sent or not."""
    return f"I don't know whether {_told(entity, command, '')}."


def joined(sentences: Iterable[str]) -> str:
    """Sentences in a row, each said once."""
    return " ".join(dict.fromkeys(sentences))


def _told(entity: Entity, command: str, negation: str) -> str:
    form = _PASSIVE.get(f"{entity.domain}.{command}") or _PASSIVE.get(command) or _OTHER
    return form.replace("{the}", the(entity)).replace("{}", negation)
