"""Making routines, and adding to them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Annotated, Any

import msgspec

from assistant.skill import (
    AskCommands,
    Context,
    Dialog,
    KeptCommand,
    Reply,
    Request,
    Skill,
    Traits,
    prompt,
)
from assistant.skill.reply import Query
from skills.routines.kept import (
    MOST_COMMANDS,
    MOST_ROUTINES,
    Routine,
    every,
    find,
    is_meant,
    keep,
    own_name,
    unknown,
)
from skills.routines.naming import unfit

NewName = Annotated[str, prompt("What shall I call it?")]
WHAT = "What shall it do?"
MORE = "Anything else?"
_OWN = "Routine"
"""What the names of this skill's intents have in them."""

skill = Skill("routines")


@skill.intent(
    "MakeRoutine",
    "<make> [me|us] (a|an|the|another|my) [new] <routine>",
    "<make> [me|us] (a|an|the|another|my) [new] <routine> (called|named|with the name|for)"
    " {text:name}",
    "<make> [me|us] (a|an|the|another|my) [new] {text:name} <routine>",
    "[a] new <routine> [called|named] {text:name}",
    "(let me|i would like to|can i|how about we) (teach you|make|create|set up|add) (a|another)"
    " [new] <routine> [(called|named) {text:name}]",
    "(when|whenever|every time|each time|if) i say {text:name}",
    "(when|whenever|every time|each time|if) i say {text:name} then {text:what}",
    traits=Traits(names="name", commands="what", only_now=True, unmistakable=True),
)
def make(request: Request, name: NewName, context: Context, what: str = "") -> Dialog:
    """Make a routine of commands that are told, one after the other or at once."""
    if len(every(context)) >= MOST_ROUTINES:
        return Reply(f"You have {MOST_ROUTINES} routines already.", done=False)
    if reason := unfit(name, request.commands("name"), context):
        return Reply(reason, done=False)
    given = request.commands("what")
    missed = "" if given or not what else f'I didn\'t understand "{what}".'
    kept, left_out = yield from _told(given, context, missed=missed)
    if not kept:
        return Reply("Okay, never mind.")
    routine = Routine(name=own_name(name), commands=tuple(kept))
    keep(routine, context)
    return Reply(f"{left_out}{routine.title} is saved: it {routine.does(context)}.")


@skill.short(
    "AddToRoutine",
    "(add|put) {text:what} (to|into|in) <own> {text:name} [<routine>]",
    "(add|put) [something|something else|more|another thing|a command|a step] (to|into)"
    " <own> {text:name} [<routine>]",
    "extend <own> {text:name} [<routine>]",
    holds=is_meant,
    traits=Traits(commands="what", only_now=True, whole=True),
)
def add(request: Request, name: str, context: Context, what: str = "") -> Dialog:
    """Add commands to a routine."""
    routine = find(name, context)
    if routine is None:
        return unknown(name)
    kept, left_out = yield from _told(request.commands("what"), context, len(routine.commands))
    if not kept:
        return Reply(f"{left_out}Okay, I left it as it is.")
    routine = msgspec.structs.replace(routine, commands=(*routine.commands, *kept))
    keep(routine, context)
    return Reply(f"{left_out}{routine.title} {routine.does(context)} now.")


def _told(
    given: Sequence[Request], context: Context, count: int = 0, missed: str = ""
) -> Generator[Query, Any, tuple[list[KeptCommand], str]]:
    """The commands that are `given`, or else asked for, and why others are left out.

    There are `count` already. `missed` tells what was named, and not understood.
    """
    kept: list[KeptCommand] = []
    asked = given or (yield AskCommands(WHAT, told=missed))
    while True:
        reasons = yield from _tried(asked, kept, MOST_COMMANDS - count, context)
        if not asked or (given and kept) or len(kept) + count >= MOST_COMMANDS:
            return kept, reasons
        asked = yield AskCommands(MORE if kept else WHAT, told=reasons.strip())


def _tried(
    asked: Sequence[Request], kept: list[KeptCommand], most: int, context: Context
) -> Generator[Query, Any, str]:
    """Try commands and keep them; the words say which are left out."""
    reasons = ""
    for request in asked:
        if _OWN in request.intent:
            reasons += "A routine can't have another one in it. "
        elif len(kept) >= most:
            reasons += f"A routine does {MOST_COMMANDS} things at most. "
        else:
            tried = yield from context.commands.tried(request)
            if isinstance(tried, KeptCommand):
                kept.append(tried)
            else:
                reasons += f"{tried.text} "
    return reasons
