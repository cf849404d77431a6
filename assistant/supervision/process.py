"""One supervised process as a state machine; time comes in as `now_s` (CLOCK_MONOTONIC).

    waiting   it is due                      → starting   (the zygote forks it)
    starting  its first beat                 → running
    starting  no beat within startup_s       → ending     (it is killed: "hung")
    running   no beat within hang_after_s    → ending     (it is killed: "hung"); during a reload:
                                                          within startup_s
    running   it exceeds its bounds          → retiring   (is asked to end between two utterances)
    retiring  not ended within retire_s      → ending     (it is killed)
    any       it ended                       → waiting    (back-off), or
                                             → resting    (third failure in a minute: safe mode)
    resting   rest_s are over, or a reload   → starting   (once; another failure: resting again)

Time in which it waits for a processor is no silence: others have that, and a new process would wait
as well. A process that safe mode needs never rests: it is restarted every time.
"""

from __future__ import annotations

import enum
import math
from collections import deque
from collections.abc import Mapping

import msgspec

from assistant.core.messages import SafeModeEntered
from assistant.supervision.bounds import Bounds
from assistant.supervision.channel import Beat


class ProcessSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a process runs, and when it is restarted."""

    name: str
    target: str
    """Function to call, as "module:function", with a `Heartbeat` and `arguments`."""
    arguments: tuple[str, ...] = ()
    hang_after_s: float = 5.0
    """Longest silence between two beats."""
    safe: bool = False
    """Whether it belongs to safe mode."""
    bounds: Bounds = Bounds()
    """Limits above which it is restarted."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long the supervisor waits, in seconds, and how many failures it accepts."""

    startup_s: float = 60.0
    """Seconds until the first beat. Models are loaded before it, and understanding is fitted to the
    skills: at a first start 10 s of one of our cores, and several times that on a busy small board.
    """
    backoff_s: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
    """Seconds before a restart after the first failure, the second, …; the last for all others."""
    healthy_after_s: float = 60.0
    """Seconds of running after which earlier failures are forgotten."""
    failures: int = 3
    """Number of failures within `failures_within_s` that lead to safe mode."""
    failures_within_s: float = 60.0
    rest_s: float = 60.0
    """Seconds between two attempts in safe mode."""
    zygote_s: float = 5.0
    """Longest silence of the zygote, once it is up."""
    look_s: float = 10.0
    """Seconds between two checks of what the processes use."""
    retire_s: float = 60.0
    """Seconds for a process beyond its bounds to finish an utterance."""
    stop_s: float = 1.5
    """Seconds between SIGTERM and SIGKILL when everything stops."""


