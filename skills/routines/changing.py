"""Deleting routines, and giving them another name."""

from __future__ import annotations

from typing import Annotated

import msgspec

from assistant.skill import Confirm, Context, Dialog, Reply, Request, Skill, Traits, prompt
from skills.routines.kept import drop, find, is_meant, keep, own_name, unknown
from skills.routines.naming import unfit

NewName = Annotated[str, prompt("What shall I call it?")]

skill = Skill("routines")


@skill.short(
    "DeleteRoutine",
    "<drop> <own> {text:name} [<routine>]",
    holds=is_meant,
    traits=Traits(guarded=True, only_now=True, whole=True),
)
def delete(name: str, context: Context) -> Dialog:
    """Delete a routine, if the user is sure."""
    routine = find(name, context)
    if routine is None:
        return unknown(name)
    if not (yield Confirm(f"Shall I delete {routine.name}?")):
        return Reply("Okay, I left it as it is.")
    drop(routine, context)
    return Reply(f"I deleted {routine.name}.")


@skill.short(
    "RenameRoutine",
    "(rename|call) <own> {text:name} [<routine>] (to|as|into) {text:new_name}",
    "(rename|call) <own> {text:name} <routine> {text:new_name}",
    "(change|set) the name of <own> {text:name} [<routine>] to {text:new_name}",
    "rename <own> {text:name} [<routine>]",
    holds=is_meant,
    traits=Traits(names="new_name", only_now=True, whole=True),
)
def rename(request: Request, name: str, new_name: NewName, context: Context) -> Reply:
    """Give a routine another name."""
    routine = find(name, context)
    if routine is None:
        return unknown(name)
    if reason := unfit(new_name, request.commands("new_name"), context):
        return Reply(reason, done=False)
    renamed = msgspec.structs.replace(routine, name=own_name(new_name))
    drop(routine, context)
    keep(renamed, context)
    return Reply(f"{routine.title} is called {renamed.name} now.")
