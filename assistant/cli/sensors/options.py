"""What several commands of the sensors take, and the file that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.sensors.described import Sensors, load_sensors

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


def watched(config: Path | None) -> tuple[Settings, Sensors]:
    """The settings, and the sensors of the file that they name; raises `InputError` for none."""
    settings, _ = load_config(config_files(config))
    if settings.sensors_file is None:
        message = "no sensors are watched: the setting sensors.file names the file that lists them"
        raise InputError("sensors.none", message)
    return settings, load_sensors(settings.sensors_file)
