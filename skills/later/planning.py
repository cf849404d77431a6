"""Commands that are wished for later, until a time, or for a while.

What is wished for later is rehearsed. So what it would decline is declined when it is wished, what
it asks is asked then, and its reply tells what will be done. Only skills that act through their
context alone can be rehearsed; one of somebody else may do anything, and is taken at its word.

What is wished for a while is done at once; its undo is what is planned.
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
_WHILE = ("for", "until")
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
        except SkillError as error:
            return _once(error.message)
        core = core_of(request.text, when.said)
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
            return declined(request, "when") if when.kind in _WHILE else self._planned(plan)
        call = self._registry.call(plain, context)
        tried, answers = yield from self._rehearsal.of(call)
        pin = self._registry.guard.granted(request.utterance_id)
        plan = msgspec.structs.replace(plan, answers=answers, pin=pin)
        refused = any(answer.value is False for answer in answers)
        if not tried.done or (refused and not promised(tried.text)):
            return tried
        if tried.task or tried.facts:
            return declined(request, "when")
        if when.kind in _WHILE:
            return (yield from self._for_a_while(plan, plain, when, tried, context))
        titled = msgspec.structs.replace(plan, title=title_of(tried.text, core))
        return self._planned(titled, tried.about)

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

    def _for_a_while(
        self, plan: Plan, plain: Request, when: When, tried: Reply, context: Context
    ) -> Dialog:
        """Carry a request out at once, and plan to take it back."""
        if not _back(tried) or not all(u.operation.startswith(_OF_DEVICES) for u in _back(tried)):
            return declined(msgspec.structs.replace(plain, when=when), "when")
        if opened := opened_by(_back(tried), context.home.entities):
            verb = "unlock" if opened[0].domain == "lock" else "open"
            then = in_words(plan.due, self._timing, plan.id)
            question = f"Shall I {verb} {named([e.id for e in opened], context)} again {then}?"
            if not (yield Confirm(question)):
                return Reply("Okay, I left it as it is.")
        check = partial(self._checked, _back(tried))
        allowed = yield from self._registry.guard.request(plain, "", context, check)
        if not allowed.done:
            return allowed
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
        text = f"{reply.text.removesuffix('.')} {self._while(when, plan.due)}."
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

    def _while(self, when: When, due: Due) -> str:
        if when.kind == "for":
            return f"for {length(timedelta(seconds=float(when.value or 0)))}"
        return in_words(due, self._timing, link="until")


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
