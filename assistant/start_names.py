"""The names with which recognition and understanding start, which others in the home choose.

A stage that died twice as it began with them starts with those before, and is otherwise as it was.
Each start of the daemon tries the newest ones again.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from assistant.core.config import Config
from assistant.core.errors import UNDECODABLE
from assistant.core.files import read_text, replace_file
from assistant.core.layout import NAMES_FILE, VOCABULARY_FILES
from assistant.core.speakable import NO_NAMES, GivenNames, read_names
from assistant.skill.home import Home, load_homes

DEATHS = 2
"""Ends of a stage, as it began with some names, after which it begins without them."""
MOST_BYTES = 32 << 20

log = logging.getLogger(__name__)


class StartNames(msgspec.Struct, frozen=True, kw_only=True):
    """The home, and what users and a player have named."""

    home: Home = Home()
    given: GivenNames = NO_NAMES


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    tried: str = ""
    """A digest of the names that a stage began with, and has not become ready with yet."""
    run: int = 0
    """The process that started it: the same until the daemon starts anew."""
    begun: int = 0
    good: StartNames = StartNames()
    """The last ones that it became ready with."""


class NamesOnTrial:
    """Which names the process `name` begins with, on the record in its state folder."""

    def __init__(self, name: str, state: Path) -> None:
        self._name, self._file = name, state / VOCABULARY_FILES[name]
        self.chosen: StartNames | None = None
        """The names that were chosen last."""

    @contextmanager
    def beginning(self, config: Config) -> Iterator[StartNames]:
        """The names to begin with; they are good ones once the block has ended without a fault."""
        newest = StartNames(
            home=load_homes(config.home_files), given=read_names(config.state_dir / NAMES_FILE)
        )
        record, run = _read(self._file), os.getppid()
        if newest == record.good:
            if record.tried:
                self._write(_Record(good=newest))
            self.chosen = newest
            yield newest
            return
        digest = hashlib.sha256(msgspec.json.encode(newest, order="sorted")).hexdigest()
        same = (record.tried, record.run) == (digest, run)
        begun = record.begun if same else 0
        if begun >= DEATHS:
            told = "%s ended %d times as it began with the newest names: it begins without them"
            log.error(told + " (vocabulary.held)", self._name, begun)
            self.chosen = record.good
            yield record.good
            return
        self._write(_Record(tried=digest, run=run, begun=begun + 1, good=record.good))
        self.chosen = newest
        yield newest
        self._write(_Record(good=newest))

    def _write(self, record: _Record) -> None:
        # Where nothing can be written, it begins as if nothing had been.
        with suppress(OSError):
            replace_file(self._file, msgspec.json.encode(record), 0o600, durable=False)


def held_back(state: Path) -> tuple[str, ...]:
    """The processes that begin without the newest names."""
    return tuple(
        name for name, file in VOCABULARY_FILES.items() if _read(state / file).begun >= DEATHS
    )


def _read(file: Path) -> _Record:
    try:
        return msgspec.json.decode(read_text(file, MOST_BYTES), type=_Record)
    except (OSError, *UNDECODABLE):
        return _Record()
