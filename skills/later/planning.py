"""Commands that are wished for later, until a time, or for a while.

What is wished for later is rehearsed. So what it would decline is declined when it is wished, what
it asks is asked then, and its reply tells what will be done. Only skills that act through their
context alone can be rehearsed; one of somebody else may do anything, and is taken at its word.

What is wished for a while is done at once; its undo is what is planned. What is wished for a while
from then on is planned with how long it lasts, and wished so when it is due.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import time, timedelta
from functools import partial

import msgspec

from assistant.core.errors import SkillError
from assistant.core.messages import When
from assistant.english.commands.verbs import promised
from assistant.english.spoken import joined, length
from assistant.skill import Ask, Confirm, Context, Dialog, Reply, Report, Request, Undo, opened_by
from assistant.skill.plans import needs_time
from skills.declined import UNTIMED, declined
from skills.later.plan import After, Due, Plan
from skills.later.rehearsal import Rehearsal, answered
from skills.later.store import StoredPlans
from skills.later.timing import Timing
from skills.later.wording import core_of, in_words, title_of
from skills.registry import Registry

_UNKNOWN = ("event", "later")
"""Kinds of `When` that tell no time."""
_DAY_S = 86_400.0
DOUBT = " I don't know whether my clock is right, so that waits until I do."
_OF_DEVICES = "home."
"""Beginning of the operations that bring devices back to what they were."""


class Planner:
    """Makes plans of what is wished for later."""

    def __init__(
        self, registry: Registry, plans: StoredPlans, timing: Timing, rehearsal: Rehearsal
    ) -> None:
        self._registry, self._plans, self._timing = registry, plans, timing
        self._rehearsal = rehearsal

    def wished(self, request: Request, context: Context) -> Dialog:
        """Plan a request whose `when` is not now, or say why that can't be."""
        when = request.when
        if when is None or when.kind == "over":
            return declined(request, "when")
        if when.kind in _UNKNOWN:
            return _once(declined(request, UNTIMED).text)
        at = (yield Ask("At what time?", time)) if needs_time(when) else None
        try:
            due = self._timing.first(when, at)
            lasting = self._lasting(when, due)
        except SkillError as error:
            return _once(error.message)
        core = core_of(request.text, when.said)
        if when.lasting is not None:
            core = core_of(core, when.lasting.said)
        plain = msgspec.structs.replace(request, when=None, instead=False, text=core)
        plan = Plan(
            id=uuid.uuid4().hex,
            title=title_of("", core),
            said=request.text,
            area=context.area.id if context.area else "",
            due=due,
            request=plain,
            about=context.conversation.about,
        )
        if not self._registry.rehearses(request.intent):
            return self._planned(plan) if lasting is None else declined(request, "when")
        call = self._registry.call(plain, context)
        tried, answers = yield from self._rehearsal.of(call)
        pin = self._registry.guard.granted(request.utterance_id)
        plan = msgspec.structs.replace(plan, answers=answers, pin=pin)
        refused = any(answer.value is False for answer in answers)
        if not tried.done or (refused and not promised(tried.text)):
            return tried
        if tried.task or tried.facts:
            return declined(request, "when")
        title = title_of(tried.text, core)
        if lasting is not None:
            back = self._back_allowed(plain, lasting, tried, context)
            refusal, more = yield from self._rehearsal.of(back)
            if refusal.text:
                return refusal
            plan = msgspec.structs.replace(plan, answers=(*answers, *more))
            if when.lasts:
                return self._for_a_while(plan, plain, lasting, context)
            title = f"{title} {self._while(lasting)}"
            plan = msgspec.structs.replace(
                plan, request=msgspec.structs.replace(plain, when=lasting)
            )
        return self._planned(msgspec.structs.replace(plan, title=title), tried.about)

    def _planned(self, plan: Plan, about: tuple[str, ...] = ()) -> Reply:
        try:
            self._plans.add(plan)
        except SkillError as error:
            return Reply(error.message, done=False)
        then = in_words(plan.due, self._timing, plan.id)
        doubt = "" if self._timing.trusted or isinstance(plan.due, After) else DOUBT
        return Reply(
            f"I will {plan.title} {then}.{doubt}",
            undo=Undo("plans.cancel", plan.id),
            about=about,
            report=Report(plan.title, f"I will {{}} {then}.{doubt}"),
        )

    def _lasting(self, when: When, due: Due) -> When | None:
        """How long it is to hold from when it is `due`; None where it is not taken back.

        The end is told from the beginning, which may come again.
        """
        last = when if when.lasts else when.lasting
        if last is when or last is None or last.kind == "for" or last.sun is not None:
            return last
        end = self._timing.moment(self._timing.first(last))
        length_s = (end - self._timing.moment(due)).total_seconds()
        if length_s <= 0 or when.kind == "every":
            length_s = length_s % _DAY_S or _DAY_S
        return When(kind="for", said=last.said, value=length_s)

    def _back_allowed(
        self, plain: Request, lasting: When, tried: Reply, context: Context
    ) -> Dialog:
        """Find out whether what a request does may be taken back later; the reply says why not."""
        steps = _back(tried)
        if not steps or not all(step.operation.startswith(_OF_DEVICES) for step in steps):
            return declined(msgspec.structs.replace(plain, when=lasting), "when")
        if opened := opened_by(steps, context.home.entities):
            verb = "unlock" if opened[0].domain == "lock" else "open"
            things = named([e.id for e in opened], context)
            if not (yield Confirm(f"Shall I {verb} {things} again {self._afterwards(lasting)}?")):
                return Reply("Okay, I left it as it is.")
        check = partial(self._checked, steps)
        return (yield from self._registry.guard.request(plain, "", context, check))

    def _for_a_while(self, plan: Plan, plain: Request, when: When, context: Context) -> Reply:
        """Carry a request out at once, and plan to take it back."""
        reply = answered(self._registry.call(plain, context), plan.answers, context)
        before, older = self._since_before(_back(reply))
        steps = changing(before, context)
        if not reply.done or not steps:
            stays = " It was so before, so it stays so." * reply.done
            return msgspec.structs.replace(reply, text=f"{reply.text}{stays}", report=None)
        things = named([step.id for step in steps], context)
        title = f"put {things} back to how it was"
        back = msgspec.structs.replace(plan, title=title, request=None, undo=tuple(steps))
        self._plans.add(back)
        text = f"{reply.text.removesuffix('.')} {self._while(when)}."
        undo = (*_back(reply), Undo("plans.cancel", plan.id), *older)
        return msgspec.structs.replace(reply, text=text, undo=undo, report=None)

    def _checked(self, steps: Sequence[Undo]) -> Dialog:
        """Find out whether what is to be taken back later may be: nobody can be asked then."""
        for step in steps:
            self._registry.guard.check_device(step.id, "" if step.name else str(step.value))
        yield from ()
        return Reply("")

    def _since_before(self, back: Sequence[Undo]) -> tuple[list[Undo], list[Undo]]:
        """The steps back to before all that is done for a while, and how older plans come back.

        Who wants the fan on for an hour, after "for ten minutes", wants it off then: older plans
        for the same devices give way.
        """
        place = {(step.id, step.name): step for step in back}
        older: list[Undo] = []
        for plan in self._plans.stored():
            ours = {(s.id, s.name): s for s in plan.undo if (s.id, s.name) in place}
            if not ours:
                continue
            place |= ours
            older.append(self._plans.cancel(plan.id))
            kept = tuple(step for step in plan.undo if (step.id, step.name) not in place)
            if kept:
                self._plans.put(msgspec.structs.replace(plan, undo=kept))
        return list(place.values()), older

    def _while(self, lasting: When) -> str:
        """How long something holds, in words: "for two hours", "until 10 pm"."""
        if lasting.kind == "for":
            return f"for {length(timedelta(seconds=float(lasting.value or 0)))}"
        return in_words(self._timing.first(lasting), self._timing, link="until")

    def _afterwards(self, lasting: When) -> str:
        """When that is over, in words that stay the same until then."""
        if lasting.kind == "for":
            return f"after {length(timedelta(seconds=float(lasting.value or 0)))}"
        return in_words(self._timing.first(lasting), self._timing)


def _once(text: str) -> Reply:
    """The reply to what cannot be planned, told once for all commands of an utterance."""
    as_it_is = text.replace("{", "{{").replace("}", "}}")
    return Reply(text, done=False, report=Report("", as_it_is))


def changing(steps: Sequence[Undo], context: Context) -> list[Undo]:
    """The steps that bring a device into another state than it is in."""
    present = {entity.id: entity for entity in context.home.entities}

    def changes(step: Undo) -> bool:
        entity = present.get(step.id)
        if entity is None:
            return False
        now = entity.attributes.get(step.name) if step.name else entity.state
        return now != step.value

    return [step for step in steps if changes(step)]


def named(ids: Sequence[str], context: Context) -> str:
    """The names of devices in words."""
    entities = (entity for entity in context.home.entities if entity.id in ids)
    return joined([f"the {entity.name.casefold()}" for entity in entities])


def _back(reply: Reply) -> tuple[Undo, ...]:
    return reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)
