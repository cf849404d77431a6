"""What the device tells of itself: whether it hears, its version, what it made of a command."""

from __future__ import annotations

from assistant.skill import Context, Reply, Skill, Traits
from assistant.skill.device import SlowStage

PARTS = {
    "endpointing": "noticing that you had finished",
    "asr": "hearing the words",
    "nlu": "understanding them",
    "commit": "making sure that you had finished",
    "skills": "carrying it out",
    "answer": "looking it up",
    "voice": "putting my reply into sound",
}
"""Part of the assistant → what it does, as a phrase that fits "… took two seconds"."""
ASKING = Traits(asks=True)

skill = Skill("device")


@skill.intent(
    "IsListening",
    "(are you|is anybody|is anyone|is somebody|is someone) [still] listening [in] [to (me|us)]"
    " [now|right now]",
    "(can|do) you [still] hear (me|us) [now|at all]",
    "are you hearing (me|us) [now]",
    "is (your|the) (microphone|mic) (on|open|off|muted)",
    "(are you|is it) (muted|recording [me|us|this])",
    "do you record (me|us|what (i|we) say)",
    "(does|is) (anything|what i say|what we say) (leave|leaving|sent) [from] (this|the) (device"
    "|house|home)",
    traits=ASKING,
)
def is_listening(context: Context) -> Reply:
    """Tell whether the microphone is open, and where what it hears stays."""
    if not context.device.listens:
        return Reply("I am muted, and my microphone is closed.")
    kept = "recordings, as you have agreed" if context.conversation.recorded else "no recordings"
    told = f"No sound leaves this device, and I keep {kept}."
    return Reply(f"I'm listening, and my microphone is open. {told}")


@skill.intent(
    "AssistantVersion",
    "(what|which) version (are you|are you running|do you run|is this|of you is this)",
    "what is your version [number]",
    "(what|which) version of (yourself|the assistant|hark|your software) (is this|do you run"
    "|are you running|is running)",
    "tell me your version [number]",
    traits=ASKING,
)
def version(context: Context) -> Reply:
    """Tell the version."""
    return Reply(f"I am Hark, version {context.device.version.replace('.', ' point ')}.")


@skill.intent(
    "WhyWasThatSlow",
    "why (was that|did that take|were you|are you|was it) so (slow|long)",
    "why (was that|were you|are you|was it) slow",
    "(what|why) took (you|that|it) so long",
    "why did (you|that|it) take (so|that) long",
    "what was (slow|so slow|taking so long)",
    traits=ASKING,
)
def why_slow(context: Context) -> Reply:
    """Tell which part was late with what was said before."""
    before = context.device.recalled
    if before is None or before.took_s is None:
        return Reply("I don't remember how long it took.", done=False)
    took = f"I answered after {_seconds(before.took_s)}."
    if not before.slow:
        return Reply(f"{took} No part of me was late.")
    return Reply(f"{took} {_late(max(before.slow, key=lambda one: one.took_s - one.limit_s))}")


@skill.intent(
    "WhatWasUnderstood",
    "what did you (hear|understand|think i said|think i meant|make of that|take that for)",
    "what (have you|had you) (heard|understood)",
    "(which|what) words did you (hear|understand)",
    "tell me what you (heard|understood)",
    "what do you think (i|we) (said|meant)",
    traits=ASKING,
)
def what_was_understood(context: Context) -> Reply:
    """Tell the words of what was said before, and what they were taken for."""
    before = context.device.recalled
    if before is None:
        return Reply("I don't remember what was said before.", done=False)
    if not before.heard:
        return Reply("I heard no words.")
    if not before.understood:
        return Reply(f"I heard: {before.heard}. I took it for no command.")
    wanted = context.say(list(dict.fromkeys(before.understood)))
    return Reply(f"I heard: {before.heard}. I understood that you want to {wanted}.")


def _late(stage: SlowStage) -> str:
    part = PARTS.get(stage.name, stage.name)
    return f"{part[0].upper()}{part[1:]} took {_seconds(stage.took_s)}."


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f}".removesuffix(".0") + (" second" if seconds == 1 else " seconds")
