"""Changes settings in a file of the user's, whose other settings and comments stay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from assistant.core.config import Config, load_config
from assistant.core.errors import ConfigError, InputError
from assistant.core.files import read_text, replace_file


def changed(file: Path, text: str, changes: Mapping[str, Any]) -> str:
    """The text of `file` with these settings, such as "home.area", in force.

    Raises `ConfigError` where it is no TOML, or a setting is wrong.
    """
    try:
        document = tomlkit.parse(text)
        for setting, value in changes.items():
            section, _, key = setting.partition(".")
            if section not in document:
                document.append(section, tomlkit.table())
            document[section][key] = _item(value)
        new = tomlkit.dumps(document)
    except (TOMLKitError, TypeError) as error:
        raise ConfigError("config.malformed", f"{file}: {error}") from error
    with TemporaryDirectory() as folder:
        trial = Path(folder) / file.name
        trial.write_text(new, "utf-8")
        try:
            load_config((trial,))
        except ConfigError as error:
            message = error.message.replace(str(trial), str(file))
            raise ConfigError(error.code, message) from error
    return new


def with_changes(settings: Config, changes: Mapping[str, Any]) -> Config:
    """The settings with such changes in force."""
    for setting, value in changes.items():
        section, _, key = setting.partition(".")
        new = msgspec.structs.replace(getattr(settings, section), **{key: value})
        settings = msgspec.structs.replace(settings, **{section: new})
    return settings


def read(file: Path) -> str:
    """The text of a file that may not be there, which is ""; raises `InputError`."""
    try:
        return read_text(file)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("setup.unreadable", f"{file}: {error}") from error


def write(file: Path, text: str) -> Path | None:
    """Replace a file as a whole; where the one before is kept, if there was one.

    Raises `InputError`.
    """
    previous = file.with_name(f"{file.name}.bak")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        target, mode = file.resolve(), 0o644
        before = target.read_bytes() if target.exists() else None
        if before is not None:
            mode = target.stat().st_mode & 0o777
            replace_file(previous, before, mode)
        replace_file(target, text.encode(), mode)
    except OSError as error:
        raise InputError("setup.unwritable", f"{file}: {error.strerror}") from error
    return previous if before is not None else None


def _item(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table
