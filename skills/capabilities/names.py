"""The names of routines and of music, told to recognition where they have changed."""

from __future__ import annotations

import logging
from pathlib import Path

from assistant.core.home.names import name_fault, shown
from assistant.core.speakable import GivenNames, read_names, write_names
from assistant.skill import Context
from skills.registry import Registry

_MOST_TOLD = 10

log = logging.getLogger(__name__)


class ToldNames:
    """Keeps the names of `registry` in a `file`; without one nobody is told of any.

    They are `due` at the start, as the process may have ended before it could tell them.
    """

    def __init__(self, registry: Registry, file: Path | None) -> None:
        self._registry, self._file, self.due = registry, file, True
        self._told = read_names(file) if file is not None else None

    def changed(self, context: Context) -> bool:
        """Whether they have changed since they were told last; then the file has them."""
        self.due = False
        if self._file is None:
            return False
        names = _sayable(self._registry.given_names(context))
        if names == self._told:
            return False
        try:
            write_names(self._file, names)
        except OSError as error:
            log.warning("%s: %s (storage.unwritable)", self._file, error)
            return False
        self._told = names
        return True


def _sayable(names: GivenNames) -> GivenNames:
    """The names without those that cannot be one, which are logged."""
    for skill, by_slot in names.items():
        bad = [name for given in by_slot.values() for name in given if name_fault(name)]
        for name in bad[:_MOST_TOLD]:
            told = '%s: the name "%s" is left out: %s (skill.name)'
            log.warning(told, skill, shown(name), name_fault(name))
    return {
        skill: {slot: tuple(n for n in given if not name_fault(n)) for slot, given in each.items()}
        for skill, each in names.items()
    }
