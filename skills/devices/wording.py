"""What is said of commands that were not sent, or of which nobody knows whether they were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.english.spoken import joined as listed
from assistant.skill import Entity
from skills.home.lists.meant import FoundList
from skills.home.targets import capital, the

_PASSIVE = {
    "next": "the next track was{} asked for",
    "previous": "the track before was{} asked for",
    "volume_up": "{the} was{} turned up",
    "volume_down": "{the} was{} turned down",
    "press": "{the} was{} pressed",
    "play": "{the} was{} asked to play that",
    "again": "{the} was{} asked to play that again",
    "stop": "{the} was{} stopped",
    "off": "{the} was{} stopped",
    "scene.on": "{the} was{} activated",
    "script.on": "{the} was{} run",
    "todo.": "{the} was{} changed",
}
"""Command, or domain and command → what it does; the braces take a negation."""
_OTHER = "the command for {the} was{} sent"


def unsent_words(entity: Entity, command: str) -> str:
    """The sentence about a command that was not sent."""
    return capital(f"{_told(entity, command, ' not')} in time.")


def unsure_words(entity: Entity, command: str) -> str:
    """The sentence about a command that may have been sent or not."""
    return f"I don't know whether {_told(entity, command, '')}."


def failed_words(entities: Sequence[Entity]) -> str:
    """The sentence about devices of which Home Assistant says that a command failed."""
    if all(entity.domain == "todo" for entity in entities):
        return f"{capital(_named(entities))} could not be changed."
    return f"I asked {_named(entities)}, but that failed."


def unanswered_words(entities: Sequence[Entity]) -> str:
    """The sentence about devices that have not told the state that they were asked for."""
    does = "it does" if len(entities) == 1 else "they do"
    return f"I asked {_named(entities)}, but {does} not answer."


def _named(entities: Sequence[Entity]) -> str:
    return listed(list(dict.fromkeys(_called(entity) for entity in entities)))


def _called(entity: Entity) -> str:
    """A device, or a list, as replies call it."""
    is_list = entity.domain == "todo"
    return FoundList(entity.id, entity.name).called if is_list else the(entity)


def joined(sentences: Iterable[str]) -> str:
    """Sentences in a row, each said once."""
    return " ".join(dict.fromkeys(sentences))


def _told(entity: Entity, command: str, negation: str) -> str:
    verb = command.partition(" ")[0]  # what is to be played follows it
    form = _PASSIVE.get(f"{entity.domain}.{verb}") or _PASSIVE.get(verb) or _OTHER
    return form.replace("{the}", _called(entity)).replace("{}", negation)
