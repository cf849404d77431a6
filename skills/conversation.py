"""Requests about the conversation itself: stop, repeat, undo, help."""

from __future__ import annotations

import msgspec

from assistant.english.replies import DROPPING
from assistant.english.words import words
from assistant.skill import (
    Cancelled,
    Confirm,
    Context,
    Dialog,
    RepeatAnswer,
    Reply,
    Request,
    Skill,
    Traits,
    Undo,
    opened_by,
)

TALK = Traits(asks=True, whole=True)
TAKING_BACK = msgspec.structs.replace(TALK, guarded=True)

skill = Skill("conversation")


@skill.intent(
    "HassNevermind",
    "(never mind|nevermind|forget it|forget that|forget about it)",
    "(stop|cancel|quit|abort) [it|that|this|talking]",
    "(be quiet|quiet|silence|shut up|hush|enough|that's enough|that is enough)",
    "(stop|cancel|quit) (what you are|what you're) doing",
    "(stop|turn off|silence) [the] (ringing|noise)",
    traits=TAKING_BACK,
)
@skill.short(
    "HassNevermind",
    "(ok|thanks|thank you|cheers|ta|got it|i heard [you]|i know|all right|alright|yes|yes yes)",
    "(stop|stop it|ok stop|off|cancel|dismiss|ok ok|ok thanks|ok thank you|that is fine)",
    "that will do",
    "(turn|switch) (it|that) off",
    "(turn|switch) off",
    "make it stop",
    "[i am] coming",
    holds=lambda request, context: bool(context.timers.rung or context.alarms.rung),
)
def never_mind(request: Request, context: Context) -> Dialog:
    """Stop what rings; where something is to be gone, and nothing is meant, say so."""
    timers = context.timers.all()
    ringing = [timer for timer in timers if timer.ringing]
    for timer in ringing:
        context.timers.cancel(timer.id)
    verb = _dropping(request)
    if context.alarms.silence() or ringing or verb is None:
        return Reply("Okay.")
    if len(timers) == 1 and verb == "cancel":
        called = f"your {timers[0].name} timer" if timers[0].name else "your timer"
        if not (yield Confirm(f"Shall I cancel {called}?")):
            return Reply("Okay, I left it as it is.")
        context.timers.cancel(timers[0].id)
        undo = Undo("timers.restore", timers[0].id, msgspec.json.encode(timers[0]).decode())
        return Reply(f"I cancelled {called}.", undo=undo)
    return Reply(f"There is nothing that I can {verb}.")


def _dropping(request: Request) -> str | None:
    """The verb that asks for a thing to be gone; None for another text, and for "cancel" alone."""
    said = words(request.text)
    at = next((at for at, word in enumerate(said) if word in DROPPING), None)
    return None if at is None or at + 1 == len(said) else said[at]


skill.rule("pace", "(slowly|slower|more slowly|louder|clearly|more clearly|a bit slower)")


@skill.intent(
    "Repeat",
    "(say|repeat) (that|it|yourself) [again|one more time|once more] [<pace>]",
    "(can|could|would) you (repeat|say) (that|it|yourself) [again|one more time|once more]"
    " [<pace>]",
    "(repeat|come again|pardon|pardon me|[just] one more time|once more|once again|again) [<pace>]",
    "(and|again) (more slowly|slower|slowly|louder)",
    "(what did you|what was it you) [just] (say|said)",
    "(what was that|what was it|say again|tell me again|read (that|it) again)",
    "repeat (what you [just] said|the last (thing|reply|answer))",
    "i (didn't|did not|couldn't|could not) (hear|catch|get|understand) (that|it|you)",
    traits=TALK,
)
def repeat(context: Context) -> Reply:
    """Say the last reply again."""
    said = context.conversation
    task = RepeatAnswer() if said.answered else None
    return Reply(said.last_reply or "I haven't said anything yet.", task=task)


@skill.intent(
    "Undo",
    "(undo|undo that|undo it|take that back|revert that|undo the last (thing|command))",
    traits=TAKING_BACK,
)
@skill.short(
    "Undo",
    "[no] (cancel|scrap|scratch|reverse|take back) (that|it|the last one)",
    "(put|change|turn|set) (it|that|them) back [again|how it was|how they were]",
    "[right] back to [how|where|what] (it|they) (was|were) [before]",
    "(put|change|turn|set) (it|that|them) back to [how|where|what] (it|they) (was|were) [before]",
    "[no] (leave|put|have) (it|that|them) [back|just] (as|how|where|what|the way) (it|they)"
    " (was|were) [before]",
    "[no] (forget|never mind) (that|it)",
    "(i did not mean|that is not what i (meant|wanted|said)) [that|it]",
    holds=lambda request, context: (
        context.conversation.acted and bool(context.conversation.undoing)
    ),
)
def undo(context: Context) -> Dialog:
    """Take the last action back, asking first where that opens something, or may not be meant."""
    said = context.conversation
    question = _opening(context)
    if said.failed and said.undoing and not question:
        question = f"I did nothing just now. Before, I said: {said.last_act} Shall I undo that?"
    if question and not (yield Confirm(question)):
        return Reply("Okay, I left it as it is.")
    if context.conversation.undo():
        return Reply("I took that back.")
    return Reply("There is nothing that I can take back.", done=False)


@skill.intent(
    "MarkWrong",
    "(that was|that is|this was) [all|just|completely|quite] wrong",
    "you heard (that|it|me) wrong",
    "you misheard [me|that]",
    "mark that as (wrong|a mistake)",
    # Among commands its examples, which are like talk, would make all others seem more like it.
    traits=msgspec.structs.replace(TALK, only_talk=True),
)
def mark_wrong(context: Context) -> Reply:
    """Say that the last thing was wrong; where it was recorded, it is kept as a test case."""
    if context.conversation.recorded:
        return Reply("Sorry. I marked that as a mistake.")
    return Reply("Sorry. I keep no recordings, so I can't look at it later.", done=False)


@skill.intent(
    "MuteMicrophone",
    "mute (yourself|your microphone|your mic|the microphone|the mic)",
    "(stop|quit) listening [to (me|us)]",
    "do not listen [to (me|us)] [any more|any longer]",
    "(turn|switch) off (your|the) (microphone|mic)",
    "(turn|switch) (your|the) (microphone|mic) off",
    "(close|disable) (your|the) (microphone|mic)",
    # As no word ends it, it is neither done on a guess nor at another time.
    traits=Traits(whole=True, guarded=True, only_now=True),
)
def mute(request: Request) -> Dialog:
    """Have the microphone closed, which the framework does on this reply; ask about a guess."""
    if request.confidence < 1.0 and not (yield Confirm("Shall I turn off my microphone?")):
        raise Cancelled  # a reply would mute
    return Reply("I no longer listen. To end it, run assistant unmute, or press the mute button.")


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
    those = opened_by(context.conversation.undoing, context.home.entities)
    if not those:
        return ""
    verb = "unlock" if those[0].domain == "lock" else "open"
    return f"Shall I {verb} {context.say([f'the {e.name.casefold()}' for e in those])} again?"
