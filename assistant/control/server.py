"""The control process: a Unix socket at which a running daemon answers the command line.

Each line is one JSON object, in both directions. A request is `{"command": …}`, with
`"arguments": ["…"]` where the command takes any. The answer is one line, except for `watch`, which
streams every event, `reload`, which streams each stage's `Reloaded` and, until that comes, its
`ReloadProgress`, `use`, which streams every `Replaced`, and `documents`, which streams all reports
about documents after a line with the id of the request. A failure is answered with one line
`{"type": "Error", "code": …, "message": …}`.
"""

from __future__ import annotations

import contextlib
import inspect
import select
import socket
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from assistant.control.connection import Connection, allowed, listen
from assistant.control.sensors import SensorsAsked, sensors_request
from assistant.core.clock import boottime_s
from assistant.core.codec import as_json
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import UNDECODABLE, AssistantError, ControlError
from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.core.layout import SENSORS
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    DocumentSummary,
    Message,
    Reload,
    Reloaded,
    ReloadProgress,
    Replace,
    Replaced,
    SensorsRequest,
    StageRestarted,
    Tried,
)
from assistant.supervision.channel import Status, decode_news, encode

MOST_CALLERS = 16
MOST_WATCHERS = 12
"""Most callers that watch; the other places are for those who send requests."""
IDLE_S = 10.0
"""Seconds of silence after which a caller that watches nothing is disconnected."""
MOST_AWAITED = 16
"""Most answers that a caller may await from the supervisor, which tells nothing while it starts."""
EVENTS_A_TURN = 32
KEPT_S = 1.0
"""Seconds for which an answer is reused, so that hundreds of callers cost one computation."""
LASTING = ("skills",)
"""Commands with answers that take long and change only when settings are read anew."""
ACTING = ("mute",)
"""Commands that are carried out each time, as something else may have undone them meanwhile."""
LONGEST_COMMAND = 40
"""Most characters of an unknown command that are looked at."""
OTHERS = ("documents", "reload", "sensors_request", "status", "use", "watch")
"""Commands that are no mere questions."""
USED = ("stage", "model", "version", "share", "utterances")
"""What "use" takes, in this order; without the last two a version is used, and not tried."""
STAYING = ("documents", "reload", "use", "watch")
"""Commands after which messages are forwarded to the caller."""

ABOUT_DOCUMENTS = (
    *(DocumentsProgress, DocumentsListed, DocumentSummary, DocumentsDone),
    StageRestarted,
)


class ControlRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request of a caller."""

    command: str
    arguments: tuple[str, ...] = ()


class ControlServer:
    """Answers callers at the socket `path`, and reads the supervisor's news from `line`.

    It is a `Source` for the control worker. `answers` maps a command to a function that is called
    with the request's arguments and returns a value that msgspec can encode. Without a `line`, as
    in a single process, `status` is the state of the processes. Raises `ControlError` when another
    daemon answers at `path`.
    """

    def __init__(
        self,
        path: Path,
        answers: Mapping[str, Callable[..., Any]],
        line: socket.socket | None = None,
        status: Status | None = None,
        clock: Callable[[], float] = boottime_s,
    ) -> None:
        self._clock = clock
        self._path, self._answers, self._line, self._status = path, answers, line, status
        self._listener = listen(path)
        self._callers: dict[int, Connection] = {}
        self._unanswered: list[Connection] = []
        self._worked = False
        self._kept: dict[str, tuple[float, tuple[str, ...], Any]] = {}
        self._epoll = select.epoll()
        self._epoll.register(self._listener, select.EPOLLIN)
        if line is not None:
            self._epoll.register(line, select.EPOLLIN)

    def fileno(self) -> int:
        """A descriptor that is readable when `read` has something to do."""
        return self._epoll.fileno()

    def read(self) -> Iterable[Message]:
        """Serve callers without waiting; give the messages to publish.

        A call serves a few requests, at most one of which must be computed; the rest waits for the
        next call. The kernel reports ready callers in turn, so a flood from one delays no other.
        """
        self._worked = False
        for _ in range(EVENTS_A_TURN):
            ready = self._epoll.poll(0, 1)
            if not ready or self._worked:
                return
            yield from self._attend(ready[0][0])

    def deadline_s(self) -> float | None:
        """When the next caller has been idle for too long; None for never."""
        idle = [caller.asked_at_s for caller in self._callers.values() if not self._stays(caller)]
        return min(idle) + IDLE_S if idle else None

    def tick(self, now_s: float) -> None:
        """Disconnect callers that have not sent a request for a while."""
        for caller in list(self._callers.values()):
            if not self._stays(caller) and now_s - caller.asked_at_s >= IDLE_S:
                self._refuse(caller, "control.idle", f"nothing was asked for {IDLE_S:.0f} s")

    def _attend(self, descriptor: int) -> Iterator[Message]:
        if descriptor == self._listener.fileno():
            self._accept()
        elif self._line is not None and descriptor == self._line.fileno():
            yield from self._news(self._line)
        elif (caller := self._callers.get(descriptor)) is not None:
            yield from self._serve(caller)

    def show(self, event: Message | Status) -> None:
        """Send `event` to every caller that watches; disconnect a caller that is too slow."""
        if isinstance(event, (Reloaded, Replaced, Tried)):
            self._kept.clear()
        watchers = [c for c in self._callers.values() if isinstance(event, c.watches)]
        if watchers:
            line = _line(as_json(event) if isinstance(event, Message) else event)
            for caller in watchers:
                self._send(caller, line)

    def reload(self) -> Iterator[Message]:
        """Have every stage read its settings anew; raises `ControlError`."""
        if self._line is not None:
            # The supervisor informs systemd, wakes resting processes, and has `Reload` published.
            _ask_supervisor(self._line)
        else:
            yield Reload(at_s=boottime_s())

    def close(self) -> None:
        """Disconnect all callers and remove the socket."""
        for caller in list(self._callers.values()):
            self._hang_up(caller)
        self._listener.close()
        self._path.unlink(missing_ok=True)
        self._epoll.close()

    # ── callers ─────────────────────────────────────────────────────────────────────────────

    def _accept(self) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            peer, _ = self._listener.accept()
            peer.setblocking(False)
            caller = Connection(peer, self._clock())
            if not allowed(peer):
                self._refuse(caller, "control.forbidden", "only the group assistant may ask")
                return
            if len(self._callers) == MOST_CALLERS:
                self._make_room()
            self._callers[peer.fileno()] = caller
            self._epoll.register(peer, select.EPOLLIN)

    def _make_room(self) -> None:
        """Disconnect the caller that has been silent longest: real callers ask at once."""
        silent = [caller for caller in self._callers.values() if not self._stays(caller)]
        longest = min(silent, key=lambda caller: caller.asked_at_s)
        self._refuse(longest, "control.busy", f"{MOST_CALLERS} callers are served already")

    def _stays(self, caller: Connection) -> bool:
        return bool(caller.watches)

    def _serve(self, caller: Connection) -> Iterator[Message]:
        try:
            caller.flush()
            # Who does not read its answers gets no further ones, and costs nothing meanwhile.
            if not caller.behind and (line := caller.line()) is not None:
                caller.asked_at_s = self._clock()
                yield from self._answer(caller, line)
        except ConnectionError:
            self._hang_up(caller)
        else:
            self._poll(caller)

    def _answer(self, caller: Connection, line: bytes) -> Iterator[Message]:
        try:
            request = msgspec.json.decode(line, type=ControlRequest)
            if request.command in STAYING:
                self._admit_watcher(caller)
            if request.command == "reload":
                yield from self._reload(caller)
            elif request.command == "use":
                yield self._replace(caller, request)
            elif request.command == "documents":
                yield self._documents(caller, request)
            elif request.command == "sensors_request":
                yield self._of_sensors(caller, request)
            elif request.command in ("watch", "status"):
                self._tell_status(caller, stays=request.command == "watch")
            else:
                self._send(caller, _line(self._found(request)))
        except AssistantError as error:
            self._complain(caller, error.code, error.message)
        except UNDECODABLE as error:
            self._complain(caller, "control.malformed", f"that is no request: {error}")

    def _admit_watcher(self, caller: Connection) -> None:
        watchers = sum(map(self._stays, self._callers.values()))
        if watchers >= MOST_WATCHERS and not self._stays(caller):
            raise ControlError("control.busy", f"{MOST_WATCHERS} callers are told of news already")

    def _found(self, request: ControlRequest) -> Any:
        command = request.command[:LONGEST_COMMAND]
        if command not in self._answers:
            known = [*self._answers, *OTHERS]
            message = f'unknown command "{command}"; {did_you_mean(command, known)}'
            raise ControlError("control.unknown", message)
        answer = self._answers[command]
        try:
            inspect.signature(answer).bind(*request.arguments)
        except TypeError as error:
            raise ControlError("control.arguments", f'"{command}": {error}') from error
        return self._worked_out(command, answer, request.arguments)

    def _worked_out(
        self, command: str, answer: Callable[..., Any], arguments: tuple[str, ...]
    ) -> Any:
        at_s, of, kept = self._kept.get(command, (0.0, (), None))
        aged = command not in LASTING and self._clock() - at_s >= KEPT_S
        old = aged or command in ACTING
        if command not in self._kept or old or of != arguments:
            self._worked = True
            kept = answer(*arguments)
            self._kept[command] = (self._clock(), arguments, kept)
        return kept

    def _tell_status(self, caller: Connection, stays: bool) -> None:
        caller.watches = (Message, Status) if stays else caller.watches
        if self._status is not None:
            self._send(caller, _line(self._status))
        elif not stays:
            # The answer follows with the supervisor's first news.
            if self._unanswered.count(caller) >= MOST_AWAITED:
                raise ControlError("control.busy", f"{MOST_AWAITED} answers are awaited already")
            self._unanswered.append(caller)

    def _reload(self, caller: Connection) -> Iterator[Message]:
        caller.watches = (Reloaded, ReloadProgress)
        self._send(caller, _line({"type": "Reloading", "stages": self._running()}))
        yield from self.reload()

    def _replace(self, caller: Connection, request: ControlRequest) -> Replace:
        if len(request.arguments) not in (3, len(USED)):
            message = '"use" takes a stage, a model, a version and, to try it, a share and a number'
            raise ControlError("control.arguments", message)
        asked = {"at_s": boottime_s(), **dict(zip(USED, request.arguments, strict=False))}
        try:
            wish = msgspec.convert(asked, Replace, strict=False)
        except msgspec.ValidationError as error:
            raise ControlError("control.arguments", f'"use": {error}') from error
        self._require(wish.stage)
        # A stage that the candidate kills never sends `Replaced`.
        caller.watches = (Replaced, StageRestarted)
        self._send(caller, _line({"type": "Replacing", "stage": wish.stage}))
        return wish

    def _documents(self, caller: Connection, request: ControlRequest) -> DocumentsRequest:
        self._require("answer")
        action, *names = request.arguments or ("",)
        asked = {"request_id": uuid.uuid4().hex, "action": action, "arguments": names}
        try:
            wish = msgspec.convert({**asked, "at_s": boottime_s()}, DocumentsRequest, strict=True)
        except msgspec.ValidationError as error:
            raise ControlError("control.arguments", f'"documents": {error}') from error
        caller.watches = ABOUT_DOCUMENTS
        self._send(caller, _line({"type": "DocumentsAsked", "request_id": wish.request_id}))
        return wish

    def _of_sensors(self, caller: Connection, request: ControlRequest) -> SensorsRequest:
        self._require(SENSORS)
        asked = sensors_request(request.arguments)
        told = SensorsAsked(what=asked.what, sensors=asked.sensors, for_s=asked.for_s)
        self._send(caller, _line(told))
        return asked

    def _require(self, stage: str) -> None:
        if stage not in self._running():
            raise ControlError("control.not_running", f"{stage} does not run just now; try again")

    def _running(self) -> list[str]:
        return [p.name for p in self._status.processes if p.pid] if self._status else []

    def _complain(self, caller: Connection, code: str, message: str) -> None:
        self._send(caller, _line({"type": "Error", "code": code, "message": message}))

    def _refuse(self, caller: Connection, code: str, message: str) -> None:
        self._complain(caller, code, message)
        self._hang_up(caller)

    def _send(self, caller: Connection, line: bytes) -> None:
        try:
            caller.send(line)
        except ConnectionError:
            self._hang_up(caller)
        else:
            self._poll(caller)

    def _poll(self, caller: Connection) -> None:
        if caller.descriptor in self._callers:
            reads = 0 if caller.behind else select.EPOLLIN
            writes = select.EPOLLOUT if caller.behind or caller.asks else 0
            self._epoll.modify(caller.descriptor, reads | writes)

    def _hang_up(self, caller: Connection) -> None:
        self._unanswered = [one for one in self._unanswered if one is not caller]
        if self._callers.pop(caller.descriptor, None) is not None:
            self._epoll.unregister(caller.descriptor)
        caller.close()

    # ── the supervisor ──────────────────────────────────────────────────────────────────────

    def _news(self, line: socket.socket) -> Iterator[Message]:
        with contextlib.suppress(BlockingIOError):
            while packet := line.recv(LARGEST_PACKET_BYTES):
                news = decode_news(packet)
                if isinstance(news, Status):
                    self._learn(news)
                else:
                    yield msgspec.structs.replace(news, at_s=boottime_s())
            self._epoll.unregister(line)

    def _learn(self, status: Status) -> None:
        self._status = status
        unanswered, self._unanswered = self._unanswered, []
        for caller in unanswered:
            self._send(caller, _line(status))
        self.show(status)


def _ask_supervisor(line: socket.socket) -> None:
    try:
        line.send(encode(Reload()))
    except OSError as error:
        message = f"the supervisor takes no reload: {error.strerror}; restart the daemon"
        raise ControlError("control.supervisor", message) from error


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value) + b"\n"
