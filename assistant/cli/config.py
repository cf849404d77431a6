"""`assistant config`: the settings in force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.output import console, emit, errors
from assistant.composition import Composition
from assistant.core.config import Config, Setting, config_files, load_config
from assistant.core.layout import PIN_FILE
from assistant.core.settings.security import SecuritySettings
from skills.isolation.host import Host
from skills.isolation.installed import with_installed
from skills.registry import SETTINGS, SettingFault, load_registry
from skills.rights.pin_file import PinFile


def config(
    file: Annotated[
        Path | None, typer.Option("--config", help="Settings, in place of the usual.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show every setting in force, and which file it comes from."""
    files = config_files(file)
    loaded, given = load_config(files)
    settings, bad = with_skills(loaded, given)
    settings += in_force(loaded)
    for fault in bad:
        errors.print(f"{fault.setting}: {fault.message}", style="red", markup=False)
    if json:
        for setting in settings:
            emit(setting)
        raise typer.Exit(1 if bad else 0)
    read = ", ".join(map(str, files)) or "no file: all settings are the defaults"
    table = Table(caption=f"read: {read}", caption_justify="left")
    for title in ("setting", "value", "from"):
        table.add_column(title, overflow="fold")
    for setting in settings:
        changed = "" if setting.source == "default" else "bold"
        value = toml(setting.value)
        cells = [Text(text, style=changed) for text in (setting.name, value, setting.source)]
        cells[0].append(f"\n{setting.meaning}" if setting.meaning else "", style="not bold dim")
        table.add_row(*cells)
    console.print(table)
    raise typer.Exit(1 if bad else 0)


def with_skills(
    config: Config, settings: tuple[Setting, ...]
) -> tuple[list[Setting], tuple[SettingFault, ...]]:
    """The settings with those of the skills, as they are in force, and what is wrong with these."""
    given = {setting.name: setting.source for setting in settings}
    skills = with_installed(config).skills
    folders = [Path(folder).expanduser() for folder in skills.folders]
    host = Host(skills.grants)
    registry = load_registry(folders, True, skills.disabled, skills.settings, host)
    bad = {fault.setting for fault in registry.setting_faults}
    own = [
        Setting(
            name=(name := f"{SETTINGS}.{manifest.name}.{schema.name}"),
            value=registry.settings_of(manifest.name)[schema.name],
            source=given.get(name, "default") if name not in bad else "default",
            meaning=schema.meaning,
        )
        for manifest in registry.manifests
        for schema in manifest.settings
    ]
    others = [one for one in settings if not one.name.startswith(f"{SETTINGS}.")]
    return [*others, *own], registry.setting_faults


def in_force(config: Config) -> list[Setting]:
    """What follows from the settings of the security here; raises `ConfigError` for wrong names."""
    if config.security == SecuritySettings():
        return []
    Composition(config).rules  # noqa: B018 - the access checks them
    pin_file = config.state_dir / PIN_FILE
    return [
        Setting(
            name="security.pin",
            value="set" if PinFile(pin_file).is_set else "not set",
            source="assistant pin set",
        ),
        Setting(
            name="security.profile",
            value=config.security.rooms.get(config.home.area, ""),
            source="security.rooms",
            meaning="The profile of home.area.",
        ),
    ]


def toml(value: Any) -> str:
    """The value as TOML; scalars and lists are written as in JSON."""
    if isinstance(value, dict):
        pairs = (f"{toml(key)} = {toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return msgspec.json.encode(value).decode()
