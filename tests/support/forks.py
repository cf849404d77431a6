"""Processes that start in a moment, as they are forked from one that has loaded the program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess


def forked(target: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """A process in this one's environment that calls `target`, a function of a module, and ends."""
    forks = get_context("forkserver")
    forks.set_forkserver_preload(["tests.support.loaded"])
    process = forks.Process(target=_run, args=(dict(os.environ), target, *arguments))
    process.start()
    return process


def _run(environment: Mapping[str, str], target: Callable[..., object], *arguments: object) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)
