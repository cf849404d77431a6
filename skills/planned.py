"""What is planned for later: telling it, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.english.words import words
from assistant.skill import (
    Choose,
    Confirm,
    Context,
    Dialog,
    Period,
    Planned,
    Reply,
    Request,
    Skill,
    Traits,
)

ALL = "all of them"
NOTHING = "I have nothing planned"
_SMALL = frozenset(words("a an the my our for to of off on in at it that do turn switch"))

skill = Skill("planned", description="do things later")
skill.rule("planned", "([still] (planned|scheduled|lined up|coming up)|in store)")
skill.rule("schedule", "(schedule|program|timetable)")
skill.rule("things", "(everything|all|all [of] the plans|all [of] your plans|anything)")
skill.rule("drop", "(cancel|delete|forget|drop|scrap|clear|call off)")


@skill.intent(
    "PlannedList",
    "what is <planned>",
    "(what|what else) have you [got] <planned> [for {period}]",
    "what (do|did) you [still] (have [got] planned|plan) [to do] [for {period}]",
    "what (will|are) you (do|going to do|doing) later",
    "(is|have you got|do you have) anything <planned> [for {period}]",
    "(tell me|list|show me|what are|read me) your plans [for {period}]",
    traits=Traits(asks=True),
)
def planned(context: Context, period: Period | None = None) -> Reply:
    """Tell what will be done later."""
    plans = [
        plan
        for plan in context.plans.all()
        if period is None or period.since <= plan.at < period.until
    ]
    if not plans:
        return Reply(f"{NOTHING}." if period is None else f"{NOTHING} then.")
    return _told(plans, context)


@skill.short(
    "PlannedFor",
    "(what is|have you [got] anything|is anything) <planned> (for|with) [the|my] {what}",
    "[what is|tell me|read me] (the|my) {what} <schedule>",
    "what is the <schedule> (for|of) [the|my] {what}",
    "when (will|does|do) [the|my] {what} (come|go|turn|switch) (on|off)",
    holds=lambda request, context: _is_planned(request, context),
    traits=Traits(asks=True),
)
def planned_for(what: str, context: Context) -> Reply:
    """Tell what will be done later with a thing, where that is anything."""
    return _told(_about(what, context.plans.all()), context)


@skill.intent(
    "CancelPlanned",
    "<drop> (the|your|that) plan (for|about|with|to [do] [something with]) [the|my] {what}",
    "<drop> what (is|you have|you have got) <planned> (for|with) [the|my] {what}",
    "<drop> (the|your) [the] {what} (plan|<schedule>)",
    "<drop> the <schedule> (for|of) [the|my] {what}",
    traits=Traits(guarded=True, only_now=True, unmistakable=True),
)
def cancel(what: str, context: Context) -> Dialog:
    """Take back what is planned for a thing, asking which where there are several."""
    plans = _about(what, context.plans.all())
    if not plans:
        return Reply(f"I have nothing planned for {what}.", done=False)
    if len(plans) > 1:
        options = (*(str(plan) for plan in plans), ALL)
        picked = yield Choose(f"Which plan: {', '.join(options[:-1])}, or {ALL}?", options)
        plans = plans if picked == ALL else [plan for plan in plans if str(plan) == picked]
    return _cancelled(plans, context)


@skill.intent(
    "CancelAllPlanned",
    "<drop> <things> [that is|that you have|that you have got|you have] <planned>",
    "<drop> (all|all of) (the|your) plans",
    "<drop> your plans",
    traits=Traits(guarded=True, only_now=True),
)
def cancel_all(context: Context) -> Dialog:
    """Take back all that is planned, asking first."""
    plans = context.plans.all()
    if not plans:
        return Reply(f"{NOTHING}.")
    if not (yield Confirm(f"I will {context.say([str(p) for p in plans])}. Shall I cancel that?")):
        return Reply("Okay, I left it as it is.")
    return _cancelled(plans, context)


@skill.short(
    "CancelToldPlans",
    "[no] <drop> (that|it|them|those|this) [again]",
    holds=lambda request, context: bool(_spoken_of(context)),
    traits=Traits(guarded=True, only_now=True),
)
def cancel_told(context: Context) -> Dialog:
    """Take back the plans that were just told, asking first where there are several."""
    plans = _spoken_of(context)
    if len(plans) > 1 and not (yield Confirm("Shall I cancel all of that?")):
        return Reply("Okay, I left it as it is.")
    return _cancelled(plans, context)


def _told(plans: Sequence[Planned], context: Context) -> Reply:
    told = context.say([str(plan) for plan in plans])
    return Reply(f"I will {told}.", about=tuple(plan.id for plan in plans))


def _is_planned(request: Request, context: Context) -> bool:
    slot = request.slot("what")
    return slot is not None and bool(_about(slot.raw, context.plans.all()))


def _spoken_of(context: Context) -> list[Planned]:
    about = context.conversation.about
    return [plan for plan in context.plans.all() if plan.id in about]


def _cancelled(plans: Sequence[Planned], context: Context) -> Reply:
    undo = tuple(context.plans.cancel(plan.id) for plan in plans)
    told = context.say([plan.title for plan in plans])
    return Reply(f"I will not {told}." if len(plans) == 1 else "I cancelled that.", undo=undo)


def _about(what: str, plans: Sequence[Planned]) -> list[Planned]:
    """The plans whose words have all those that matter of what was named."""
    named = set(words(what)) - _SMALL
    return [plan for plan in plans if named and named <= set(words(f"{plan} {plan.said}"))]
