"""The loop that every process of the assistant runs: it connects a stage to the bus.

The stage is fed one message at a time. The loop beats when a message to itself comes back, so a
beat proves that socket and loop work; no timer thread beats for a loop that hangs.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

import msgspec

from assistant.core.bus import Bus
from assistant.core.clock import boottime_s
from assistant.core.degraded import SimplerPath
from assistant.core.errors import AssistantError, ModelError
from assistant.core.failure import FaultRateLimiter, code_of, report_failure
from assistant.core.fork import Fork
from assistant.core.memory import collect_and_trim, trim_heap
from assistant.core.messages import (
    BargeIn,
    Message,
    Reload,
    Reloaded,
    ReloadProgress,
    Replace,
    Replaced,
    SelfTest,
    Simplify,
    Tick,
    Work,
)
from assistant.core.models.swap import NICE, LoadSwap, ModelSwaps, StageSwap, Trials
from assistant.core.models.usage import USAGE, ModelUsage
from assistant.core.stage import Stage

ORDERS = (Reload, Replace, Simplify)
"""What a worker takes itself, whatever its stage consumes."""
SELF_TEST_EVERY_S = 1.0
LOOK_FOR_CANDIDATE_EVERY_S = 0.05
QUIET_BEFORE_RELOAD_S = 1.0
TRIM_EVERY_S = 60.0
"""Seconds between two returns of freed memory to the system; the C library otherwise keeps it."""
TELL_OF_MODELS_EVERY_S = 10.0
TELL_OF_RELOAD_EVERY_S = 10.0
"""Seconds between two reports of a stage that has not reloaded yet: a first start makes all its
sentences before, which takes minutes on a busy machine."""

log = logging.getLogger(__name__)


class LoopObserver(Protocol):
    """An observer that is notified that the loop goes round."""

    def beat(self) -> None:
        """Note that the loop went round once more."""

    def reloading(self) -> None:
        """Note that the loop pauses until its stage has been rebuilt, which takes as at a start."""


class Worker:
    """Runs `stage` on `bus` until `stop`; `rebuild` rebuilds it when settings have changed.

    `load` loads another version of one of its models, in a separate thread. `prepare` does what is
    slow in a rebuild before it, in a fork, while the stage goes on. At the start and after a
    rebuild `unfinished` names a model that is to be loaded whole, in that thread: `load` gets no
    version then. The stage takes the `simpler` path when that is ordered. `trials` are of versions
    that read a share of the utterances. `usage` is what the models use, which is told from time to
    time.
    """

    def __init__(
        self,
        name: str,
        stage: Stage,
        bus: Bus,
        heartbeat: LoopObserver,
        rebuild: Callable[[], Stage] | None = None,
        clock: Callable[[], float] = boottime_s,
        load: LoadSwap | None = None,
        prepare: Callable[[], object] | None = None,
        unfinished: Callable[[], str] | None = None,
        simpler: SimplerPath | None = None,
        trials: Trials | None = None,
        usage: ModelUsage = USAGE,
    ) -> None:
        self._name, self._stage, self._bus = name, stage, bus
        self._heartbeat, self._rebuild, self._clock = heartbeat, rebuild, clock
        self._stopped = self._retiring = self._outgrown = False
        self._put_off: deque[Message] = deque()
        self._tested_at_s = self._worked_at_s = float("-inf")
        self._trimmed_at_s = self._told_of_models_at_s = self._told_of_reload_at_s = clock()
        self._usage = usage
        self._reload_wanted = False
        self._prepare, self._unfinished = prepare, unfinished
        self._preparing: Fork[object] | None = None
        self._simpler = simpler or SimplerPath(clock)
        self._replacements = ModelSwaps(load or _no_model, trials)
        self._utterance_id = ""
        self._fault_limiter = FaultRateLimiter(name)

    def stop(self) -> None:
        """Leave the loop after the current message; safe to call from a signal handler."""
        self._stopped = True

    def retire(self) -> None:
        """Leave the loop as soon as it is idle; safe to call from a signal handler."""
        self._retiring = True

    def run(self) -> None:
        """Feed the stage the messages that arrive, until `stop`."""
        self._finish()
        while not self._stopped:
            self._test()
            for message in self._arrived():
                self._take(message)
            for refusal in self._bus.refused():
                self._fail(refusal, "")
            self._fault_limiter.tick(self._clock())
            self._trim()
            self._tell_of_models()
            due_s = self._stage.deadline_s()
            if due_s is not None and due_s <= (now_s := self._clock()):
                self._feed(Tick(at_s=now_s))
            if self._replacements.busy and self._quiet():
                self._replace()
            # A reload waits for a candidate: it would rebuild the stage with the models in use now.
            waits = self._reload_wanted and self._prepared()
            if waits and not self._replacements.busy and self._quiet():
                self._reload()
            self._tell_of_reload()
            self._stopped |= self._retiring and self._quiet()
        self._replacements.close()
        if self._preparing is not None:
            self._preparing.close()

    def _arrived(self) -> Iterable[Message]:
        while self._put_off:
            yield self._put_off.popleft()
        try:
            yield from self._bus.receive(self._patience_s())
        except AssistantError as error:
            self._fail(error, "")

    def _patience_s(self) -> float:
        due_s = self._stage.deadline_s()
        wake_s = self._tested_at_s + SELF_TEST_EVERY_S
        if self._replacements.busy or self._preparing is not None:
            wake_s = min(wake_s, self._clock() + LOOK_FOR_CANDIDATE_EVERY_S)
        return (wake_s if due_s is None else min(due_s, wake_s)) - self._clock()

    def _test(self) -> None:
        if self._clock() - self._tested_at_s >= SELF_TEST_EVERY_S:
            self._tested_at_s = self._clock()
            self._bus.test()

    def _trim(self) -> None:
        if self._outgrown and self._quiet():
            self._outgrown = False
            collect_and_trim()
        if self._clock() - self._trimmed_at_s >= TRIM_EVERY_S:
            self._trimmed_at_s = self._clock()
            trim_heap()

    def _tell_of_models(self) -> None:
        if (now_s := self._clock()) - self._told_of_models_at_s < TELL_OF_MODELS_EVERY_S:
            return
        self._told_of_models_at_s = now_s
        if (news := self._usage.news(self._name)) is None:
            return
        # No process receives its own broadcasts, and all stages may be threads of one.
        if isinstance(news, self._stage.consumes):
            self._feed(msgspec.structs.replace(news, at_s=now_s))
        else:
            self._emit(news)

    def _tell_of_reload(self) -> None:
        now_s = self._clock()
        if self._reload_wanted and now_s - self._told_of_reload_at_s >= TELL_OF_RELOAD_EVERY_S:
            self._told_of_reload_at_s = now_s
            self._emit(ReloadProgress(stage=self._name))

    def _take(self, message: Message) -> None:
        if isinstance(message, SelfTest):
            self._heartbeat.beat()
        elif isinstance(message, Reload):
            if message.stage in ("", self._name) and not self._reload_wanted:
                self._reload_wanted, self._told_of_reload_at_s = True, self._clock()
        elif isinstance(message, Replace) and message.stage == self._name:
            self._replacements.ask(message)
        elif isinstance(message, Simplify) and message.stage == self._name:
            self._simpler.order(message)
        if isinstance(message, Work) and message.utterance_id != self._utterance_id:
            self._utterance_id = message.utterance_id
            self._replace()
        # A source may send its stage a Tick, which no stage lists in `consumes`.
        if isinstance(message, (*self._stage.consumes, Tick)):
            self._feed(message)

    def _feed(self, message: Message) -> None:
        utterance_id = getattr(message, "utterance_id", "")
        try:
            outputs = iter(self._stage.feed(message))
            for output in outputs:
                self._emit(output)
                # A long reply has many sentences, and each that is made shows progress.
                self._heartbeat.beat()
                if isinstance(message, Work) and self._barged_in(utterance_id):
                    _close(outputs)
                    break
        except Exception as error:  # noqa: BLE001 - the one place that reports every fault
            self._fail(error, utterance_id, getattr(message, "peer", ""))
        # States that a home reports all day must not delay a reload forever.
        if isinstance(message, Work) and utterance_id:
            self._worked_at_s = self._clock()

    def _emit(self, message: Message) -> None:
        self._bus.send(msgspec.structs.replace(message, at_s=self._clock()))

    def _barged_in(self, utterance_id: str) -> bool:
        heard = list(self._bus.broadcasts())
        self._put_off.extend(heard)
        return any(isinstance(m, BargeIn) and m.utterance_id == utterance_id for m in heard)

    def _quiet(self) -> bool:
        return self._clock() - self._worked_at_s >= QUIET_BEFORE_RELOAD_S

    def _prepared(self) -> bool:
        """Whether a reload has only to rebuild; what is slow in it begins otherwise."""
        if self._prepare is None:
            return True
        if self._preparing is None:
            self._preparing = Fork(self._prepare, NICE)
        return self._preparing.done

    def _reload(self) -> None:
        self._reload_wanted = False
        if self._preparing is not None:
            # The rebuild meets the same fault, and reports it.
            with suppress(AssistantError, OSError, ValueError):
                self._preparing.finish()
            self._preparing = None
        fault = ""
        if self._rebuild is not None:
            self._heartbeat.reloading()
            try:
                made = self._rebuild()
                if made is not self._stage:
                    _close(self._stage)
                self._stage = made
                collect_and_trim()
                self._finish()
            except AssistantError as error:
                fault = error.message
                log.error("%s: keeps its old settings: %s (%s)", self._name, fault, error.code)
        self._emit(Reloaded(stage=self._name, error=fault))

    def _finish(self) -> None:
        """Start to load what a stage just made was made without."""
        if self._unfinished is not None and (model := self._unfinished()):
            self._replacements.ask(Replace(stage=self._name, model=model, version=""))
        self._replacements.ask_running()

    def _replace(self) -> None:
        """Take over the candidates that have been loaded; only between two utterances."""
        for wish, verdict in self._replacements.verdicts():
            error = ""
            try:
                if isinstance(verdict, AssistantError):
                    raise verdict
                self._stage = verdict(self._stage)
            except AssistantError as fault:
                error = fault.message
                log.error("%s: keeps its %s: %s (%s)", self._name, wish.model, error, fault.code)
            if not wish.version:  # nobody asked for it, and the versions are as they were
                # What was made in haste may have been as large, but an utterance may wait just now.
                self._outgrown = True
                continue
            if not error:
                does = "tries" if wish.share else "runs"
                log.info("%s: %s %s %s (model.used)", self._name, does, wish.model, wish.version)
            told = Replaced(stage=self._name, model=wish.model, version=wish.version, error=error)
            self._emit(msgspec.structs.replace(told, share=wish.share))

    def _fail(self, error: Exception, utterance_id: str, peer: str = "") -> None:
        allowed = self._fault_limiter.allows(code_of(self._name, error), self._clock())
        if not (allowed or utterance_id):
            return
        try:
            # A user who spoke gets an answer in any case; only the log line may be left out.
            self._emit(report_failure(self._name, error, utterance_id, peer=peer, logged=allowed))
        except AssistantError as untold:
            log.error("%s: cannot tell of it: %s (%s)", self._name, untold.message, untold.code)


def _no_model(model: str, _: str) -> StageSwap:
    raise ModelError("model.fixed", f"this stage runs no {model} that could be replaced")


def _close(outputs: object) -> None:
    close = getattr(outputs, "close", None)
    if close is not None:
        close()
