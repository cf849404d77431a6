"""The home as Home Assistant's registries and states describe it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from assistant.bridge.home_assistant.feeds import is_feed
from assistant.bridge.home_assistant.reports import State
from assistant.bridge.home_assistant.session import Session, decoded
from assistant.core.errors import UNDECODABLE
from assistant.core.home.names import name_fault
from assistant.setup.home_assistant import DOMAINS
from assistant.setup.rooms import AT_FIRST
from assistant.skill.home import Area, Entity, Floor, Home

MOST_ALIASES = 20
MOST_NAMED = 5000
"""Most areas, and most devices."""
LASTING = (
    *("device_class", "unit_of_measurement", "supported_color_modes", "percentage_step"),
    *("min_temp", "max_temp", "min_humidity", "max_humidity", "entity_id", "source_list"),
    *("available_modes", "operation_list", "preset_modes", "hvac_modes"),
)
"""Attributes that stay, and belong to the description."""
LARGEST_ATTRIBUTE_BYTES = 8192

T = TypeVar("T")


class _Floor(msgspec.Struct):
    floor_id: str
    name: str
    aliases: list[str | None] = []


class _Area(msgspec.Struct):
    area_id: str
    name: str
    floor_id: str | None = None
    aliases: list[str | None] = []


class _Device(msgspec.Struct):
    id: str
    area_id: str | None = None


class _Exposure(msgspec.Struct, frozen=True):
    should_expose: bool = True


class _Options(msgspec.Struct, frozen=True):
    conversation: _Exposure = _Exposure()


class _Registered(msgspec.Struct):
    entity_id: str
    area_id: str | None = None
    device_id: str | None = None
    disabled_by: str | None = None
    hidden_by: str | None = None
    entity_category: str | None = None
    options: _Options = _Options()

    @property
    def shown(self) -> bool:
        apart = self.disabled_by or self.hidden_by or self.entity_category
        return not apart and self.options.conversation.should_expose


class _Named(msgspec.Struct):
    aliases: list[str | None] = []


class _Running(msgspec.Struct):
    state: str = "RUNNING"


async def is_running(session: Session) -> bool:
    """Whether it has started, as it then has all its devices; raises as `Session.ask`."""
    return decoded(await session.ask("get_config"), _Running, "its settings").state == "RUNNING"


async def read_states(session: Session) -> list[State]:
    """Every state; raises as `Session.ask`."""
    return list(_each(await session.ask("get_states"), State, "the states"))


async def describe(session: Session, states: Sequence[State]) -> Home:
    """The home: what is disabled, hidden or not exposed to voice assistants is left out.

    Raises as `Session.ask`.
    """
    floors = _each(await session.ask("config/floor_registry/list"), _Floor, "the floors")
    areas = _each(await session.ask("config/area_registry/list"), _Area, "the areas")
    devices = _each(await session.ask("config/device_registry/list"), _Device, "the devices")
    entities = _each(await session.ask("config/entity_registry/list"), _Registered, "the entities")
    registered = {one.entity_id: one for one in entities}
    area_of = {device.id: device.area_id for device in devices}
    shown = [state for state in states if _is_shown(state, registered)][:MOST_NAMED]
    aliases = await _aliases(session, [s.entity_id for s in shown if s.entity_id in registered])
    return Home(
        floors=tuple(
            Floor(name=floor.name, id=floor.floor_id, aliases=_names(floor.aliases))
            for floor in floors
            if _sayable(floor.name)
        ),
        areas=tuple(
            Area(name=area.name, id=area.area_id, floor=area.floor_id, aliases=_names(area.aliases))
            for area in list(areas)[:MOST_NAMED]
            if _sayable(area.name)
        ),
        entities=tuple(
            _entity(state, registered.get(state.entity_id), area_of, aliases) for state in shown
        ),
    )


async def _aliases(session: Session, entity_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Entity → its further names, which the registry's list does not have."""
    if not entity_ids:
        return {}
    told = await session.ask("config/entity_registry/get_entries", entity_ids=list(entity_ids))
    entries = decoded(told, dict[str, msgspec.Raw], "the entities' names")
    found = {}
    for entity_id, content in entries.items():
        named = _read(content, _Named)
        found[entity_id] = _names(named.aliases) if named is not None else ()
    return found


def _is_shown(state: State, registered: Mapping[str, _Registered]) -> bool:
    known = registered.get(state.entity_id)
    domain, _, rest = state.entity_id.partition(".")
    taken = domain in DOMAINS or is_feed(state.entity_id, state.attributes)
    return taken and bool(rest) and (known is None or known.shown)


def _entity(
    state: State,
    known: _Registered | None,
    area_of: Mapping[str, str | None],
    aliases: Mapping[str, tuple[str, ...]],
) -> Entity:
    domain, _, rest = state.entity_id.partition(".")
    name = _read(state.attributes.get("friendly_name", msgspec.Raw(b"null")), str) or ""
    area = (known.area_id or area_of.get(known.device_id or "")) if known is not None else None
    return Entity(
        name=name if _sayable(name) else rest.replace("_", " ").title(),
        id=state.entity_id,
        area=area,
        state=AT_FIRST.get(domain, "unknown"),
        attributes=_lasting(state.attributes),
        aliases=aliases.get(state.entity_id, ()),
    )


def _lasting(attributes: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    found = {}
    for name in LASTING:
        content = attributes.get(name)
        if content is not None and len(memoryview(content)) <= LARGEST_ATTRIBUTE_BYTES:
            value = _read(content, str | float | list[str])  # type: ignore[arg-type]
            if value is not None:
                found[name] = value
    return found


def _each(content: msgspec.Raw, kind: type[T], what: str) -> list[T]:
    """The items that are such; another version of Home Assistant may tell one otherwise."""
    items = decoded(content, list[msgspec.Raw], what)
    return [one for item in items if (one := _read(item, kind)) is not None]


def _read(content: msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(content, type=kind)
    except UNDECODABLE:
        return None


def _names(aliases: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(alias for alias in aliases if alias and _sayable(alias))[:MOST_ALIASES]


def _sayable(name: str) -> bool:
    return not name_fault(name)
