"""The daemon's start: which processes there are, and the supervisor over them.

This file is what the supervisor's process loads; whatever is heavy lies behind a process's target.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from assistant.core.clock import time_zone
from assistant.core.config import Config, config_files, load_config
from assistant.logs import set_up
from assistant.process import ProcessSpec
from assistant.skill.home import load_home
from assistant.supervisor import Supervisor

SERVE = "assistant.members:serve"
SINGLE = "assistant.single"
"""Named, not imported: they load every engine, which the supervisor must not."""

HANG_AFTER_S = {"asr": 10.0}
"""Recognising a long utterance once more, in general English, may take longer than 5 s."""

SAFE_MODE = ("control", "audio", "asr", "nlu", "skills", "voice")
"""Without these no one could say "stop" or be told that a timer is over."""

MEMBERS = ("control", "audio", "asr", "nlu", "skills", "answer", "voice")


def run(config_file: Path | None, single: bool) -> int:
    """Run the assistant until SIGTERM; gives the exit status.

    `single` runs every stage as a thread of this process. Raises `ConfigError` before anything
    starts when the settings are wrong, `InputError` when the home's file is.
    """
    files = config_files(config_file)
    config, _ = load_config(files)
    set_up("assistant", config.log.level)
    time_zone(config.home.time_zone)
    if config.home.file:
        load_home(Path(config.home.file).expanduser())
    _make_folders(config)
    if single:
        return int(import_module(SINGLE).run(files))
    supervisor = Supervisor(
        [_spec(name, files) for name in MEMBERS],
        preload=("assistant.members",),
        log_level=config.log.level,
    )
    return supervisor.run()


def _spec(name: str, files: tuple[Path, ...]) -> ProcessSpec:
    return ProcessSpec(
        name=name,
        target=SERVE,
        arguments=(name, *map(str, files)),
        hang_after_s=HANG_AFTER_S.get(name, 5.0),
        safe=name in SAFE_MODE,
    )


def _make_folders(config: Config) -> None:
    for folder in (config.state_dir, config.runtime_dir):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
