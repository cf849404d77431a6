"""Processes that start in a moment, as they are forked from one that has loaded the program."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess


def forked(target: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """A process that calls `target`, a function of a module, and ends with it."""
    forks = get_context("forkserver")
    forks.set_forkserver_preload(["tests.support.loaded"])
    process = forks.Process(target=target, args=arguments)
    process.start()
    return process
