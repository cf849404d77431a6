"""Registers short forms for each way to name a list: "the list", its kind, and its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from assistant.english.commands.list_words import SHOPPING
from assistant.skill import Dialog, Reply, Skill, prompt
from skills.home.lists.meant import is_list_meant

Read = TypeVar("Read", bound=Callable[..., Reply | Dialog])
Item = Annotated[str, prompt("What is it?")]
ListName = Annotated[str, prompt("On which list?")]

NAMED_LIST = (
    "([the|my|our|this|that] {text:name} [list|one]"
    "|[the|my|our] list (of|for) [the|my|our|all the] {text:name})"
)
"""A list by its name, be it one that is not there."""


def on_each_list(skill: Skill, intent: str, *forms: str) -> Callable[[Read], Read]:
    """Claim short forms with `<list>` in them for "the list", the shopping list, and any other."""

    def register(function: Read) -> Read:
        shopping = [form.replace("<list>", "<shopping>") for form in forms]
        named = [form.replace("<list>", "<listed>") for form in forms]
        skill.short(intent, *forms)(function)
        skill.short(intent, *shopping, fixed={"name": SHOPPING})(function)
        skill.short(intent, *named, holds=is_list_meant)(function)
        return function

    return register
