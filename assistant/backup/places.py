"""Where the parts of a backup belong, and where they may not be written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from assistant.backup.archive import HOME, OWN, SENTENCES, SETTINGS, SYSTEM, USER, Manifest
from assistant.backup.contents import NAMED, named
from assistant.core.config import SYSTEM_FILE, USER_FILE, Config, config_files, load_config
from assistant.core.errors import InputError
from assistant.core.layout import STATE_FILE
from assistant.skill.home import load_home
from assistant.supervision.folders import LOCK_FILE

_MODELS = "models"
WRITTEN = (
    *(f"storage.{folder}" for folder in ("state", "runtime", "cache", "models")),
    *("calendar.file", "metrics.textfile"),
)
"""Settings that name what the assistant writes, at the restore or later."""
_OWN = tuple(map(Path, ("/var/lib/hark", "/var/cache/hark", "/run/hark")))
"""Folders of the service."""


class Place(NamedTuple):
    """Where a part of the backup lies, and where it belongs."""

    staged: Path
    target: Path


def settled(
    manifest: Manifest, scratch: Path, config_file: Path | None, keep_settings: bool
) -> tuple[Config, list[Place]]:
    """The settings that will be in force, and the places of all but the state.

    The archive's files of settings, home and sentences lie in `scratch`. Raises `InputError`, also
    for what would be written where it is not safe.
    """
    here = [file for file in config_files(config_file) if file.exists()]
    in_force, _ = load_config(tuple(here))
    settings = [] if keep_settings else list(_settings_places(manifest, scratch, config_file))
    if not settings:
        return in_force, []
    try:
        config, _ = load_config(tuple(place.staged for place in settings))
        if (scratch / HOME).exists():
            load_home(scratch / HOME)
    except InputError as error:
        told = error.message.replace(f"{scratch}/", "")
        message = f"the backup's settings cannot be used here ({told}); try --keep-settings"
        raise InputError(error.code, message) from error
    _require_own(config, in_force, settings)
    return config, [*settings, *_named_places(config, in_force, scratch, settings)]


def _settings_places(
    manifest: Manifest, scratch: Path, config_file: Path | None
) -> Iterator[Place]:
    """The settings' files, in the order in which they are read."""
    held = [f.name for f in manifest.files if f.name.startswith(f"{SETTINGS}/")]
    if config_file is not None and len(held) > 1:
        message = "the backup holds settings of the system and of a user: leave --config out"
        raise InputError("backup.settings", message)
    if config_file is None and OWN in held:
        message = "the backup's settings were named by --config: name their place with --config"
        raise InputError("backup.settings", message)
    usual = {SYSTEM: SYSTEM_FILE, USER: USER_FILE.expanduser()}
    for name in (SYSTEM, USER, OWN):
        if name in held:
            yield Place(scratch / name, (config_file or usual[name]).resolve())


def _roots(settings: Sequence[Place]) -> set[Path]:
    """Folders in which a backup may name files.

    Whoever made the archive must not choose what is overwritten, least of all as root.
    """
    roots = {place.target.parent for place in settings}
    return roots | {Path.home().resolve()} if os.geteuid() else roots


def _require_own(config: Config, in_force: Config, settings: Sequence[Place]) -> None:
    """Refuse settings by which the assistant would write outside its own folders."""
    usual = Config()
    folders = (usual.state_dir, usual.runtime_dir, usual.cache_dir)
    roots = {*_roots(settings), *_OWN, *(folder.resolve() for folder in folders)}
    for setting in WRITTEN:
        wanted = named(config, setting)
        if not wanted or wanted == named(in_force, setting):
            continue
        target = Path(wanted).expanduser().resolve()
        if not any(target.is_relative_to(root) for root in roots):
            message = (
                f"{setting}: {target} lies outside the folders of an assistant; name it in the"
                " settings here first, or restore with --keep-settings"
            )
            raise InputError("backup.outside", message)
        roots.add(target)


def _named_places(
    config: Config, in_force: Config, scratch: Path, settings: Sequence[Place]
) -> Iterator[Place]:
    """The files that the settings name, where it is safe to write them."""
    roots = _roots(settings)
    for name, setting in NAMED.items():
        wanted = named(config, setting)
        if not wanted or not (scratch / name).exists():
            continue
        target, state = Path(wanted).expanduser().resolve(), config.state_dir.resolve()
        known = wanted == named(in_force, setting)
        safe = known or any(target.is_relative_to(root) for root in roots)
        if not safe or target.is_relative_to(state):
            message = (
                f"{setting}: {target} lies in the state folder, or outside that of the settings;"
                " name it in the settings here first, or restore with --keep-settings"
            )
            raise InputError("backup.outside", message)
        if name != SENTENCES:
            yield Place(scratch / name, target)
            continue
        for file in sorted(f for f in (scratch / name).rglob("*") if f.is_file()):
            yield Place(file, target / file.relative_to(scratch / name))


def require_state_folder(state: Path) -> None:
    """Refuse to replace a folder that was never an assistant's."""
    if not state.exists():
        return
    names = set(os.listdir(state))
    if names - {_MODELS} and not names & {LOCK_FILE, STATE_FILE}:
        message = f"{state} (storage.state) holds other things than an assistant's state"
        raise InputError("backup.outside", message)
