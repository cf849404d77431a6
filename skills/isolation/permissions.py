"""What a skill may use: the permissions that it asks for, and those that the user grants.

timers · lists · plans · alarms · calendar · conversation   those, whole
home                                     every device and area
home:light                               devices of one domain
home:light:kitchen · home:*:kitchen      of one area
network:http://192.168.1.20:8080         one server, by its scheme, host and port
device                                   how loud it speaks, backups, a restart
files:/srv/recipes                       reading that file, or what is in that folder
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import SkillError
from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import SlotValue
from assistant.core.network.origin import PERMISSION, Origin
from assistant.skill.context import HomeControl
from assistant.skill.events import StateChange, Trigger
from assistant.skill.home import Area, Entity, Floor
from assistant.skill.reply import Reply
from skills.isolation.capabilities import CAPABILITIES, NETWORK
from skills.isolation.readable_files import FILES, ReadableFiles, holds, path_of, require_path


class Permissions:
    """What one skill may do; raises `SkillError` for a permission that there is not."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(names))
        for name in self.names:
            capability, *scope = name.split(":")
            if capability == FILES:
                require_path(name)
            elif capability == NETWORK:
                _origin(name)
            elif capability not in CAPABILITIES or len(scope) > (2 if capability == "home" else 0):
                hint = did_you_mean(capability, CAPABILITIES)
                raise SkillError("skill.permission", f'there is no permission "{name}"{hint}')

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The capabilities that may be used at all."""
        return tuple(dict.fromkeys(name.partition(":")[0] for name in self.names))

    def lacking(self, wanted: Permissions) -> tuple[str, ...]:
        """Those of `wanted` that are not covered by these."""
        return tuple(name for name in wanted.names if not self._covers(name))

    def limited(self, capability: str, target: Any) -> Any:
        """A capability, cut down to what may be done with it; raises `SkillError` for nothing."""
        if capability not in self.capabilities:
            raise SkillError("skill.permission", f'this needs the permission "{capability}"')
        if capability == FILES:
            return ReadableFiles(map(path_of, self.names))
        return AllowedHome(target, self) if capability == "home" else target

    def allows_server(self, origin: Origin) -> bool:
        """Whether a server may be asked."""
        return self._covers(origin.permission)

    def allows_device(self, entity: Entity) -> bool:
        """Whether a device may be seen and used."""
        return self._covers(f"home:{entity.domain}:{entity.area}")

    def check_trigger(self, trigger: Trigger) -> None:
        """Raise `SkillError` where a handler waits for what the skill may not see."""
        if isinstance(trigger, StateChange):
            domain = trigger.domain or trigger.entity.partition(".")[0]
            if not self._covers(f"home:{domain or '*'}"):
                message = f'waits for changes, and lacks the permission "home:{domain or "*"}"'
                raise SkillError("skill.permission", message)

    def check(self, reply: Reply, home: HomeControl) -> None:
        """Raise `SkillError` where a reply would undo what the skill may not do."""
        undo = reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)
        for one in undo:
            capability = one.operation.partition(".")[0]
            target = self.limited(capability, home) if capability in CAPABILITIES else None
            if target is None or (capability == "home" and not target.holds(one.id)):
                raise SkillError("skill.permission", f'may not undo "{one.operation}" of {one.id}')

    def _covers(self, wanted: str) -> bool:
        if wanted.partition(":")[0] == FILES:
            return any(holds(path_of(name), path_of(wanted)) for name in self.names)
        return any(
            all(
                have in ("*", want) for have, want in zip(_parts(name), _parts(wanted), strict=True)
            )
            for name in self.names
        )


def _parts(name: str) -> tuple[str, str, str]:
    if name.startswith(PERMISSION):
        return NETWORK, str(_origin(name)), ""
    capability, domain, area = (*name.split(":"), "*", "*")[:3]
    return capability, domain or "*", area or "*"


def _origin(name: str) -> Origin:
    try:
        return Origin.read(name.removeprefix(PERMISSION))
    except ValueError as error:
        raise SkillError("skill.permission", f'there is no permission "{name}": {error}') from error


class AllowedHome:
    """Implements `HomeControl` for the devices that a skill may use; it sees no others."""

    def __init__(self, home: HomeControl, permissions: Permissions) -> None:
        self._home, self._permissions = home, permissions

    @property
    def floors(self) -> Sequence[Floor]:
        """Every floor."""
        return self._home.floors

    @property
    def areas(self) -> Sequence[Area]:
        """Every area."""
        return self._home.areas

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The devices that it may use."""
        return tuple(e for e in self._home.entities if self._permissions.allows_device(e))

    def holds(self, entity_id: str) -> bool:
        """Whether it may use this device."""
        return any(entity.id == entity_id for entity in self.entities)

    def forecast(self, entity_id: str) -> tuple[ForecastDay, ...] | None:
        """What a weather device foretells; raises `SkillError` for one that it may not use."""
        return self._home.forecast(self._allowed(entity_id))

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`; raises `SkillError` for one that it may not use."""
        self._home.set_state(self._allowed(entity_id), state)

    def set_attribute(self, entity_id: str, name: str, value: SlotValue) -> None:
        """Set an attribute of a device; raises `SkillError` for one that it may not use."""
        self._home.set_attribute(self._allowed(entity_id), name, value)

    def command(self, entity_id: str, command: str) -> bool:
        """Send a device a command; raises `SkillError` for one that it may not use."""
        return self._home.command(self._allowed(entity_id), command)

    def _allowed(self, entity_id: str) -> str:
        if not self.holds(entity_id):
            raise SkillError("skill.permission", f"may not use {entity_id}")
        return entity_id
