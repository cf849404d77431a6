"""The zygote: one process that has loaded every heavy module and forks the others from itself.

A fork shares the loaded modules' memory and starts in milliseconds. Forking is only safe while the
zygote has no threads, no ZeroMQ context and no open network, as a GPU's context does not survive
it, so the zygote only forks, signals and reaps. Each process asks the kernel for SIGKILL when its
parent dies, so that no process of a killed daemon keeps the microphone.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import logging
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence

import msgspec

from assistant.core.errors import AssistantError, ConfigError
from assistant.core.fork import (
    LARGEST_PACKET_BYTES,
    die_with_parent,
    receive,
    share_memory,
    start_server,
)
from assistant.core.layout import ZYGOTE
from assistant.supervision.heartbeat import Heartbeat
from assistant.supervision.logs import set_up

ALIVE_EVERY_S = 1.0
PROGRAM = (sys.executable, "-P", "-m", ZYGOTE)
PR_SET_NAME = 15
WRONG_SETTINGS = 2
"""Exit status of a process that cannot run on its settings."""

# OpenBLAS and onnxruntime otherwise start threads at import; onnxruntime ≥ 1.29 also sends
# telemetry to Microsoft.
THREADLESS = {"OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}

log = logging.getLogger(__name__)


class Fork(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the zygote: fork a process; the packet carries that process's end of its line."""

    name: str
    target: str
    arguments: tuple[str, ...]