class Backoff:
    """How long to wait before the next attempt."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._attempt = 0

    def failed(self, ran_s: float) -> float:
        """Seconds to wait after an attempt that failed and had run for `ran_s`."""
        if ran_s >= self._patience.healthy_after_s:
            self._attempt = 0
        delays_s = self._patience.backoff_s
        delay_s = delays_s[min(self._attempt, len(delays_s) - 1)]
        self._attempt += 1
        return delay_s


class ProcessState(enum.Enum):
    """The states of a process."""

    WAITING = "waiting"
    STARTING = "starting"
    RUNNING = "running"
    RETIRING = "retiring"
    ENDING = "ending"
    RESTING = "safe mode"


class Process:
    """The state of one process, from its first start on."""

    def __init__(self, spec: ProcessSpec, patience: Patience, now_s: float) -> None:
        self.spec = spec
        self.state = ProcessState.WAITING
        self.pid: int | None = None
        self.beat = Beat()
        self.reason = ""
        self.restarts = 0
        self.safe_mode = False
        self._patience = patience
        self._failed_at_s: deque[float] = deque(maxlen=max(patience.failures, 1))
        self._backoff = Backoff(patience)
        self._entered_s = self._started_s = self._fresh_s = self._due_s = now_s
        self._waits_s: Mapping[str, float] = {}
        self.starved_s = 0.0
        """Seconds of its silence in which it waited for a processor."""
        self.excused = False
        """Whether that was told."""

    def deadline_s(self) -> float:
        """When the process must be started, or given up."""
        match self.state:
            case ProcessState.WAITING | ProcessState.RESTING:
                return self._due_s
            case ProcessState.STARTING:
                return self._entered_s + self._patience.startup_s + self.starved_s
            case ProcessState.RUNNING:
                silent_s = self._patience.startup_s if self.begins else self.spec.hang_after_s
                return self._fresh_s + silent_s + self.starved_s
            case ProcessState.RETIRING:
                return self._entered_s + self._patience.retire_s + self.starved_s
            case ProcessState.ENDING:
                return math.inf

    def due(self, now_s: float) -> bool:
        """Whether it is time to start it."""
        return self.state in (ProcessState.WAITING, ProcessState.RESTING) and now_s >= self._due_s

    def overdue(self, now_s: float) -> bool:
        """Whether it has been silent, or has delayed its end, for too long."""
        awaited = (ProcessState.STARTING, ProcessState.RUNNING, ProcessState.RETIRING)
        return self.state in awaited and now_s >= self.deadline_s()

    def fresh(self, now_s: float) -> bool:
        """Whether it beat recently or may still be restarting, or rests: systemd need not act."""
        fresh_until_s = self._fresh_s + self._patience.startup_s + self.starved_s
        return self.safe_mode or now_s < fresh_until_s

    @property
    def begins(self) -> bool:
        """Whether it starts or reloads, for which it may wait for forks of its own."""
        return self.state is ProcessState.STARTING or self.beat.state == "reloading"

    @property
    def settled(self) -> bool:
        """Whether it runs, or is in safe mode."""
        return self.state is ProcessState.RUNNING or self.safe_mode

    def start(self, now_s: float) -> None:
        """Note that the zygote was asked to fork it."""
        self._enter(ProcessState.STARTING, now_s)
        self._started_s = now_s
        self._waits_s, self.starved_s, self.excused = {}, 0.0, False

    def forked(self, pid: int) -> bool:
        """Note that it exists; return whether it replaces an earlier process."""
        self.pid = pid
        if self.reason:
            self.restarts += 1
        return bool(self.reason)

    def beaten(self, beat: Beat, now_s: float) -> bool:
        """Note a beat; return whether it is the first since its start."""
        self.beat, self._fresh_s = beat, now_s
        self.starved_s, self.excused = 0.0, False
        if now_s - self._started_s >= self._patience.healthy_after_s:
            self.safe_mode = False
        first = self.state is ProcessState.STARTING
        if first:
            self._enter(ProcessState.RUNNING, now_s)
        return first

    def note_waits(self, waits_s: Mapping[str, float]) -> None:
        """Note what its threads, and those of its forks, have waited for a processor so far.

        The one that waited most since the last time excuses its silence, if it is silent.
        """
        grown = (wait - self._waits_s.get(thread, 0.0) for thread, wait in waits_s.items())
        self.starved_s += max(grown, default=0.0)
        self._waits_s = waits_s

    def retire(self, reason: str, now_s: float) -> None:
        """Note that it was asked to end, for `reason`, as soon as it is idle."""
        self._enter(ProcessState.RETIRING, now_s)
        self.reason = reason

    def kill(self, reason: str, now_s: float) -> None:
        """Note that it was sent SIGKILL, for `reason` or for that of its retiring."""
        self.reason = self.reason if self.state is ProcessState.RETIRING else reason
        self._enter(ProcessState.ENDING, now_s)

    def ended(self, reason: str, now_s: float) -> SafeModeEntered | None:
        """Note that it has ended; the reason why it was retired or killed overrides `reason`."""
        known = self.state in (ProcessState.RETIRING, ProcessState.ENDING)
        self.reason = self.reason if known else reason
        self.pid = None
        self._failed_at_s.append(now_s)
        if self.safe_mode or self._looping(now_s):
            entered, self.safe_mode = not self.safe_mode, True
            self._enter(ProcessState.RESTING, now_s)
            self._due_s = now_s + self._patience.rest_s
            return SafeModeEntered(stage=self.spec.name) if entered else None
        self._enter(ProcessState.WAITING, now_s)
        self._due_s = now_s + self._backoff.failed(now_s - self._started_s)
        return None

    def lost(self, reason: str, now_s: float) -> None:
        """Note that it ended with the zygote, which does not count as its own failure."""
        if self.state is ProcessState.RESTING:
            return
        self.reason = reason if self.pid is not None else self.reason
        self.pid = None
        self._enter(ProcessState.WAITING, now_s)
        self._due_s = now_s

    def wake(self, now_s: float) -> None:
        """End its rest: the cause of its failure may have been removed."""
        if self.state is ProcessState.RESTING:
            self._due_s = now_s

    def _looping(self, now_s: float) -> bool:
        failures = self._failed_at_s
        return (
            not self.spec.safe
            and len(failures) == self._patience.failures
            and now_s - failures[0] <= self._patience.failures_within_s
        )

    def _enter(self, state: ProcessState, now_s: float) -> None:
        self.state, self._entered_s = state, now_s
