"""The music that the player has, by its names, as the bridge told it last."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import msgspec

from assistant.core.database import Database
from assistant.core.home.music import Music
from assistant.core.messages import MusicLibrary
from assistant.core.settings.mpd import PLAYER
from assistant.skill.home import Entity

log = logging.getLogger(__name__)


def create_music(database: Database) -> None:
    """Create the table of the names."""
    database.execute(
        "CREATE TABLE music (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name))"
        " STRICT"
    )


class StoredMusic:
    """The `MusicNames` of the skills.

    Where the home's file gives the `library` of a player that was `added`, that is what there is
    until the player tells.
    """

    def __init__(self, database: Database, added: Iterable[Entity] = ()) -> None:
        self._database = database
        self._all: tuple[Music, ...] | None = None
        for entity in added:
            if entity.id == PLAYER and (named := entity.attributes.get("library")):
                self.told(_read(named))

    def all(self) -> tuple[Music, ...]:
        """Everything that has a name."""
        if self._all is None:  # each action asks for them, and there may be thousands
            self._all = tuple(Music(kind, name) for kind, name in self._stored())
        return self._all

    def told(self, library: MusicLibrary) -> None:
        """Keep what there is now, in place of what there was."""
        told = {(kind, name) for kind, names in library.names.items() for name in names}
        known = set(self._stored())
        if told == known:
            return
        self._all = None
        with self._database.transaction():
            for kind, name in known - told:
                forget = "DELETE FROM music WHERE kind = ? AND name = ?"
                self._database.execute(forget, kind, name)
            for kind, name in told - known:
                self._database.execute("INSERT INTO music VALUES (?, ?)", kind, name)

    def _stored(self) -> list[tuple[Any, ...]]:
        return self._database.execute("SELECT kind, name FROM music ORDER BY kind, name")


def _read(named: Any) -> MusicLibrary:
    try:
        return msgspec.convert({"names": named}, MusicLibrary)
    except msgspec.ValidationError as error:
        log.warning("the library of %s is not taken: %s (home.library)", PLAYER, error)
        return MusicLibrary(names={})
