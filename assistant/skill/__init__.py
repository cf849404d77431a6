"""What skill authors import."""

from assistant.core.errors import UnreachableError
from assistant.core.messages import (
    FindNextEvent,
    ListEvents,
    ListNotes,
    NameSource,
    OpenQuestion,
    Period,
    RepeatAnswer,
    SlotValue,
    Summarise,
)
from assistant.english.spoken import count
from assistant.skill.announcements import Announcement
from assistant.skill.context import Context, ListItem, Request, Timer
from assistant.skill.events import Every, StateChange, StateChanged, TimeReached
from assistant.skill.home import Area, Entity, Floor
from assistant.skill.manifest import Traits
from assistant.skill.named import named_length, named_thing, naming
from assistant.skill.network import Response
from assistant.skill.opening import opened_by, opens, too_unsure_to_open
from assistant.skill.plans import Planned
from assistant.skill.reply import Ask, Cancelled, Choose, Confirm, Dialog, Reply, Report, Undo
from assistant.skill.signature import choices, domains, prompt, unambiguous, unless
from assistant.skill.skill import Skill
from assistant.skill.storage import Storage, Tables
from assistant.skill.values import Change, Colour, Percent, Recurrence, Temperature

__all__ = [
    "Announcement",
    "Area",
    "Ask",
    "Cancelled",
    "Change",
    "Choose",
    "Colour",
    "Confirm",
    "Context",
    "Dialog",
    "Entity",
    "Every",
    "FindNextEvent",
    "Floor",
    "ListEvents",
    "ListItem",
    "ListNotes",
    "NameSource",
    "OpenQuestion",
    "Percent",
    "Period",
    "Planned",
    "Recurrence",
    "RepeatAnswer",
    "Reply",
    "Report",
    "Request",
    "Response",
    "Skill",
    "SlotValue",
    "StateChange",
    "StateChanged",
    "Storage",
    "Summarise",
    "Tables",
    "Temperature",
    "TimeReached",
    "Timer",
    "Traits",
    "Undo",
    "UnreachableError",
    "choices",
    "count",
    "domains",
    "named_length",
    "named_thing",
    "naming",
    "opened_by",
    "opens",
    "prompt",
    "too_unsure_to_open",
    "unambiguous",
    "unless",
]
