"""An installed skill: its record, and the check that its files are what was installed.

STATE/skills/NAME/installed.json    the record: version, grant, and the hash of every file
STATE/skills/NAME/files/            what was in its wheel or folder, and what that depends on
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from assistant.core.config import Config
from assistant.core.errors import UNDECODABLE, SkillError
from assistant.core.layout import SKILLS_FOLDER

RECORD = "installed.json"
FILES = "files"
FORMAT = 1


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """The record of an installed skill; `module` is the package in `files` that is the skill."""

    format: int = FORMAT
    name: str
    version: str
    module: str
    source: str
    """What it was installed from: the name of a folder or of a wheel."""
    granted: tuple[str, ...] = ()
    """The permissions that the user granted it."""
    wheels: dict[str, str] = {}
    """Name of a wheel → its SHA-256."""
    files: dict[str, str]
    """Path of a file within `files` → its SHA-256."""


def is_installed(folder: Path) -> bool:
    """Whether a folder is that of an installed skill."""
    return (folder / RECORD).is_file()


def read_record(folder: Path) -> Installed:
    """The record in the folder of an installed skill; raises `SkillError`."""
    file = folder / RECORD
    try:
        record = msgspec.json.decode(file.read_bytes(), type=Installed)
    except (OSError, *UNDECODABLE) as error:
        raise _changed(folder.name, f"{file} cannot be read") from error
    if record.format > FORMAT:
        message = f"{file}: a later version of Hark installed it; update Hark, or install it anew"
        raise SkillError("skill.newer", message)
    paths = map(PurePosixPath, record.files)
    if any(path.is_absolute() or ".." in path.parts for path in paths):
        raise _changed(folder.name, f"{file} names files that are not its own")
    if record.name != folder.name or not record.module.isidentifier():
        raise _changed(folder.name, f"{file} is that of another skill")
    return record


def check_files(folder: Path, record: Installed) -> None:
    """Raise `SkillError` where a file is missing, or is not what was installed."""
    for name in record.files:
        try:
            content = (folder / FILES / name).read_bytes()
        except OSError as error:
            raise _changed(record.name, f"{name} cannot be read: {error.strerror}") from error
        check_content(record.name, name, content, record.files)


def check_content(skill: str, name: str, content: bytes, hashes: Mapping[str, str]) -> None:
    """Raise `SkillError` unless a file of a skill has the hash that was recorded for it."""
    if hashlib.sha256(content).hexdigest() != hashes.get(name):
        raise _changed(skill, f"{name} is not what was installed")


def installed_skills(state: Path) -> Iterator[tuple[Path, Installed]]:
    """The folder and the record of each skill that is installed in a state folder, by name.

    One whose record cannot be read is left out.
    """
    for folder in installed_folders(state):
        try:
            yield folder, read_record(folder)
        except SkillError:
            continue


def installed_folders(state: Path) -> tuple[Path, ...]:
    """The folder of each skill that is installed in a state folder, by name."""
    place = state / SKILLS_FOLDER
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return ()
    return tuple(place / name for name in names if not name.startswith("."))


def with_installed(config: Config) -> Config:
    """The settings with the skills that are installed, and with their grants.

    What the settings grant a skill counts before what was granted when it was installed.
    """
    state = config.state_dir
    folders = dict.fromkeys((*config.skills.folders, *map(str, installed_folders(state))))
    grants = {record.name: record.granted for _, record in installed_skills(state)}
    skills = msgspec.structs.replace(
        config.skills, folders=tuple(folders), grants=grants | config.skills.grants
    )
    return msgspec.structs.replace(config, skills=skills)


def _changed(skill: str, what: str) -> SkillError:
    message = f"{skill}: {what}; it does not run until it is installed anew"
    return SkillError("skill.changed", message, skill)
