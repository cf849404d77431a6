"""Running routines, and telling what they do."""

from __future__ import annotations

from assistant.skill import Context, Dialog, Reply, Request, Skill, Traits, count
from skills.routines.kept import find, is_meant, names, unknown

HELP = (
    'Say "make a routine called movie time", and then what it shall do. "Movie time" runs it.'
    " You can ask what it does, add to it, rename it, or delete it."
)

skill = Skill("routines")


@skill.short(
    "RunRoutine",
    "{text:name}",
    "<run> <own> {text:name} [<routine>]",
    "(it is|time for|let us (do|have)|we want) <own> {text:name} [now]",
    holds=is_meant,
    traits=Traits(whole=True),
)
def run(request: Request, name: str, context: Context) -> Dialog:
    """Carry out all that a routine does."""
    routine = find(name, context)
    if routine is None:
        return unknown(name)
    return (yield from context.commands.carry_out(routine.commands, request))


@skill.intent(
    "ListRoutines",
    "(what|which) routines (do (i|we) have|have (i|we|you) [got|made|saved]|are there|do you know"
    "|can (i|you) (run|start|say|use))",
    "(list|tell me|read [me|out]|show me|name) [all] [of] (my|the|our|your) routines",
    "what are (my|the|our|your) routines",
    "how many routines (do (i|we) have|are there|have (i|we) [got|made])",
    traits=Traits(asks=True),
)
def list_routines(context: Context) -> Reply:
    """Name the routines."""
    if not (known := names(context)):
        return Reply("You have no routines yet.")
    return Reply(f"You have {count(len(known), 'routine')}: {context.say(known)}.")


@skill.short(
    "TellRoutine",
    "what (does|will|would) <own> {text:name} [<routine>] do",
    "what (is|happens) (in|with|on|at) <own> {text:name} [<routine>]",
    "what happens (when|if) i say {text:name}",
    "what does {text:name} mean",
    "(tell|read) me (about|what is in|what happens in|) <own> {text:name} <routine>",
    "(describe|explain) <own> {text:name} [<routine>]",
    holds=is_meant,
    traits=Traits(asks=True),
)
def tell(name: str, context: Context) -> Reply:
    """Tell what a routine does."""
    routine = find(name, context)
    return unknown(name) if routine is None else Reply(f"{routine.title} {routine.does(context)}.")


@skill.intent(
    "HelpRoutines",
    "what can (i|we) (say|do|ask) (about|with|to) routines",
    "how (do|can) (i|we) (make|create|set up|use|run|start|change|delete) (a routine|routines)",
    "how do routines work",
    "(what is a routine|what are routines)",
    traits=Traits(asks=True),
)
def help_me() -> Reply:
    """Tell what can be said about routines."""
    return Reply(HELP)
