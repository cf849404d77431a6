"""What skill authors import."""

from assistant.core.errors import SkillError, UnreachableError
from assistant.core.home.forecast import ForecastDay
from assistant.core.home.music import Music
from assistant.core.messages import (
    FindFreeTime,
    FindNextEvent,
    ListEvents,
    ListNotes,
    NameCalendar,
    NameSource,
    OpenQuestion,
    Period,
    RepeatAnswer,
    SlotValue,
    Summarise,
    When,
)
from assistant.english.spoken import count
from assistant.skill.announcements import Announcement
from assistant.skill.context import Context, KeptCommand, ListItem, Request, Timer
from assistant.skill.events import Every, StateChange, StateChanged, TimeReached
from assistant.skill.home import Area, Entity, Floor
from assistant.skill.manifest import Traits
from assistant.skill.named import (
    NamedTime,
    ask_time,
    at_moment,
    moved_to,
    named_length,
    named_thing,
    named_time,
    naming,
    tells_time,
    unheard_in,
)
from assistant.skill.network import Response
from assistant.skill.opening import opened_by, opens, too_unsure_to_open
from assistant.skill.plans import AT, Alarm, CalendarEvent, Planned, needs_time
from assistant.skill.reply import (
    Ask,
    AskCommands,
    Cancelled,
    Choose,
    Confirm,
    Dialog,
    Reply,
    Report,
    Undo,
)
from assistant.skill.signature import choices, domains, prompt, unambiguous, unless
from assistant.skill.skill import Skill
from assistant.skill.storage import Storage, Tables
from assistant.skill.values import Change, Colour, Percent, Recurrence, Temperature

__all__ = [
    "AT",
    "Alarm",
    "Announcement",
    "Area",
    "Ask",
    "AskCommands",
    "CalendarEvent",
    "Cancelled",
    "Change",
    "Choose",
    "Colour",
    "Confirm",
    "Context",
    "Dialog",
    "Entity",
    "Every",
    "FindFreeTime",
    "FindNextEvent",
    "Floor",
    "ForecastDay",
    "KeptCommand",
    "ListEvents",
    "ListItem",
    "ListNotes",
    "Music",
    "NameCalendar",
    "NameSource",
    "NamedTime",
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
    "SkillError",
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
    "When",
    "ask_time",
    "at_moment",
    "choices",
    "count",
    "domains",
    "moved_to",
    "named_length",
    "named_thing",
    "named_time",
    "naming",
    "needs_time",
    "opened_by",
    "opens",
    "prompt",
    "tells_time",
    "too_unsure_to_open",
    "unambiguous",
    "unheard_in",
    "unless",
]
