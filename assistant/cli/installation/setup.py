"""`assistant setup`: the first settings, by questions."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.bridge.home_assistant.token import keep_token
from assistant.cli.installation.asking import Asker, tell
from assistant.cli.installation.home_assistant_step import NONE, Chosen, home_assistant
from assistant.cli.installation.home_steps import asked_area, asked_home, given_home
from assistant.cli.installation.sound_steps import (
    loudspeaker,
    microphone,
    try_wake_word,
    wake_word,
)
from assistant.cli.installation.trial import try_command
from assistant.core.config import SYSTEM_FILE, USER_FILE, Config, config_files, load_config
from assistant.core.errors import InputError
from assistant.setup.home_file import home_text, read_home_text
from assistant.setup.settings_file import changed, read, with_changes, write
from assistant.skill.home import Home, load_homes

HOME_FILE = "home.yaml"


def setup(
    input_: Annotated[
        str | None, typer.Option("--microphone", help="Part of its name; not asked then.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--loudspeaker", help="Part of its name; not asked then.")
    ] = None,
    word: Annotated[str | None, typer.Option("--wake-word", help='Such as "computer".')] = None,
    home: Annotated[Path | None, typer.Option(help="A home file that is there already.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--home-assistant", help="Its configuration folder, or a copy of it."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--home-assistant-url", help='"http://192.168.1.5:8123" here, or "none".'),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option("--home-assistant-token", help='File of its access token; "-" for stdin.'),
    ] = None,
    room: Annotated[
        list[str] | None, typer.Option(help='"kitchen: ceiling light, kettle=switch"; repeatable.')
    ] = None,
    lists: Annotated[
        list[str] | None, typer.Option("--list", help='"shopping list"; repeatable.')
    ] = None,
    area: Annotated[str | None, typer.Option(help="The room where this device stands.")] = None,
    say: Annotated[str | None, typer.Option(help="The command that is tried at the end.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking anything.")] = False,
    config: Annotated[
        Path | None, typer.Option(help="Settings to write, in place of the usual.")
    ] = None,
) -> None:
    """Choose microphone, loudspeaker, wake word, rooms and devices, and try a command."""
    if not (yes or sys.stdin.isatty()):
        message = "setup asks questions; run it at a terminal, or give the answers and --yes"
        raise InputError("setup.terminal", message)
    told = bool(home or folder or room or lists)
    _require_one_home(told, url, token)
    asker = Asker(asks=not yes)
    file = config or (USER_FILE.expanduser() if os.geteuid() else SYSTEM_FILE)
    settings, _ = load_config(tuple(f for f in config_files(config) if f.exists()))
    tell(f"The settings will be those of {file}. Enter takes what is proposed; Ctrl-C ends it all.")
    changes = _sound(asker, settings, (input_, output, word))
    as_before = Chosen(settings.home_assistant.url)
    chosen = as_before if told and url is None else home_assistant(asker, settings, url, token)
    changes |= chosen.changes(settings)
    found: Home | Path | None = home or given_home(room or (), lists or (), folder)
    if found is None and not chosen.url:
        found = asked_home(asker, with_changes(settings, changes))
    home_file = (file.parent / HOME_FILE).absolute()
    if found is not None:
        changes["home.file"] = str(found.absolute() if isinstance(found, Path) else home_file)
    new_home = home_text(found) if isinstance(found, Home) else ""
    settings_then = with_changes(settings, changes)
    described = chosen.home if settings_then.described_home else None
    changes |= _area(asker, settings_then, described or _home_then(new_home, settings_then), area)
    _write(asker, file, changes, {home_file: new_home} if new_home else {}, chosen.secret(settings))
    try_command(asker, file, say, described)


def _require_one_home(told: bool, url: str | None, token: str | None) -> None:
    """Refuse, by `InputError`, options of which each gives the rooms."""
    if told and url not in (None, NONE):
        message = "with --home-assistant-url rooms, devices and lists come from Home Assistant;"
        raise InputError("setup.both", f"{message} give no others")
    if token is not None and url in (None, NONE):
        message = "--home-assistant-token needs the address in --home-assistant-url"
        raise InputError("setup.token", message)


def _sound(
    asker: Asker, settings: Config, given: tuple[str | None, str | None, str | None]
) -> dict[str, Any]:
    """The settings of microphone, loudspeaker and wake word, those `given` without a question."""
    changes: dict[str, Any] = {}
    input_, output, word = given
    if wanted := input_ or microphone(asker):
        changes["audio.input"] = wanted
    if wanted := output or loudspeaker(asker, settings):
        changes["audio.output"] = wanted
    if keywords := wake_word(asker, settings, word):
        changes["wake.keywords"] = keywords
    try_wake_word(asker, with_changes(settings, changes))
    return changes


def _home_then(new: str, settings: Config) -> Home:
    """The home that will be in force, read as the daemon reads it."""
    return read_home_text(new) if new else load_homes(settings.home_files)


def _area(asker: Asker, settings: Config, home: Home, given: str | None) -> dict[str, Any]:
    """The setting of the room where this device stands, which may be one that is no more."""
    if where := asked_area(asker, home, given):
        return {"home.area": where}
    may_come = settings.described_home is not None and not home.areas
    if may_come or settings.home.area in ("", *(one.id for one in home.areas)):
        return {}
    return {"home.area": ""}


def _write(
    asker: Asker,
    file: Path,
    changes: dict[str, Any],
    home: dict[Path, str],
    secrets: dict[Path, str],
) -> None:
    """Show what will be written, and write it: the settings last, as they name the rest."""
    asker.head("What will be written")
    wanted = {**home, file: changed(file, read(file), changes)}
    differing = {path: text for path, text in wanted.items() if text != read(path)}
    for path, text in differing.items():
        for line in _difference(path, read(path), text):
            tell(line)
    for path in secrets:
        tell(f"the access token, which is not shown: {path}")
    if not (differing or secrets):
        tell("Nothing: all stays as it is.")
        return
    if not asker.yes("Write it?"):
        tell("Nothing was written.")
        raise typer.Exit(1)
    for path, text in secrets.items():
        keep_token(path, text)
        tell(f"written: {path}")
    for path, text in differing.items():
        kept = write(path, text)
        tell(f"written: {path}" + (f"; the one before is {kept}" if kept else ""))
    tell("A running assistant takes it over by: assistant reload (the service: sudo systemctl")
    tell("reload assistant); another microphone or Home Assistant, by a restart: sudo systemctl")
    tell("restart assistant assistant-bridge.")


def _difference(path: Path, before: str, after: str) -> Iterator[str]:
    old, new = before.splitlines(), after.splitlines()
    return difflib.unified_diff(old, new, str(path), str(path), lineterm="")
