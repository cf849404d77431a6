"""What skill authors import."""

from assistant.skill.context import Context, Request, Timer
from assistant.skill.home import Area, Entity
from assistant.skill.reply import Ask, Cancelled, Choose, Confirm, Dialog, Reply, Undo
from assistant.skill.signature import choices, domains, prompt, unambiguous
from assistant.skill.skill import Skill
from assistant.skill.values import Colour, Percent, Recurrence, Temperature

__all__ = [
    "Area",
    "Ask",
    "Cancelled",
    "Choose",
    "Colour",
    "Confirm",
    "Context",
    "Dialog",
    "Entity",
    "Percent",
    "Recurrence",
    "Reply",
    "Request",
    "Skill",
    "Temperature",
    "Timer",
    "Undo",
    "choices",
    "domains",
    "prompt",
    "unambiguous",
]
