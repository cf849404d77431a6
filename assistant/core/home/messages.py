"""The messages between the skills and the bridge to the home's devices."""

from __future__ import annotations

import msgspec

from assistant.core.parts import Id, SlotValue, Work


class HomeCommand(Work, frozen=True, kw_only=True):
    """What the bridge publishes to the broker for a device: a change of state, or a `command`.

    A change may be published again; a command is published once at most, and only while it is new.
    """

    entity_id: str
    state: str = ""
    """The new state; "" when it has not changed."""
    attributes: dict[str, SlotValue] = msgspec.field(default_factory=dict)
    """The attributes that have changed, such as "position": 40."""
    command: str = ""
    """A command that is not a state, such as "next"."""
    given_at_s: float = 0.0
    """The time of the turn that gave it."""
    ids: tuple[int, ...] = ()
    """The ids under which a `HomeReceipt` reports what became of it; one for each change."""


class HomeReceipt(Work, frozen=True, kw_only=True):
    """What became of commands, by their ids. Nothing is reported of changes that still wait."""

    utterance_id: Id = ""
    sent: tuple[int, ...] = ()
    """Those that the broker has acknowledged."""
    unsent: tuple[int, ...] = ()
    """Those that were not published, and never will be."""
    unsure: tuple[int, ...] = ()
    """Those that were published on a connection which was lost before the acknowledgement."""


class HomeStates(Work, frozen=True, kw_only=True):
    """The states of devices that the broker has reported since the last such message.

    Sensor values do not belong here: a new state replaces the one before it, a new value does not.
    """

    utterance_id: Id = ""
    states: dict[str, str]
    """Device → its latest state."""
