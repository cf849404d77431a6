"""`assistant skills install` and `assistant skills remove`: skills of others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from assistant.cli.reload import tell_daemon
from assistant.cli.shared.output import console, emit, errors, progress
from assistant.cli.shared.questions import confirm
from assistant.cli.shared.skill_reports import show_check, show_failed
from assistant.core.config import Config, config_files, load_config
from assistant.core.database import copy_database
from assistant.core.errors import ControlError, SkillError
from assistant.core.layout import STATE_FILE
from assistant.skill_installation.install import ConflictError, FailedTestsError
from assistant.skill_installation.install import install as install_skill
from assistant.skill_installation.install import remove as remove_skill
from skills.capabilities.kept import kept_bytes
from skills.state import open_state

ConfigFile = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def install(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Folder, wheel or PyPI name.")],
    grant: Annotated[
        str, typer.Option(metavar="PERM,…", help="What it may use; else you are asked.")
    ] = "",
    config: ConfigFile = None,
    json: Json = False,
) -> None:
    """Install a skill of somebody else, once its own tests hold and it conflicts with none."""
    settings = load_config(config_files(config))[0]
    given = tuple(filter(None, (one.strip() for one in grant.split(","))))
    try:
        record = install_skill(source, settings, given, _consent, progress)
    except FailedTestsError as error:
        show_failed(error.found, errors)
        raise
    except ConflictError as error:
        show_check(error.found, errors)
        raise
    if json:
        emit({"type": "SkillInstalled", "skill": record.name, "version": record.version})
    else:
        may = ", ".join(record.granted) or "nothing"
        _tell(f"{record.name} {record.version} is installed. It may use: {may}")
    _take_on(settings)


def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The skill's name.")],
    config: ConfigFile = None,
) -> None:
    """Take an installed skill away, with what it is granted; what it keeps stays."""
    settings = load_config(config_files(config))[0]
    remove_skill(name, settings)
    _tell(f"{name} is removed, with what it was granted.")
    if kept := _kept(settings.state_dir / STATE_FILE, name):
        _tell(f"It keeps {kept} bytes; to delete them, stop the assistant and run:")
        _tell(f"  assistant skills forget {name}")
    _take_on(settings)


def _consent(skill: str, permissions: Sequence[str]) -> bool:
    if not sys.stdin.isatty():
        return False
    _tell(f"{skill} asks for: {', '.join(permissions)}")
    return confirm("May it use that?")


def _take_on(settings: Config) -> None:
    """Have a running daemon reload."""
    try:
        done = tell_daemon(settings)
    except ControlError as error:
        if error.code != "control.down":
            raise
        _tell("No assistant runs now; the next start takes this on.")
        return
    if not done:
        raise SkillError("skill.reload", "the running assistant goes on as before; see above")


def _kept(file: Path, name: str) -> int:
    """The bytes that a skill keeps, also while the assistant runs."""
    if not file.exists():
        return 0
    with TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        copy_database(file, copy)
        with closing(open_state(copy)) as state:
            return kept_bytes(state).get(name, 0)


def _tell(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
