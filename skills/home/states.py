"""Questions about the state of devices: one by name, or which, how many, any or all of a kind."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated

import msgspec

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
from skills.home.asked import asked_of, stands_in
from skills.home.lists.meant import FoundList
from skills.home.lists.reading import told_list
from skills.home.targets import (
    ALL,
    SWITCHED,
    Place,
    Target,
    TargetMention,
    capital,
    find,
    in_place,
    the,
)
from skills.home.wording import be, described, fits, is_in, known, reports, state_words

Anything = Annotated[str, domains()]
Asked = Annotated[str, choices("on", "off", "open", "closed", "locked", "unlocked")]
"""A state: one of these in our own sentences, any state in the vocabulary's."""

_WHICH = re.compile(r"\b(which|what|what's|whats|who|who's|where|how)\b")
_IF = re.compile(
    r"\b(is|are|was|were|did|do|does|has|have|had|any|anything|anyone|anybody|somebody|someone"
    r"|isn't|aren't|didn't|if|whether)\b"
)
_TELLING = re.compile(r"\b(do you (happen to )?know|are you sure|have a look|(what|how) about)\b")
_NO_VERDICT = re.compile(
    r"\b(did|has|have) (any|some)(one|body)\b|\bwho\b"
    r"|^no(thing)?\b|\b(not|forget|forgot|forgotten|isn't|aren't|didn't|hasn't|haven't)\b"
)
"""Questions whose yes would say more than the present state: who did it, or that it is not so."""
_LEAVING = re.compile(r"\b(left|leave|a|an|any\w*|some\w*|one)\b")
_FOLLOWING = re.compile(r"(and|or|also|what about|how about)\b")
_EVERY = re.compile(r"\b(all|every\w*|both|each|whole)\b")
_RESTING = ("off", "closed", "locked", "docked")
"""States in which a home is left: a question for one of them is about all devices."""
_MOST_LISTED = 4
"""Most devices that a reply names where all of them are alike."""

skill = Skill("home")


class StateQuestion(Enum):
    """What is asked of several devices."""

    HOW_MANY = "how many"
    WHICH = "which"
    ANY = "any"
    ALL = "all"
    EACH = "each"
    """What each is in, where a question goes on with the one before: "and upstairs"."""


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
    if name is not None and name.casefold() != ALL:
        target = find(TargetMention(name, place, domain, device_class), request, context)
        if not (target.entities and stands_in(target.entities[0], place, context)):
            where = in_place(place.area, place.floor)
            return Reply(f"I don't know of any {name.casefold()}{where}.", done=False)
        return _of_one(target.entities[0], state, request, context)
    if state is None and domain is not None and domain not in SWITCHED:
        target = find(TargetMention(ALL, place, domain, device_class), request, context)
        return _of_each(target, context) if target.entities else target.unknown
    target = asked_of(place, state, domain, device_class, request, context)
    if not target.entities:
        return target.unknown
    if all(reports(entity) for entity in target.entities):
        return _of_sensors(target, request, context)
    here = "" if place.said or not target.where else " in here"
    question = _question(request, state)
    told = _of_several(target, state or "on", question, here, context)
    those = _named(target, state or "on", question)
    return msgspec.structs.replace(told, about=tuple(entity.id for entity in those))


def _of_one(entity: Entity, state: str | None, request: Request, context: Context) -> Reply:
    if entity.domain == "todo":
        return told_list(FoundList(entity.id, entity.name), context)
    if not known(entity):
        return Reply(f"I don't know the state of {the(entity)}.", done=False)
    told = _statement(entity)
    if state is not None and not fits(entity, state):
        halfway = state in ("on", "off")
        return Reply(capital(f"{told}.") if halfway else f"I only know that {told}.")
    verdict = "" if state is None else _yes(is_in(entity, state))
    if _NO_VERDICT.search(request.text.casefold()):
        verdict = ""
    return Reply(capital(f"{verdict}{told}."))


def _statement(entity: Entity) -> str:
    return reports(entity) or f"{the(entity)} {be(entity)} {described(entity)}"


def _yes(so: bool) -> str:
    return "Yes, " if so else "No, "


def _of_each(target: Target, context: Context) -> Reply:
    told = [_statement(entity) for entity in target.entities if known(entity)]
    if not told:
        return Reply(f"I don't know the state of {target.words}.", done=False)
    return Reply(capital(f"{context.say(told)}."))


