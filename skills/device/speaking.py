"""How loud the assistant speaks."""

from __future__ import annotations

from assistant.skill import Context, Percent, Reply, Skill, Traits
from assistant.skill.device import LOUDEST, QUIETEST

STEP = 20
"""Percent by which "louder" changes the voice."""
ACTING = Traits(only_now=True, guarded=True)

skill = Skill("device")
skill.rule("a_bit", "[a bit|a little|a lot|much|even]")
skill.rule("speak", "(speak|talk|be)")
skill.rule("voice", "(your|the assistant's) (volume|voice|speaking volume|loudness)")


@skill.intent(
    "SpeakLouder",
    "<speak> <a_bit> louder [please]",
    "(speak|talk) up [a bit|a little|please]",
    "(turn|put) (<voice>|yourself) up [a bit|a little]",
    "(turn|put) up <voice> [a bit|a little]",
    "raise <voice>",
    "(you are|your voice is) [much|far] too quiet",
    "you (talk|speak) [much|far] too (quietly|softly)",
    "i (can not|can hardly|can barely) hear you",
    traits=ACTING,
)
def louder(context: Context) -> Reply:
    """Speak louder from this reply on."""
    return _by(STEP, context)


@skill.intent(
    "SpeakQuieter",
    "<speak> <a_bit> (quieter|softer|more quietly|more softly) [please]",
    "(turn|put) (<voice>|yourself) down [a bit|a little]",
    "(turn|put) down <voice> [a bit|a little]",
    "lower <voice>",
    "(you are|your voice is) [much|far] too loud",
    "you (talk|speak) [much|far] too (loud|loudly)",
    "you are shouting",
    "(do not|you do not have to|stop) (shout|shouting|talk so loud|speak so loud|talk so loudly)",
    traits=ACTING,
)
def quieter(context: Context) -> Reply:
    """Speak more quietly from this reply on."""
    return _by(-STEP, context)


@skill.intent(
    "SetSpeakingVolume",
    "(set|turn|put|change|make) <voice> [up|down] [to|at] {percent}",
    "<speak> at {percent} [volume|of your volume]",
    "<voice> (to|at) {percent}",
    traits=ACTING,
)
def set_volume(percent: Percent, context: Context) -> Reply:
    """Speak at a share of the loudest."""
    wanted = round(percent)
    if not QUIETEST <= wanted <= LOUDEST:
        limits = f"from {QUIETEST} to {LOUDEST} percent"
        return Reply(f"I can speak {limits}. To hear nothing, say do not disturb.", done=False)
    undo = context.device.set_volume(wanted)
    return Reply(f"I speak at {wanted} percent now.", undo=undo)


@skill.intent(
    "SpeakingVolume",
    "how loud (are you|do you speak|are you speaking|are you set|is your voice) [at the moment]",
    "(what is|how high is) <voice> [set to|at] [now|at the moment]",
    "what volume (are you|do you speak) [at|on]",
    "tell me how loud (you are|your voice is)",
    traits=Traits(asks=True),
)
def how_loud(context: Context) -> Reply:
    """Tell how loud it speaks."""
    return Reply(f"I speak at {context.device.volume} percent.")


def _by(step: int, context: Context) -> Reply:
    before = context.device.volume
    after = max(QUIETEST, min(LOUDEST, before + step))
    if after == before:
        told = "loud" if step > 0 else "quietly"
        return Reply(f"I already speak as {told} as I can.", done=False)
    undo = context.device.set_volume(after)
    return Reply(f"I speak at {after} percent now.", undo=undo)
