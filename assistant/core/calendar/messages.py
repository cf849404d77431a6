"""The messages about the calendar: that it has changed, and its collection by CalDAV."""

from __future__ import annotations

import msgspec

from assistant.core.parts import Control, Id, Work


class CalendarChanged(Control, frozen=True, kw_only=True):
    """The calendar's file was changed, so that the answers read it at once."""


class EventChange(msgspec.Struct, frozen=True):
    """What is to become of one event of the collection."""

    uid: str
    href: str
    """Where it is; "" for a new one."""
    etag: str
    """Its version that was changed; it is left alone where it has another; "" for a new one."""
    text: str
    """A calendar with this event alone; "" removes it."""


class CollectedEvent(msgspec.Struct, frozen=True):
    """One event as the collection has it."""

    href: str
    etag: str
    text: str
    """A calendar with this event alone; "" for one that is too large, or cannot be read."""


class CalendarCommand(Work, frozen=True, kw_only=True):
    """What the skills have of the collection, and what is to become of events there.

    It takes the place of the one before, and may be sent again.
    """

    utterance_id: Id = ""
    id: Id
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    """Where each event is → its version that the skills have."""
    changes: tuple[EventChange, ...] = ()


class CalendarReport(Work, frozen=True, kw_only=True):
    """How the collection differs from what a command says of it; the next one has the rest.

    It comes when there is something to tell, and at once after a command with changes.
    """

    utterance_id: Id = ""
    command_id: Id
    """The command that it answers; "" asks for one."""
    events: tuple[CollectedEvent, ...] = ()
    """Events that are new there, or have another version."""
    gone: tuple[str, ...] = ()
    """Where there is none any more."""
    done: tuple[str, ...] = ()
    """UIDs of the changes that were made."""
    refused: tuple[str, ...] = ()
    """UIDs of those that the server does not take."""
