"""Talking about the talk: stop, repeat, undo, help."""

from __future__ import annotations

from assistant.skill import Context, Reply, Skill

skill = Skill("conversation")


@skill.intent(
    "HassNevermind",
    "(never mind|nevermind|cancel|cancel that|forget it|forget that|forget about it)",
    "(stop|stop it|stop that|be quiet|quiet|silence|shut up|enough|that's enough)",
    "(stop|turn off|silence) [the] (alarm|ringing|noise)",
)
def never_mind(context: Context) -> Reply:
    """Stop what rings, and do nothing else."""
    for timer in context.timers.all():
        if timer.ringing:
            context.timers.cancel(timer.id)
    return Reply("Okay.")


@skill.intent(
    "Repeat",
    "(say|repeat) (that|it) [again] [please]",
    "say (that|it) (again|one more time|once more)",
    "(can|could) you (repeat|say) that [again]",
    "(repeat|come again|pardon|pardon me|what did you say|what was that)",
    "i didn't (hear|catch|get|understand) (that|you)",
)
def repeat(context: Context) -> Reply:
    """Say the last reply again."""
    return Reply(context.conversation.last_reply or "I haven't said anything yet.")


@skill.intent(
    "Undo",
    "(undo|undo that|undo it|take that back|revert that|undo the last (thing|command))",
)
def undo(context: Context) -> Reply:
    """Take the last action back."""
    if context.conversation.undo():
        return Reply("I took that back.")
    return Reply("There is nothing that I can take back.", done=False)


@skill.intent(
    "Help",
    "help [me]",
    "what can (you do|i say|i ask [you]|you do for me|you help [me] with)",
    "(what|which) (skills|commands) (do you have|do you know|are there)",
    "how can you help [me]",
    "how do (you|i use you|you work)",
)
def help_me(context: Context) -> Reply:
    """Tell what the skills can do."""
    abilities = context.conversation.abilities
    return Reply(f"I can {context.say(abilities)}." if abilities else "I have no skills yet.")
