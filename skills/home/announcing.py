"""Announcements, and answers to greetings and to questions about the assistant."""

from __future__ import annotations

import re
from typing import Annotated

from assistant.skill import Area, Context, Reply, Request, Skill, Traits, prompt
from skills.home.targets import capital, in_place

Words = Annotated[str, prompt("What shall I say?")]
_TO = re.compile(r"^to ")

skill = Skill("home")


@skill.serve("HassBroadcast")
def announce(message: Words, context: Context) -> Reply:
    """Say a message aloud, in every other room where there are rooms with loudspeakers."""
    if not (rooms := context.announcements.rooms):
        return Reply(f"{capital(message.strip())}.")
    for area in rooms:
        context.announce(_told(message, context), area=area)
    return Reply("Okay, I will tell everyone.")


@skill.intent(
    "TellEveryone",
    "tell (everyone|everybody|the kids|the children|the family|the others) [that] {text:message}",
    "let (everyone|everybody|the kids|the children|the family|the others) know [that]"
    " {text:message}",
)
def tell_everyone(message: Words, context: Context) -> Reply:
    """Say a message in every other room."""
    return announce(message, context)


@skill.intent(
    "TellRoom",
    "tell [everyone in|everybody in] [the] {area} [that] {text:message}",
    "(announce|broadcast|say) in [the] {area} [that] {text:message}",
    "let [everyone in|everybody in] [the] {area} know [that] {text:message}",
)
def tell_room(message: Words, area: Area, context: Context) -> Reply:
    """Say a message in another room."""
    there = in_place(area, None).strip()
    if context.area is not None and context.area.id == area.id:
        return Reply(f"{capital(message.strip())}.")
    if area.id not in context.announcements.rooms:
        return Reply(f"I have no loudspeaker {there}.", done=False)
    context.announce(_told(message, context), area=area.id)
    return Reply(f"Okay, I will say it {there}.")


def _told(message: str, context: Context) -> str:
    """The words for another room, which say whence they come; "to come" is "come" there."""
    words = _TO.sub("", message.strip())
    if context.area is None:
        return f"{capital(words)}."
    return f"From the {context.area.name.casefold()}: {words}."


@skill.serve("HassRespond", traits=Traits(whole=True))
def respond(request: Request) -> Reply:
    """Answer a greeting, and what people ask about the assistant itself."""
    words = set(request.text.casefold().split())
    if words & {"listening", "recording"}:
        return Reply("I only listen for my wake word, and keep nothing of what I hear before it.")
    if "data" in words:
        return Reply("What you say stays on this device.")
    if words & {"made", "created"}:
        return Reply("People who want an assistant that works without a network.")
    if words & {"say", "ask"}:
        return Reply('Ask me for help: say "what can you do".')
    return Reply("Hello.")