def _of_sensors(target: Target, request: Request, context: Context) -> Reply:
    """What sensors notice: which of them do, or that none does."""
    told = [entity for entity in target.entities if known(entity)]
    if not told:
        return Reply(f"I don't know the state of {target.words}.", done=False)
    noticing = [entity for entity in told if entity.state == "on"]
    asks = _question(request, "on") in (StateQuestion.ANY, StateQuestion.ALL)
    verdict = _yes(bool(noticing)) if asks and not re.search(r"\bwho\b", request.text) else ""
    if noticing or len(told) <= 1:
        said = context.say([reports(entity) for entity in noticing or told])
    else:
        said = f"none of the {count(len(told), target.kind)}{target.where} has noticed anything"
    return Reply(capital(f"{verdict}{said}.{_unknown(target, context)}"))


def _of_several(
    target: Target, state: str, question: StateQuestion, here: str, context: Context
) -> Reply:
    told = [entity for entity in target.entities if known(entity)]
    if state not in ("on", "off") and told and not any(fits(e, state) for e in told):
        return Reply(f"I only know that {_grouped(told, '', context)}.{_unknown(target, context)}")
    those = [entity for entity in told if is_in(entity, state)]
    others = [entity for entity in told if entity not in those]
    unknown = _unknown(target, context)
    if not told:
        return Reply(unknown.strip(), done=False)
    if question is StateQuestion.HOW_MANY and those:
        verb = "is" if len(those) == 1 else "are"
        words = state_words(those[0], state)
        told_many = f"{count(len(those), target.kind)}{target.where} {verb} {words}."
        return Reply(capital(f"{told_many}{unknown}"))
    if question is StateQuestion.EACH and len(told) <= _MOST_LISTED:
        return Reply(capital(f"{_grouped(told, '', context)}.{unknown}"))
    asks = question in (StateQuestion.ANY, StateQuestion.ALL)
    if question is StateQuestion.ALL and others:
        return Reply(f"No, {_grouped(others, '', context)}{here}.{unknown}")
    verdict = _yes(bool(those)) if asks else ""
    if not those:
        words = state_words(told[0], state)
        nothing = f"no {target.kind}" if target.kind != "device" else "nothing"
        return Reply(capital(f"{verdict}{nothing}{target.where} is {words}.{unknown}"))
    if question is StateQuestion.ALL and len(those) > _MOST_LISTED and not unknown:
        words = state_words(those[0], state)
        all_of = f"all {count(len(those), target.kind)}{target.where} are {words}"
        if target.kind == "device":
            all_of = f"everything{target.where} is {words}"
        return Reply(f"Yes, {all_of}.")
    return Reply(capital(f"{verdict}{_grouped(those, state, context)}{here}.{unknown}"))


def _named(target: Target, state: str, question: StateQuestion) -> list[Entity]:
    """The devices that the answer is about: those that are in the state, or keep all from it."""
    told = [entity for entity in target.entities if known(entity)]
    those = [entity for entity in told if is_in(entity, state)]
    others = [entity for entity in told if entity not in those]
    return (others if question is StateQuestion.ALL else those) or told


def _grouped(entities: list[Entity], state: str, context: Context) -> str:
    """Devices with what they are, those that are the same in one breath."""
    groups: dict[str, list[Entity]] = {}
    for entity in entities:
        plain = state and entity.domain not in ("media_player", "climate", "vacuum", "lawn_mower")
        words = state_words(entity, state) if plain else described(entity)
        groups.setdefault(words, []).append(entity)
    told = []
    for words, group in groups.items():
        verb = be(group[0]) if len(group) == 1 else "are"
        told.append(f"{context.say([the(e) for e in group])} {verb} {words}")
    return str(context.say(told))


def _unknown(target: Target, context: Context) -> str:
    """A further sentence for the devices that have not reported."""
    silent = [the(entity) for entity in target.entities if not known(entity)]
    return f" I don't know the state of {context.say(silent)}." if silent else ""


def _question(request: Request, state: str | None) -> StateQuestion:
    text = _TELLING.sub("", request.text.casefold().replace("’", "'"))
    if "how many" in text:
        return StateQuestion.HOW_MANY
    which, whether = _WHICH.search(text), _IF.search(text)
    if _FOLLOWING.match(request.text.casefold()) and which is None and whether is None:
        return StateQuestion.EACH
    if which is None and whether is None and _EVERY.search(text):
        return StateQuestion.ALL
    if whether is None or (which is not None and which.start() < whether.start()):
        return StateQuestion.WHICH
    resting = state in _RESTING and not _LEAVING.search(text)
    every = _EVERY.search(text) or resting
    return StateQuestion.ALL if every else StateQuestion.ANY
