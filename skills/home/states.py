"""Questions about the state of devices: one by name, or which, how many, any or all of a kind."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated

from assistant.skill import (
    Context,
    Entity,
    Reply,
    Request,
    Skill,
    Traits,
    choices,
    count,
    domains,
)
from skills.home.listing import told_list
from skills.home.targets import ALL, SWITCHED, Place, Target, TargetMention, capital, find, the
from skills.home.wording import described, is_in, known, state_words

Anything = Annotated[str, domains()]
Asked = Annotated[str, choices("on", "off", "open", "closed", "locked", "unlocked")]
"""A state: one of these in our own sentences, any state in the vocabulary's."""

_IF = re.compile(r"(is|are)\b|.*\b(if|whether)\b")

skill = Skill("home")


class StateQuestion(Enum):
    """What is asked of several devices."""

    HOW_MANY = "how many"
    WHICH = "which"
    ANY = "any"
    ALL = "all"


@skill.intent(
    "HassGetState",
    "is [the|my] {name} {state}",
    "(are|is) [the|my] {name} (turned|switched) {state}",
    "(what is|what's|whats) the (state|status) of [the|my] {name}",
    "(what is|what's|whats) [the|my] {name} [state|status]",
    traits=Traits(asks=True),
)
@skill.intent(
    "HassGetState",
    "(is|are) [the|any|all] <light> {state} [<where>]",
    "(is|are) [the|any|all] <light> <where> {state}",
    "(is|are) [the|any|all] {area} <light> {state}",
    "(which|what) <light> (is|are) {state} [<where>]",
    "(which|what) <light> <where> (is|are) {state}",
    fixed={"domain": "light"},
)
def get_state(
    request: Request,
    context: Context,
    place: Place,
    name: Anything | None = None,
    state: Asked | None = None,
    domain: str | None = None,
    device_class: str | None = None,
) -> Reply:
    """Say a device's state, or which devices are in a state."""
    # A question about lights is about the speaker's room, one about doors about the whole home.
    everywhere = None if domain is None or domain in SWITCHED else ALL
    wanted = TargetMention(name or everywhere, place, domain, device_class)
    target = find(wanted, request, context)
    if not target.entities:
        return target.unknown
    if name is not None and name.casefold() != ALL:
        return _of_one(target.entities[0], state, context)
    if state is None and domain is not None and domain not in SWITCHED:
        return _of_each(target, context)
    return _of_several(target, state or "on", _question(request), context)


def _of_one(entity: Entity, state: str | None, context: Context) -> Reply:
    if entity.domain == "todo":
        return told_list(entity.name, context)
    if not known(entity):
        return Reply(f"I don't know the state of {the(entity)}.", done=False)
    verdict = "" if state is None else "Yes, " if is_in(entity, state) else "No, "
    return Reply(capital(f"{verdict}{the(entity)} is {described(entity)}."))


def _of_each(target: Target, context: Context) -> Reply:
    told = [f"{the(entity)} is {described(entity)}" for entity in target.entities if known(entity)]
    if not told:
        return Reply(f"I don't know the state of {target.words}.", done=False)
    return Reply(capital(f"{context.say(told)}."))


def _of_several(target: Target, state: str, question: StateQuestion, context: Context) -> Reply:
    those = [entity for entity in target.entities if is_in(entity, state)]
    words = state_words(target.entities[0], state)
    verdict = _verdict(question, len(those), len(target.entities))
    if not those:
        return Reply(capital(f"{verdict}no {target.kind}{target.where} is {words}."))
    names = context.say([the(entity) for entity in those])
    if question is StateQuestion.HOW_MANY:
        names = f"{count(len(those), target.kind)}{target.where}"
    verb = "is" if len(those) == 1 else "are"
    return Reply(capital(f"{verdict}{names} {verb} {words}."))


def _question(request: Request) -> StateQuestion:
    text = request.text.casefold()
    if "how many" in text:
        return StateQuestion.HOW_MANY
    if not _IF.match(text):
        return StateQuestion.WHICH
    every = {"all", "every"} & set(text.split())
    return StateQuestion.ALL if every else StateQuestion.ANY


def _verdict(question: StateQuestion, those: int, of: int) -> str:
    """ "Yes" or "No" where the question needs one: "are all the lights off", "is a light on"."""
    if question not in (StateQuestion.ANY, StateQuestion.ALL):
        return ""
    enough = those == of if question is StateQuestion.ALL else those > 0
    return "Yes, " if enough else "No, only " if those else "No, "
