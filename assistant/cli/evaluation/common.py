"""What several evaluations need: their options, their settings and their present."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from assistant.cli.shared.conversation import temporary_config
from assistant.core.clock import time_zone
from assistant.core.config import Config
from assistant.core.settings.mqtt import MqttSettings

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
Engine = Annotated[str, typer.Option(help="auto, whisper or pocketsphinx.")]

EXAMPLES_VOICES = ("slt", "rms", "awb", "kal16")
"""flite's voices that speak the sentences of an evaluation."""


def with_broker(home: Path | None) -> Config:
    """Settings by which commands to devices show as messages; nothing is connected."""
    return msgspec.structs.replace(
        temporary_config(None, home), mqtt=MqttSettings(host="localhost")
    )


class Clock:
    """The present of an evaluation, in the zone of `config`: the real one until it is set."""

    def __init__(self, config: Config) -> None:
        self._zone = time_zone(config.home.time_zone)
        self._present: datetime | None = None

    def __call__(self) -> datetime:
        return self._present or datetime.now(self._zone)

    def set(self, local: datetime | None) -> None:
        """Make this local time the present; None for the real one."""
        self._present = local and local.replace(tzinfo=self._zone)
