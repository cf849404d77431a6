"""Requests about the conversation itself: stop, repeat, undo, help."""

from __future__ import annotations

from assistant.skill import Confirm, Context, Dialog, Reply, Skill, Traits, opens

TALK = Traits(asks=True, whole=True)

skill = Skill("conversation")


@skill.intent(
    "HassNevermind",
    "(never mind|nevermind|forget it|forget that|forget about it)",
    "(stop|cancel|quit|abort) [it|that|this|talking]",
    "(be quiet|quiet|silence|shut up|hush|enough|that's enough|that is enough)",
    "(stop|cancel|quit) (what you are|what you're) doing",
    "(stop|turn off|silence) [the] (alarm|ringing|noise)",
    traits=TALK,
)
def never_mind(context: Context) -> Reply:
    """Stop what rings, and do nothing else."""
    for timer in context.timers.all():
        if timer.ringing:
            context.timers.cancel(timer.id)
    return Reply("Okay.")


@skill.intent(
    "Repeat",
    "(say|repeat) (that|it|yourself) [again|one more time|once more]",
    "(can|could|would) you (repeat|say) (that|it|yourself) [again|one more time|once more]",
    "(repeat|come again|pardon|pardon me|[just] one more time|once more|once again)",
    "(what did you|what was it you) [just] (say|said)",
    "what was that",
    "repeat (what you [just] said|the last (thing|reply|answer))",
    "i (didn't|did not|couldn't|could not) (hear|catch|get|understand) (that|it|you)",
    traits=TALK,
)
def repeat(context: Context) -> Reply:
    """Say the last reply again."""
    return Reply(context.conversation.last_reply or "I haven't said anything yet.")


@skill.intent(
    "Undo",
    "(undo|undo that|undo it|take that back|revert that|undo the last (thing|command))",
    traits=TALK,
)
def undo(context: Context) -> Dialog:
    """Take the last action back, asking first where that opens something."""
    question = _opening(context)
    if question and not (yield Confirm(question)):
        return Reply("Okay, I left it as it is.")
    if context.conversation.undo():
        return Reply("I took that back.")
    return Reply("There is nothing that I can take back.", done=False)


@skill.intent(
    "Help",
    "help [me]",
    "what [all|else] can (you do|i say|i ask [you]|you do for me|you help [me] with)",
    "what [kinds of|sorts of|types of] (things|questions) can (i ask [you]|you do|you answer)",
    "what are you able to do",
    "what are (the|your) (skills|commands)",
    "(what|which) (skills|commands) (do you have|do you know|are there)",
    "how can you help [me]",
    "how do (you|i use you|you work)",
    # It does not ask: otherwise 8 of 625 questions about articles would be taken for it.
    traits=Traits(whole=True),
)
def help_me(context: Context) -> Reply:
    """Tell what the skills can do."""
    abilities = context.conversation.abilities
    return Reply(f"I can {context.say(abilities)}." if abilities else "I have no skills yet.")


def _opening(context: Context) -> str:
    """The question before an undo that opens something; "" where it opens nothing."""
    states = {u.id: str(u.value) for u in context.conversation.undoing if u.operation == "home.set"}
    entities = [entity for entity in context.home.entities if entity.id in states]
    those = [entity for entity in entities if opens(entity, states[entity.id])]
    if not those:
        return ""
    verb = "unlock" if those[0].domain == "lock" else "open"
    return f"Shall I {verb} {context.say([f'the {e.name.casefold()}' for e in those])} again?"
