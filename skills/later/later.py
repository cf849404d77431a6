"""What is planned, and what rings: kept, carried out when it is due, and then told.

What is due is carried out, reported and planned anew in one transaction: either all of that is on
the disk, or nothing, and then it is still due. What a skill fails at is given up, and that is told.

| due                         | then                                                         |
|-----------------------------|--------------------------------------------------------------|
| now                         | it is carried out                                            |
| for an hour at most         | it is carried out, and that it is late is told               |
| for longer                  | it is told that it was missed                                |
| to take back what was done  | that is taken back, however late: a heater must not stay on  |
| by a clock not trusted      | it waits until the clock is                                  |

What recurs is due once, however often it was missed.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import Message, SpokenReply
from assistant.english.commands.verbs import promised
from assistant.skill import Context, Dialog, Reply, Request
from skills.announcements.loudspeakers import Loudspeakers
from skills.countdown import MOVED_S
from skills.devices.devices import Devices
from skills.history import History
from skills.later.alarms import StoredAlarms
from skills.later.plan import Plan
from skills.later.planning import Planner, changing
from skills.later.rehearsal import Rehearsal, answered
from skills.later.reports import Reports
from skills.later.store import StoredPlans
from skills.later.timing import Timing
from skills.later.wording import clock_of, lowered
from skills.registry import Registry

log = logging.getLogger(__name__)

LATE_S = 60.0
"""Seconds after its time from which a command is told to be late."""
LATEST_S = 3600.0
"""Seconds after its time from which a command is missed."""
RECHECK_S = 60.0
"""Most seconds until the wall clock is looked at again, which may have been set."""
DOUBT_S = 600.0
"""Seconds for which plans wait for a clock that can be trusted before that is told."""
DOUBT = (
    "I don't know what time it is, so what you planned by the clock waits."
    " If my clock is right, tell me so."
)
RETRY_S = 300.0
"""Seconds after which what could not be written is tried again."""


class Later:
    """The plans of the stage; `at_s`, CLOCK_BOOTTIME, is set before each use.

    While it is to be `silent`, plans are carried out and told of later.
    """

    def __init__(
        self,
        registry: Registry,
        database: Database,
        devices: Devices,
        timing: Timing,
        loudspeakers: Loudspeakers,
        silent: Callable[[], bool] = lambda: False,
    ) -> None:
        self._registry, self._database, self._devices = registry, database, devices
        self._timing, self._silent = timing, silent
        self.plans = StoredPlans(database, timing)
        self.alarms = StoredAlarms(database, timing, loudspeakers)
        rehearsal = Rehearsal(database)
        self._planner = Planner(registry, self.plans, timing, rehearsal)
        self._reports = Reports(database, silent)
        self._ahead_s = math.inf
        """By how much the wall clock was ahead of CLOCK_BOOTTIME, while it was trusted."""
        self._trusted_s = 0.0
        """The last time at which the clock was trusted, or nothing waited for it."""
        self._tried: dict[str, float] = {}
        self._since_s = 0.0
        """The first time that was set."""

    @property
    def at_s(self) -> float:
        """The present, in seconds of CLOCK_BOOTTIME."""
        return self._timing.countdown.at_s

    @at_s.setter
    def at_s(self, at_s: float) -> None:
        self._since_s = self._since_s or at_s
        self._timing.countdown.at_s = at_s

    def wished(self, request: Request, context: Context) -> Dialog:
        """Plan a request whose `when` is not now, or say why that can't be."""
        return (yield from self._planner.wished(request, context))

    def heard(self, utterance_id: str, interrupted: bool) -> None:
        """Note that playback has played a reply, which may have told of a plan, or be a ring."""
        self._reports.heard(utterance_id)
        self.alarms.heard(utterance_id, interrupted)

    def deadline_s(self) -> float | None:
        """When `carry_out` must be called next; 0.0 while the time is not yet known."""
        plans = self.plans.stored()
        if not self.at_s:
            return 0.0 if plans or self.alarms.all() else self._reports.deadline_s()
        times = [self._next_s(plan) for plan in plans]
        others = (self._reports.deadline_s(), self.alarms.deadline_s(self.at_s))
        return min((t for t in (*times, *others) if t is not None), default=None)

    def carry_out(
        self,
        kept_in: Callable[[str], tuple[Context, History]],
        in_time: Callable[[Callable[[], Reply]], Reply],
    ) -> Iterator[Message]:
        """Carry out what is due, each plan in the room where it was wished; tell of it until heard.

        `kept_in` gives what belongs to an area, `in_time` limits what a skill may take.
        """
        self._follow_clock()
        yield from self._doubt()
        for plan in self.plans.stored():
            if self.plans.left_s(plan) > 0:
                break
            if self._tried.get(plan.id, 0.0) > self.at_s:
                continue
            self._tried[plan.id] = self.at_s + RETRY_S
            occurrence = f"plan-{plan.id}-{self._timing.moment(plan.due).timestamp():.0f}"
            context, history = kept_in(plan.area)
            reply = self._settled(plan, occurrence, context, history, in_time)
            del self._tried[plan.id]
            if reply.text:
                history.remember(reply, reply.done)
            yield from self._devices.commands(occurrence)
        yield from self._reports.told(self.at_s)
        yield from self.alarms.rings(self.at_s)

    def _next_s(self, plan: Plan) -> float:
        if plan.id in self._tried:
            return self._tried[plan.id]
        left_s = max(0.0, self.plans.left_s(plan))
        return self.at_s + (left_s if self._timing.is_sure(plan.due) else min(left_s, RECHECK_S))

    def _follow_clock(self) -> None:
        """Set when plans are due by a clock that was set, or is trusted only now."""
        ahead_s, put_back = self._timing.now.timestamp() - self.at_s, False
        if self._timing.trusted:
            put_back, self._ahead_s = ahead_s < self._ahead_s - MOVED_S, ahead_s
        for plan in self.plans.stored():
            due = self._timing.followed(plan.due, put_back)
            if due != plan.due:
                self.plans.put(msgspec.structs.replace(plan, due=due))
        self.alarms.follow(put_back)

    def _doubt(self) -> Iterator[SpokenReply]:
        """Tell once a boot that plans wait because the clock is not trusted."""
        waits = any(self.plans.left_s(plan) == math.inf for plan in self.plans.stored())
        waits = waits or self.alarms.waits_for_clock
        if not waits or self._silent():
            self._trusted_s = self.at_s
        elif self.at_s - self._trusted_s > DOUBT_S:
            self._trusted_s = math.inf
            name = f"clock-{self._timing.countdown.boot_id}"
            yield SpokenReply(utterance_id=name, text=DOUBT, done=False, once=True)

    def _settled(
        self,
        plan: Plan,
        occurrence: str,
        context: Context,
        history: History,
        in_time: Callable[[Callable[[], Reply]], Reply],
    ) -> Reply:
        """Carry out a plan and plan it anew, in one transaction; give up what a skill fails at."""
        try:
            with self._database.transaction():
                reply = in_time(lambda: self._outcome(plan, context, history))
                self._go_on(plan, occurrence, reply)
                if reply.text and reply.done:
                    history.keep(reply)
        except SkillError as error:
            log.error("a plan was not carried out: %s (%s)", error.message, error.code)
            reply = Reply(f"I could not {plan.title}, as planned.", done=False)
            with self._database.transaction():
                self._go_on(plan, occurrence, reply)
        return reply

    def _go_on(self, plan: Plan, occurrence: str, reply: Reply) -> None:
        """Record what came of a plan, and when it is due next."""
        following = self._timing.following(plan.due)
        if following is None:
            self.plans.remove(plan.id)
        else:
            self.plans.put(msgspec.structs.replace(plan, due=following))
        if reply.text:
            self._reports.add(occurrence, reply.text, reply.done)

    def _outcome(self, plan: Plan, context: Context, history: History) -> Reply:
        late_s = -self.plans.left_s(plan)
        clock = clock_of(
            self._timing.moment(plan.due).astimezone(self._timing.now.tzinfo), self._timing.now
        )
        if plan.request is None:
            return self._back(plan, context, history)
        if late_s > LATEST_S:
            return Reply(f"I was off {clock}, so I did not {plan.title}.", done=False)
        area = next((one for one in context.home.areas if one.id == plan.area), None)
        there = replace(context, area=area)
        granting = self._registry.guard.granting(plan.request.utterance_id, plan.pin)
        with history.speaking_of(plan.about), granting:
            wished = self.wished if plan.request.when is not None else self._registry.call
            call = wished(plan.request, there)
            reply = answered(call, plan.answers, there)
        if not reply.done:
            text = f"I was to {plan.title} {clock}. {reply.text}"
        elif late_s > LATE_S:
            told = f"{lowered(reply.text).removesuffix('.')} now." if promised(reply.text) else ""
            was_off = late_s > self.at_s - self._since_s
            why = f"I was off {clock};" if was_off else "I am late:"
            text = f"{why} {told or lowered(reply.text)}"
        elif promised(reply.text):
            text = f"{reply.text.removesuffix('.')}, as planned."
        else:
            text = f"As planned: {reply.text}"
        return msgspec.structs.replace(reply, text=text)

    def _back(self, plan: Plan, context: Context, history: History) -> Reply:
        """Take back what was done for a while; where somebody has done so, say nothing."""
        steps = changing(plan.undo, context)
        if not steps:
            return Reply("")
        history.take_back(steps)
        return Reply(f"I {plan.title}, as planned.", about=tuple(step.id for step in steps))
