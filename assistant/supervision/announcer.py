"""The supervisor's reports: to systemd by sd_notify, to the bus through one process's line."""

from __future__ import annotations

import math
import socket
from collections import deque
from collections.abc import Collection

from assistant.core.messages import Reload
from assistant.supervision.channel import News, ProcessStatus, Status, encode
from assistant.supervision.process import Process, ProcessState
from assistant.supervision.sdnotify import Notifier

KEPT_NEWS = 256


class Announcer:
    """Keeps news until the process that publishes it is up, and sends only what has changed."""

    def __init__(self, notifier: Notifier, now_s: float) -> None:
        self._notifier = notifier
        self._news: deque[News] = deque(maxlen=KEPT_NEWS)
        self._unread: deque[News] = deque(maxlen=KEPT_NEWS)
        self._status: Status | None = None
        self._text = ""
        self._ready = False
        self.due_s = now_s if notifier.watchdog_s else math.inf
        """Time at which the watchdog must next be fed."""

    def add(self, news: News) -> None:
        """Publish `news` as soon as possible."""
        self._news.append(news)
        if isinstance(news, Reload):
            self._notifier.reloading()
            self._ready = False

    def read(self) -> None:
        """Note that the publisher's loop went round since the last issue: it has read its news."""
        self._unread.clear()

    def stopping(self) -> None:
        """Report that the daemon is stopping."""
        self._notifier.stopping()

    def issue(
        self, processes: Collection[Process], outlet: socket.socket | None, now_s: float
    ) -> None:
        """Report all that is new; `outlet` is the publisher's line, None while it is not up."""
        if outlet is None:
            self._status = None
            self._news.extendleft(reversed(self._unread))
            self._unread.clear()
        else:
            self._send(processes, outlet)
        self._tell_systemd(processes, now_s)

    def _send(self, processes: Collection[Process], outlet: socket.socket) -> None:
        status = Status(processes=tuple(status_of(p) for p in processes))
        try:
            if status != self._status:
                outlet.send(encode(status))
                self._status = status
            while self._news:
                outlet.send(encode(self._news[0]))
                self._unread.append(self._news.popleft())
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            return  # the publisher hangs or is gone: the rest waits for its successor

    def _tell_systemd(self, processes: Collection[Process], now_s: float) -> None:
        text = summary(processes)
        if text != self._text:
            self._notifier.status(text)
            self._text = text
        if not self._ready and not self._news and all(p.settled for p in processes):
            self._notifier.ready()
            self._ready = True
        if now_s >= self.due_s and self._notifier.watchdog_s:
            self.due_s = now_s + self._notifier.watchdog_s / 2
            if all(p.fresh(now_s) for p in processes):
                self._notifier.alive()


def status_of(process: Process) -> ProcessStatus:
    """The status of the process as watchers see it."""
    running = process.state is ProcessState.RUNNING
    return ProcessStatus(
        name=process.spec.name,
        state=process.beat.state if running else process.state.value,
        pid=process.pid,
        detail=process.beat.detail if running else process.reason,
        restarts=process.restarts,
    )


def summary(processes: Collection[Process]) -> str:
    """One line on all processes."""
    resting = [p.spec.name for p in processes if p.safe_mode]
    coming = [p.spec.name for p in processes if not p.settled]
    if coming:
        return f"waiting for {', '.join(coming)}"
    if resting:
        return f"safe mode without {', '.join(resting)}"
    return f"{len(processes)} processes are up"
