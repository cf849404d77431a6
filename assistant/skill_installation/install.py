"""Installs and removes skills: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from assistant.core.config import Config
from assistant.core.errors import InputError, SkillError
from assistant.core.layout import QUARANTINE_FILE
from assistant.skill_development.check import Progress, SkillsCheck
from assistant.skill_development.testing import Failure
from assistant.skill_installation.contents import refused
from assistant.skill_installation.source import Contents, gather
from assistant.skill_installation.store import Store, opened
from assistant.skill_installation.trial import conflicts, failures, make_ready
from skills.isolation.installed import Installed, read_record, with_installed
from skills.isolation.package import read_package
from skills.isolation.permissions import Permissions
from skills.isolation.quarantine import Quarantine

Consent = Callable[[str, Sequence[str]], bool]
"""Asks the user whether a skill, by name, may use these permissions."""


class FailedTestsError(SkillError):
    """The tests of a skill fail."""

    def __init__(self, skill: str, found: Sequence[Failure]) -> None:
        super().__init__("skill.tests", f"{skill}: not installed: its own tests fail")
        self.found = found


class ConflictError(SkillError):
    """The sentences of a skill conflict with others'."""

    def __init__(self, skill: str, found: SkillsCheck) -> None:
        super().__init__("skill.conflict", f"{skill}: not installed: its sentences are faulty")
        self.found = found


def install(
    source: str, config: Config, given: Sequence[str], consent: Consent, progress: Progress
) -> Installed:
    """Install a skill, or another version of it in place of the one that is installed.

    `given` are the permissions that the user grants; for others that it asks for `consent` is
    asked. Raises `InputError` with the reason for which nothing was changed.
    """
    with opened(config.state_dir) as store:
        with progress("reading"):
            contents = gather(source)
        with store.draft(contents) as draft:
            granted = _granted(store, draft, contents, config, given, consent)
            others = _others(config, store.folder_of(contents.name))
            _try_out(draft, others, progress)
            record = store.grant(draft, contents, granted)
            if config.control_socket.exists():
                with progress("fitting"), suppress(OSError, ValueError):  # or the assistant does it
                    make_ready(draft, others, granted)
            store.put(draft)
    quarantine = Quarantine()
    quarantine.keep_in(config.state_dir / QUARANTINE_FILE)
    quarantine.release(record.name)
    return record


def remove(name: str, config: Config) -> None:
    """Take an installed skill away, with its grant; raises `InputError` for one there is not."""
    with opened(config.state_dir) as store:
        if not store.holds(name):
            raise InputError("skill.unknown", f'no skill "{name}" is installed')
        store.remove(name)


def _granted(
    store: Store,
    draft: Path,
    contents: Contents,
    config: Config,
    given: Sequence[str],
    consent: Consent,
) -> tuple[str, ...]:
    """What the skill asks for, once the user has granted all of it."""
    name = contents.name
    package = read_package(draft)
    if package.name != name:
        raise refused(contents.source, f"its pyproject.toml calls it {package.name}, not {name}")
    wanted = Permissions(package.permissions)
    if name in config.skills.grants:
        lacking = Permissions(config.skills.grants[name]).lacking(wanted)
        if lacking:
            asked = ", ".join(f'"{one}"' for one in wanted.names)
            why = (
                f"it asks for {', '.join(lacking)}; the settings grant it less: {name} = [{asked}]"
            )
            raise refused(contents.source, f"{why} under [skills.grants] would grant that")
        return wanted.names
    before = read_record(store.folder_of(name)).granted if store.holds(name) else ()
    lacking = Permissions((*given, *before)).lacking(wanted)
    if lacking and not consent(name, lacking):
        whole = ",".join(wanted.names)
        why = f"it asks for {', '.join(lacking)}; to grant that: --grant {whole}"
        raise refused(contents.source, why)
    return wanted.names


def _others(config: Config, own: Path) -> Config:
    """The settings with all skills but the one that lies in the folder `own`, or will."""
    config = with_installed(config)
    folders = tuple(one for one in config.skills.folders if one != str(own))
    if own.name in map(_name_in, folders):
        why = "a skill of that name stands in skills.folders"
        raise SkillError("skill.taken", f"{own.name}: not installed: {why}")
    skills = msgspec.structs.replace(config.skills, folders=folders)
    return msgspec.structs.replace(config, skills=skills)


def _name_in(folder: str) -> str:
    """The name of the skill in a folder; "" where there is none."""
    try:
        return read_package(Path(folder).expanduser()).name
    except SkillError:
        return ""


def _try_out(draft: Path, config: Config, progress: Progress) -> None:
    name = draft.name
    if failed := failures(draft, config, progress):
        raise FailedTestsError(name, failed)
    found = conflicts(draft, config, progress)
    if found.faults:
        raise ConflictError(name, found)
