"""Announcements, and answers to greetings and to questions about the assistant."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import Reply, Request, Skill, Traits, prompt
from skills.home.targets import capital

Words = Annotated[str, prompt("What shall I say?")]

skill = Skill("home")


@skill.serve("HassBroadcast")
def announce(message: Words) -> Reply:
    """Say a message aloud."""
    return Reply(f"{capital(message.strip())}.")


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
