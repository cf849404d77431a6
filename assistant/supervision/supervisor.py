"""The daemon's first process: it has the others forked, hears their beats, and restarts them.

It does no work of its own and loads no engine, neither zmq nor numpy nor onnxruntime, so that
little can go wrong in it. It reports what happens to a process to systemd, to the log and, through
one of the processes, to the bus. The rules are those of `assistant.supervision.process`.
"""

from __future__ import annotations

import contextlib
import logging
import select
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.core.messages import Reload, StageRestarted
from assistant.supervision.announcer import Announcer
from assistant.supervision.bounds import excess, waits_s
from assistant.supervision.channel import decode_told
from assistant.supervision.process import Backoff, Patience, Process, ProcessSpec, ProcessState
from assistant.supervision.sdnotify import Notifier
from assistant.supervision.zygote import (
    ENDED_FOR_SETTINGS,
    WRONG_SETTINGS,
    Fork,
    Forked,
    ProcessEnded,
    Zygote,
)

log = logging.getLogger(__name__)


class Supervisor:
    """Runs `processes` until SIGTERM or SIGINT; on SIGHUP they reload their settings.

    `preload` names the modules that all processes share, `news_to` the process that publishes the
    `StageRestarted`, `SafeModeEntered`, `Reload` and `Status` that come over its line.
    """

    def __init__(
        self,
        processes: Sequence[ProcessSpec],
        preload: Sequence[str] = (),
        news_to: str = "control",
        patience: Patience = Patience(),  # noqa: B008 - a frozen value
        notifier: Notifier | None = None,
        log_level: str = "info",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._processes = {p.name: Process(p, patience, clock()) for p in processes}
        self._preload, self._news_to, self._log_level = tuple(preload), news_to, log_level
        self._patience, self._clock = patience, clock
        self._announcer = Announcer(notifier or Notifier.from_environment(), clock())
        self._selector = selectors.DefaultSelector()
        self._lines: dict[str, socket.socket] = {}
        self._zygote: Zygote | None = None
        self._zygote_backoff = Backoff(patience)
        self._zygote_started_s = self._zygote_due_s = clock()
        self._zygote_up = self._stopping = self._reload_wanted = self._has_run = False
        self._status = 0
        self._look_due_s = clock()

    def run(self) -> int:
        """Keep everything running; return the exit status when all has stopped.

        The status is 2 when a process ends because of wrong settings before all have run for the
        first time: a restart would not help. Later, wrong settings on the disk stop nothing.
        """
        with self._signals():
            while not self._stopping:
                self._listen(self._next_s())
                now_s = self._clock()
                self._mend_zygote(now_s)
                self._reload(now_s)
                self._look(now_s)
                for process in self._processes.values():
                    self._mend(process, now_s)
                self._announcer.issue(self._processes.values(), self._outlet(), now_s)
                self._has_run |= all(p.settled for p in self._processes.values())
            self._stop()
        return self._status

    # ── what arrives ────────────────────────────────────────────────────────────────────────

    def _next_s(self) -> float:
        dues_s = [self._zygote_due_s, self._announcer.due_s]
        if self._zygote_up:
            dues_s += [self._look_due_s, *(p.deadline_s() for p in self._processes.values())]
        return min(dues_s)

    def _listen(self, until_s: float) -> None:
        for key, _ in self._selector.select(max(0.0, until_s - self._clock())):
            key.data()

    def _hear_process(self, process: Process) -> None:
        name = process.spec.name
        # Another event of the same round may have closed this line or put a new one in its place.
        if (line := self._lines.get(name)) is None:
            return
        with contextlib.suppress(BlockingIOError, ConnectionResetError):
            while packet := line.recv(LARGEST_PACKET_BYTES):
                self._told(process, packet)
            self._hang_up(name)

    def _told(self, process: Process, packet: bytes) -> None:
        name = process.spec.name
        try:
            beat = decode_told(packet)
        except msgspec.DecodeError as error:
            log.error("%s: sent something that is not a beat: %s (process.beat)", name, error)
            return
        if isinstance(beat, Reload):
            self._reload_wanted = True
            return
        if name == self._news_to:
            self._announcer.read()
        if process.beaten(beat, self._clock()):
            log.info("%s: %s, process %s (process.ready)", name, beat.state, process.pid)
            # Only now is the process back, so only now may the user be told.
            if process.reason:
                self._announcer.add(StageRestarted(stage=name, reason=process.reason))

    def _hear_zygote(self) -> None:
        if self._zygote is None:
            return
        try:
            for report in self._zygote.reports():
                self._zygote_up = True
                self._zygote_due_s = self._clock() + self._patience.zygote_s
                if isinstance(report, Forked):
                    self._forked(self._processes[report.name], report.pid)
                elif isinstance(report, ProcessEnded):
                    self._ended(self._processes[report.name], report.reason)
        except EOFError:
            self._lose_zygote("the zygote died")

    def _forked(self, process: Process, pid: int) -> None:
        name = process.spec.name
        if process.forked(pid) and not process.safe_mode:
            log.warning("%s: started again: %s (process.restarted)", name, process.reason)

    def _ended(self, process: Process, ending: str) -> None:
        name = process.spec.name
        safe_mode = process.ended(ending, self._clock())
        log.error("%s: ended: %s (process.ended)", name, process.reason)
        self._hang_up(name)
        if ending == ENDED_FOR_SETTINGS and not self._has_run:
            self._stopping, self._status = True, WRONG_SETTINGS
        if safe_mode is not None:
            log.error("%s: failed too often and stays down (process.safe_mode)", name)
            self._announcer.add(safe_mode)

    # ── what is done about it ───────────────────────────────────────────────────────────────

    def _mend(self, process: Process, now_s: float) -> None:
        if self._zygote is None or not self._zygote_up:
            return
        if process.due(now_s):
            self._start(process, self._zygote, now_s)
        elif process.overdue(now_s) and not self._is_starved(process, now_s):
            what = "still busy" if process.state is ProcessState.RETIRING else "no beat in time"
            log.error("%s: %s, is killed (process.hung)", process.spec.name, what)
            process.kill("hung", now_s)
            self._zygote.signal(process.spec.name, signal.SIGKILL)

    def _is_starved(self, process: Process, now_s: float) -> bool:
        """Whether it was silent only as others had the processor: a new one would have none."""
        if process.pid is None:
            return False
        process.note_waits(waits_s(process.pid, forks=process.begins))
        starved = not process.overdue(now_s)
        if starved and not process.excused:
            process.excused = True
            log.warning(
                "%s: no beat, as it waits for a processor (process.starved)", process.spec.name
            )
        return starved

    def _look(self, now_s: float) -> None:
        """Retire processes that exceed their bounds; they restart between two utterances."""
        if now_s < self._look_due_s or self._zygote is None or not self._zygote_up:
            return
        self._look_due_s = now_s + self._patience.look_s
        for name, process in self._processes.items():
            if process.pid is None:
                continue
            process.note_waits(waits_s(process.pid, forks=process.begins))
            if process.state is not ProcessState.RUNNING:
                continue
            if what := excess(process.pid, process.spec.bounds):
                log.error("%s: %s; is started again (process.bounds)", name, what)
                process.retire("out of bounds", now_s)
                self._zygote.signal(name, signal.SIGUSR1)

    def _start(self, process: Process, zygote: Zygote, now_s: float) -> None:
        spec = process.spec
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        with theirs:
            zygote.fork(Fork(name=spec.name, target=spec.target, arguments=spec.arguments), theirs)
        self._lines[spec.name] = ours
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._hear_process(process))
        process.start(now_s)

    def _mend_zygote(self, now_s: float) -> None:
        if now_s < self._zygote_due_s:
            return
        if self._zygote is not None:
            self._lose_zygote("the zygote hung")
        else:
            self._zygote = Zygote(self._preload, self._log_level)
            self._zygote_started_s = now_s
            self._zygote_due_s = now_s + self._patience.startup_s
            self._selector.register(self._zygote, selectors.EVENT_READ, self._hear_zygote)

    def _lose_zygote(self, how: str) -> None:
        """Note that the zygote and every process with it have ended; a new one is due."""
        zygote, self._zygote, self._zygote_up = self._zygote, None, False
        log.error("supervisor: %s, all is started again (zygote.lost)", how)
        now_s = self._clock()
        self._zygote_due_s = now_s + self._zygote_backoff.failed(now_s - self._zygote_started_s)
        if zygote is not None:
            self._selector.unregister(zygote)
            zygote.close()
        for name, process in self._processes.items():
            process.lost(how, now_s)
            self._hang_up(name)

    def _reload(self, now_s: float) -> None:
        if not self._reload_wanted:
            return
        self._reload_wanted = False
        log.info("supervisor: reload (supervisor.reload)")
        self._announcer.add(Reload())
        for process in self._processes.values():
            process.wake(now_s)

    def _outlet(self) -> socket.socket | None:
        publisher = self._processes.get(self._news_to)
        up = publisher is not None and publisher.state is ProcessState.RUNNING
        return self._lines.get(self._news_to) if up else None

    def _hang_up(self, name: str) -> None:
        if (line := self._lines.pop(name, None)) is not None:
            self._selector.unregister(line)
            line.close()

    # ── the end ─────────────────────────────────────────────────────────────────────────────

    def _stop(self) -> None:
        self._announcer.stopping()
        log.info("supervisor: stopping (supervisor.stopping)")
        for name in list(self._lines):
            self._hang_up(name)
        if self._zygote is not None:
            self._end_all(self._zygote)
            self._zygote.close()
        self._selector.close()

    def _end_all(self, zygote: Zygote) -> None:
        """Ask every process to end; those that are late end with the zygote."""
        until_s = self._clock() + self._patience.stop_s
        running = {p.spec.name for p in self._processes.values() if p.pid is not None}
        for name in running:
            zygote.signal(name, signal.SIGTERM)
        with contextlib.suppress(EOFError):
            while running and (left_s := until_s - self._clock()) > 0:
                select.select([zygote], [], [], left_s)
                running -= {r.name for r in zygote.reports() if isinstance(r, ProcessEnded)}
        for name in sorted(running):
            log.warning("%s: did not end in time, is killed (process.late)", name)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Handle signals while open; each of them wakes the selector."""
        wakes, woken = socket.socketpair()
        wakes.setblocking(False)
        woken.setblocking(False)
        numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        with wakes, woken:
            before = {number: signal.signal(number, self._on_signal) for number in numbers}
            wakeup = signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
            self._selector.register(woken, selectors.EVENT_READ, lambda: woken.recv(64))
            yield
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _: object) -> None:
        if number == signal.SIGHUP:
            self._reload_wanted = True
        else:
            self._stopping = True
