"""The daemon's folders: made, checked, and locked so that no second daemon works in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from assistant.core.config import Config
from assistant.core.errors import ConfigError
from assistant.core.files import make_private, open_locked

LOCK_FILE = "daemon.lock"


@contextmanager
def held(config: Config) -> Iterator[None]:
    """Make the folders of the settings and lock them; the locks end at least with this process.

    Raises `ConfigError` for a folder that cannot be made or written, that another user owns or may
    write, or that another daemon has locked.
    """
    _make("storage.cache", config.cache_dir)
    with ExitStack() as locks:
        for setting, folder in (
            ("storage.state", config.state_dir),
            ("storage.runtime", config.runtime_dir),
        ):
            _make(setting, folder)
            locks.enter_context(_lock(setting, folder))
        yield


def _make(setting: str, folder: Path) -> None:
    try:
        make_private(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(0, "it cannot be written")
    except OSError as error:
        raise _unusable(setting, folder, error) from error


def _lock(setting: str, folder: Path) -> IO[bytes]:
    try:
        lock = open_locked(folder / LOCK_FILE)
    except OSError as error:
        raise _unusable(setting, folder, error) from error
    if lock is None:
        message = f"another assistant runs in {folder} ({setting}); stop that one first"
        raise ConfigError("daemon.taken", message)
    return lock


def _unusable(setting: str, folder: Path, error: OSError) -> ConfigError:
    return ConfigError("daemon.folder", f"{setting}: {folder} cannot be used: {error.strerror}")