class Signal(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the zygote: signal a process. Only its parent can be sure whose process id it is."""

    name: str
    number: int


class Alive(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the zygote: its modules are loaded, and its loop goes round."""


class Forked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the zygote: the process exists."""

    name: str
    pid: int


class ProcessEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the zygote: the process has ended; `reason` says how."""

    name: str
    reason: str


_ORDERS: msgspec.json.Decoder[Fork | Signal] = msgspec.json.Decoder(Fork | Signal)
_REPORTS: msgspec.json.Decoder[Alive | Forked | ProcessEnded] = msgspec.json.Decoder(
    Alive | Forked | ProcessEnded
)
Job = Callable[[], int]


class Zygote:
    """The supervisor's handle on a new zygote, which loads `preload` at once.

    `log_level` is for the zygote and all that it forks.
    """

    def __init__(self, preload: Sequence[str], log_level: str) -> None:
        # In its own session: Ctrl-C goes to the supervisor only, which stops all in order.
        self._process, self._socket = start_server(
            PROGRAM, log_level, *preload, env={**os.environ, **THREADLESS}
        )
        self._socket.setblocking(False)

    @property
    def pid(self) -> int:
        """The zygote's process id."""
        return self._process.pid

    def fileno(self) -> int:
        """A descriptor that is readable when `reports` has something to give."""
        return self._socket.fileno()

    def fork(self, order: Fork, line: socket.socket) -> None:
        """Have a process forked as `order` says; it gets `line`."""
        with _undeliverable():
            socket.send_fds(self._socket, [msgspec.json.encode(order)], [line.fileno()])

    def signal(self, name: str, number: signal.Signals) -> None:
        """Have `number` sent to a process."""
        with _undeliverable():
            self._socket.send(msgspec.json.encode(Signal(name=name, number=number)))

    def reports(self) -> Iterator[Alive | Forked | ProcessEnded]:
        """What has happened; raises `EOFError` when the zygote is gone."""
        while (packet := receive(self._socket)) is not None:
            if not packet:
                raise EOFError("the zygote is gone")
            yield _REPORTS.decode(packet)

    def close(self) -> None:
        """Kill the zygote, and with it every process that it forked."""
        self._process.kill()
        self._process.wait()
        self._socket.close()


def _undeliverable() -> contextlib.suppress:
    # That a zygote has ended or hangs is noticed by the end or the lack of its reports.
    return contextlib.suppress(BlockingIOError, BrokenPipeError, ConnectionResetError)


class ForkServer:
    """The zygote's loop: forks on order, reaps, and reports both."""

    def __init__(self, supervisor: socket.socket) -> None:
        self._supervisor = supervisor
        self._children: dict[str, int] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(supervisor, selectors.EVENT_READ)

    def serve(self) -> Job | None:
        """Serve the supervisor until it is gone; in a forked process, return its job."""
        while True:
            self._report(Alive())
            for key, _ in self._selector.select(ALIVE_EVERY_S):
                if key.fileobj is not self._supervisor:
                    self._reap(key.data, key.fd)
                    continue
                packet, lines, _, _ = socket.recv_fds(self._supervisor, LARGEST_PACKET_BYTES, 1)
                if not packet:
                    return None
                order = _ORDERS.decode(packet)
                if isinstance(order, Signal):
                    self._signal(order)
                elif (job := self._fork(order, lines[0])) is not None:
                    return job

    def _fork(self, order: Fork, line: int) -> Job | None:
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with_parent(zygote)
            self._forget()
            os.set_inheritable(line, False)
            return lambda: run(order, socket.socket(fileno=line))
        os.close(line)
        handle = os.pidfd_open(pid)
        self._children[order.name] = handle
        self._selector.register(handle, selectors.EVENT_READ, order.name)
        self._report(Forked(name=order.name, pid=pid))
        return None

    def _forget(self) -> None:
        # Not unregister: the epoll set is shared with the zygote, which still uses it.
        self._selector.close()
        self._supervisor.close()
        for handle in self._children.values():
            os.close(handle)

    def _signal(self, order: Signal) -> None:
        if order.name in self._children:
            signal.pidfd_send_signal(self._children[order.name], order.number)

    def _reap(self, name: str, handle: int) -> None:
        result = os.waitid(os.P_PIDFD, handle, os.WEXITED)
        self._selector.unregister(handle)
        os.close(handle)
        del self._children[name]
        if result is not None:
            self._report(
                ProcessEnded(name=name, reason=describe_exit(result.si_code, result.si_status))
            )

    def _report(self, report: Alive | Forked | ProcessEnded) -> None:
        self._supervisor.send(msgspec.json.encode(report))


def describe_exit(code: int, status: int) -> str:
    """How a process ended, in words, from waitid(2)'s `si_code` and `si_status`."""
    if code == os.CLD_EXITED:
        return f"exited with status {status}"
    try:
        return f"killed by {signal.Signals(status).name}"
    except ValueError:
        return f"killed by signal {status}"


ENDED_FOR_SETTINGS = describe_exit(os.CLD_EXITED, WRONG_SETTINGS)


def run(order: Fork, line: socket.socket) -> int:
    """Run the process that `order` asks for, in the forked process; return its exit status."""
    set_up(order.name, logging.getLevelName(logging.getLogger().level))
    ctypes.CDLL(None).prctl(PR_SET_NAME, f"hark-{order.name}".encode(), 0, 0, 0)
    module, _, function = order.target.partition(":")
    try:
        getattr(importlib.import_module(module), function)(Heartbeat(line), *order.arguments)
    except AssistantError as error:
        log.critical("%s ends: %s (%s)", order.name, error.message, error.code)
        return WRONG_SETTINGS if isinstance(error, ConfigError) else 1
    return 0


def main(arguments: Sequence[str]) -> int:
    """Run the zygote. `arguments`: line, supervisor's process id, log level, modules to load."""
    line, supervisor, level, *modules = arguments
    die_with_parent(int(supervisor))
    set_up("zygote", level)
    faulthandler.enable()
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"hark-zygote", 0, 0, 0)
    load(modules)
    job = ForkServer(socket.socket(fileno=int(line))).serve()
    return 0 if job is None else job()


def load(modules: Sequence[str]) -> None:
    """Import `modules`, which all later forks share; "module:function" also calls the function.

    A module that cannot be imported is only logged: the process that needs it reports the error.
    """
    for name in modules:
        module, _, function = name.partition(":")
        try:
            imported = importlib.import_module(module)
            if function:
                getattr(imported, function)()
        except (ImportError, OSError) as error:
            log.warning("zygote: %s cannot be loaded: %s (zygote.preload)", module, error)
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        log.warning("zygote: %d threads after loading; forks may hang (zygote.threads)", threads)
    share_memory()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
