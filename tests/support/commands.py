"""Runs `assistant …`: in this process, as if it were one of its own, or in one of its own.

A new Python loads for a second before it does anything, and what a command reads and compiles is
lost with it. Here all commands of a test's process share it.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NoReturn

import pytest

from assistant.cli.main import main
from assistant.core.models.providers import PROVIDERS

PROGRAM = (sys.executable, "-m", "assistant")
PACKAGES = ("assistant", "audio", "nlu", "skills")


def run_assistant(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    given: str = "",
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `assistant` with these arguments; `given` is its standard input.

    It runs in this process, and nothing of what it sets there stays. With `check` it raises
    `CalledProcessError` where the status is not 0.
    """
    words = ("assistant", *map(str, arguments))
    with ExitStack() as open_files:
        streams = [open_files.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(given.encode())
        streams[0].seek(0)
        with _streams(streams), as_process(words, env, cwd):
            status = exit_status()
        done = subprocess.CompletedProcess(words, status, *map(_written, streams[1:]))
    if check:
        done.check_returncode()
    return done


def run_process(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    given: str = "",
) -> subprocess.CompletedProcess[str]:
    """As `run_assistant`, in a process of its own."""
    words = (*PROGRAM, *map(str, arguments))
    return subprocess.run(words, env=env, cwd=cwd, input=given, capture_output=True, text=True)


@contextmanager
def as_process(
    words: Sequence[str], env: Mapping[str, str] | None, folder: Path | None
) -> Iterator[None]:
    """Give what a process begins with, and take back what it sets: all but the streams."""
    root, levels = logging.getLogger(), {name: one.level for name, one in _loggers().items()}
    handlers = [(number, signal.getsignal(number)) for number in signal.valid_signals()]
    environment, mask = dict(os.environ), os.umask(0)
    os.umask(mask)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.chdir(folder or Path.cwd())
        patch.setattr(sys, "argv", list(words))
        patch.setattr(sys, "excepthook", sys.excepthook)
        patch.setattr(os, "execve", _becomes_another)
        patch.setattr(root, "handlers", [])
        patch.setattr(PROVIDERS, "_wanted", ())
        patch.setattr(PROVIDERS, "faults", {})
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _become(environment if env is None else env)
        try:
            yield
        finally:
            _become(environment)
            os.umask(mask)
            for number, handler in handlers:
                if signal.getsignal(number) is not handler:
                    signal.signal(number, handler)
            for name, logger in _loggers().items():
                if name in levels or name.split(".")[0] in PACKAGES:
                    logger.setLevel(levels.get(name, logging.NOTSET))


def exit_status() -> int:
    """Run the command of `sys.argv`; the status with which its process would end."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _streams(files: Sequence[IO[bytes]]) -> Iterator[None]:
    """These files for the three standard streams, also in the processes that are started."""
    with ExitStack() as undone, pytest.MonkeyPatch.context() as patch:
        for number, (name, file) in enumerate(
            zip(("stdin", "stdout", "stderr"), files, strict=True)
        ):
            before = os.dup(number)
            undone.callback(os.close, before)
            undone.callback(os.dup2, before, number)
            os.dup2(file.fileno(), number)
            stream = undone.enter_context(
                open(number, "w" if number else "r", encoding="utf-8", closefd=False)
            )
            patch.setattr(sys, name, stream)
        yield


def _loggers() -> dict[str, logging.Logger]:
    named = logging.root.manager.loggerDict.items()
    loggers = {name: logger for name, logger in named if isinstance(logger, logging.Logger)}
    return {"root": logging.root, **loggers}


def _become(environment: Mapping[str, str]) -> None:
    """Take these for the environment."""
    if environment != os.environ:
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()


def _becomes_another(*_: object) -> NoReturn:
    raise AssertionError("a command that becomes another program is run by run_process")


def _written(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()
