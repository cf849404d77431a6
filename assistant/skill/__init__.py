"""What skill authors import."""

from assistant.skill.context import Context, Request, Timer
from assistant.skill.home import Area, Entity
from assistant.skill.reply import Ask, Cancelled, Choose, Confirm, Dialog, Reply, Undo
from assistant.skill.signature import choices, domains, prompt
from assistant.skill.skill import Skill

__all__ = [
    "Area",
    "Ask",
    "Cancelled",
    "Choose",
    "Confirm",
    "Context",
    "Dialog",
    "Entity",
    "Reply",
    "Request",
    "Skill",
    "Timer",
    "Undo",
    "choices",
    "domains",
    "prompt",
]
