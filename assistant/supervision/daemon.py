"""The daemon's start: its processes, and the supervisor over them.

The supervisor's process loads this file; heavy modules are loaded only through a process's target.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from assistant.core.config import config_files
from assistant.core.errors import AssistantError, InputError
from assistant.core.fork import in_fork
from assistant.core.layout import (
    COMPOSITION,
    DAEMON,
    KEEP_SHARED,
    PROCESSES,
    SENSORS,
    SERVE,
    THREADS,
)
from assistant.core.settings.security import SecuritySettings
from assistant.supervision.bounds import Bounds
from assistant.supervision.folders import held
from assistant.supervision.logs import set_up
from assistant.supervision.process import Patience, ProcessSpec
from assistant.supervision.sdnotify import forget_other_service
from assistant.supervision.settings import load_settings, missing_folders, unsayable_names
from assistant.supervision.supervisor import Supervisor

HANG_AFTER_S = {"asr": 10.0}
"""Process → seconds without a beat after which it counts as hung; 5 s for the others.

Recognising a long utterance once more, in general English, may take longer than 5 s.
"""

BOUNDS = dict.fromkeys(("asr", "answer"), Bounds(resident_bytes=2_000_000_000))
"""Limits of processes that may have a large model or many documents in memory."""

SAFE_MODE = ("control", "audio", "asr", "nlu", "skills", "voice", SENSORS)
"""Processes of safe mode: without them a user could not say "stop" or hear that a timer is over,
and no machine would be stopped that is about to break."""

log = logging.getLogger(__name__)


def take_over(config_file: Path | None) -> NoReturn:
    """Run the assistant in place of this process, whose command line takes 13 MB of memory."""
    named = () if config_file is None else (str(config_file),)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = (sys.executable, "-P", "-m", DAEMON, *named)
    os.execve(sys.executable, program, environment)  # noqa: S606 - our own program


def main(arguments: Sequence[str]) -> int:
    """Run the assistant on the settings that `arguments` name, if any; return the exit status."""
    try:
        return run(Path(arguments[0]) if arguments else None, single=False)
    except AssistantError as error:
        sys.stderr.write(f"assistant: {error.message}\n")
        return 2 if isinstance(error, InputError) else 1


def run(
    config_file: Path | None,
    single: bool,
    patience: Patience = Patience(),  # noqa: B008 - a frozen value
) -> int:
    """Run the assistant until SIGTERM; return the exit status.

    `single` runs every stage as a thread of this process. `patience` says how long the supervisor
    waits, and how many failures lead to safe mode. Raises `ConfigError` before anything starts when
    the settings are wrong or a folder cannot be used, `InputError` when the home's file is wrong.
    """
    forget_other_service()
    files = config_files(config_file)
    config = load_settings(files)
    set_up("assistant", config.log.level)
    if config.security != SecuritySettings():
        # What may be named there is known once the skills are loaded, which this process stays
        # clear of.
        in_fork(lambda: import_module(COMPOSITION).Composition(config).rules)
    for line in missing_folders(config):
        log.warning("%s (config.missing)", line)
    for line in unsayable_names(config):
        log.warning("%s (home.name)", line)
    os.umask(0o077)  # only its user may read its files; its group may use the control socket
    with held(config):
        if single:
            return int(import_module(THREADS).run(files))
        supervisor = Supervisor(
            [_spec(name, files) for name in config.members],
            preload=(PROCESSES, KEEP_SHARED),
            patience=patience,
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
        bounds=BOUNDS.get(name, Bounds()),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
