"""Runs `assistant …` in a process of its own, forked from one that has loaded what commands load.

A new Python loads for a second before it does anything, and there are hundreds of commands. What a
command does, prints and ends with is as ever: its environment, folder and streams are its own.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

import msgspec

from assistant.cli.main import COMMANDS, ELSEWHERE, GROUPS
from assistant.core.fork import (
    LARGEST_PACKET_BYTES,
    die_with_parent,
    share_memory,
    start_server,
)
from assistant.core.layout import COMMAND_LINE
from assistant.supervision.zygote import THREADLESS
from nlu.grammar.vocabulary import built_in
from skills.registry import load_registry

STOP_S = 10.0
PROGRAM = (sys.executable, "-P", "-m", "tests.support.commands")


class Order(msgspec.Struct):
    """A command to run; its three streams come along with the order."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str


def run_assistant(
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    given: str = "",
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `assistant` with these arguments; `given` is its standard input.

    With `check` it raises `CalledProcessError` where the status is not 0.
    """
    words = tuple(map(str, arguments))
    order = Order(words, dict(os.environ if env is None else env), str(cwd or Path.cwd()))
    with ExitStack() as open_files:
        input_, *printed = (open_files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        input_.write(given.encode())
        input_.seek(0)
        status = _carried_out(order, [stream.fileno() for stream in (input_, *printed)])
        told = [_read(stream.fileno()) for stream in printed]
    done = subprocess.CompletedProcess(("assistant", *words), status, *told)
    if check:
        done.check_returncode()
    return done


def _carried_out(order: Order, streams: list[int]) -> int:
    """The exit status of the command."""
    server = _server()
    try:
        socket.send_fds(server, [msgspec.json.encode(order)], streams)
        return msgspec.json.decode(server.recv(LARGEST_PACKET_BYTES), type=int)
    except BaseException:  # a test that is cut off: the next would be given its command's status
        _server.cache_clear()
        raise


@functools.cache
def _server() -> socket.socket:
    """This process's server, which ends with it."""
    process, server = start_server(PROGRAM, env={**os.environ, **THREADLESS})

    def end() -> None:
        server.close()
        try:
            process.wait(STOP_S)  # it may have to write down which lines it ran
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    atexit.register(end)
    return server


def _read(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode()


def _serve(orders: socket.socket) -> None:
    for name in (*COMMANDS, *GROUPS):
        importlib.import_module(f"{COMMAND_LINE}.{ELSEWHERE.get(name, name)}")
    load_registry()
    built_in()
    share_memory()
    while True:
        content, streams, _, _ = socket.recv_fds(orders, LARGEST_PACKET_BYTES, 3)
        if not content:
            return
        order = msgspec.json.decode(content, type=Order)
        child = os.fork()
        if not child:
            orders.close()
            _run(order, streams)
        for stream in streams:
            os.close(stream)
        _, ended = os.waitpid(child, 0)
        orders.send(msgspec.json.encode(os.waitstatus_to_exitcode(ended)))


def _run(order: Order, streams: list[int]) -> NoReturn:
    """Become the process of a command."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    os.chdir(order.folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[:] = ["", *order.arguments]
    runpy.run_module("assistant", run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    _serve(socket.socket(fileno=int(sys.argv[1])))
