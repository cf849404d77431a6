"""The messages between the skills and the bridge to the home's devices."""

from __future__ import annotations

import msgspec

from assistant.core.home.forecast import ForecastDay
from assistant.core.home.lists import ListChange, ListedItem
from assistant.core.home.music import Kind
from assistant.core.parts import Id, SlotValue, Work

ReportedAttributes = dict[str, SlotValue | list[float]]
"""Attributes that a device has told: by name, as Home Assistant calls them."""


class HomeCommand(Work, frozen=True, kw_only=True):
    """What the bridge has a device do, by MQTT or by Home Assistant: a change, or a `command`.

    A change may be sent again; a command is sent once at most, and only while it is new.
    """

    entity_id: str
    state: str = ""
    """The new state; "" when it has not changed."""
    attributes: dict[str, SlotValue] = msgspec.field(default_factory=dict)
    """The attributes that have changed, such as "position": 40."""
    command: str = ""
    """A command that is not a state, such as "next"."""
    items: tuple[ListChange, ...] = ()
    """What is to become of the items of a list; this may be sent again, too."""
    given_at_s: float = 0.0
    """The time of the turn that gave it."""
    ids: tuple[int, ...] = ()
    """The ids under which a `HomeReceipt` reports what became of it; one for each change."""


class HomeReceipt(Work, frozen=True, kw_only=True):
    """What became of commands, by their ids. Nothing is reported of changes that still wait."""

    utterance_id: Id = ""
    sent: tuple[int, ...] = ()
    """Those that the broker, or Home Assistant, has acknowledged."""
    unsent: tuple[int, ...] = ()
    """Those that were not published, and never will be."""
    unsure: tuple[int, ...] = ()
    """Those that were published on a connection which was lost before the acknowledgement."""
    failed: tuple[int, ...] = ()
    """Those of which Home Assistant says that they could not be carried out."""


class HomeStates(Work, frozen=True, kw_only=True):
    """The states of devices that were reported since the last such message.

    Sensor values do not belong here: a new state replaces the one before it, a new value does not.
    """

    utterance_id: Id = ""
    states: dict[str, str]
    """Device → its latest state."""
    attributes: dict[str, ReportedAttributes] = msgspec.field(default_factory=dict)
    """Device → all its attributes, where it tells any: what is not among them, it has not."""


class MusicLibrary(Work, frozen=True, kw_only=True):
    """The music that the player has: kind, as in `Music`, → names."""

    utterance_id: Id = ""
    names: dict[Kind, tuple[str, ...]]


class HomeLists(Work, frozen=True, kw_only=True):
    """The items of the lists that Home Assistant has, each list whole."""

    utterance_id: Id = ""
    lists: dict[str, tuple[ListedItem, ...]]
    """List → its items in their order."""


class HomeForecasts(Work, frozen=True, kw_only=True):
    """What the weather devices of Home Assistant foretell."""

    utterance_id: Id = ""
    forecasts: dict[str, tuple[ForecastDay, ...]]
    """Device → the days in their order."""


class HomeDescribed(Work, frozen=True, kw_only=True):
    """The areas and devices that the bridge has found: by their names they can be spoken to.

    Home Assistant has them, or they have announced themselves by MQTT.
    """

    utterance_id: Id = ""
    text: str
    """The file of a home, as `assistant.skill.home` reads it, in JSON."""
