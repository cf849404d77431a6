"""The capabilities of a skill as calls over its line, typed by the interfaces in `assistant.skill`.

`remote` gives the skill an object that looks like one of those interfaces. `carry_out` does in the
assistant what such an object was asked to do, once the arguments fit the interface's own types.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol

import msgspec

from assistant.core.errors import UNDECODABLE, SkillError
from assistant.skill.announcements import Announcements, DoNotDisturb
from assistant.skill.context import Conversation, HomeControl, ListStore, Timers
from assistant.skill.device import Device
from assistant.skill.files import Files
from assistant.skill.network import Network
from assistant.skill.plans import Alarms, Calendar, Plans
from assistant.skill.storage import Cell, StoredValues, Tables

NETWORK = "network"
STORAGE = "storage"
CAPABILITIES: Mapping[str, type] = {
    "timers": Timers,
    "lists": ListStore,
    "plans": Plans,
    "alarms": Alarms,
    "calendar": Calendar,
    "home": HomeControl,
    "conversation": Conversation,
    STORAGE: StoredValues,
    "announcements": Announcements,
    "do_not_disturb": DoNotDisturb,
    NETWORK: Network,
    "files": Files,
    "device": Device,
}
"""Name in the context, which is also the permission's → its interface."""
TABLES, LOG = "tables", "log"
LONGEST_REASON = 200


class LogLines(Protocol):
    """What every skill may use: the log, under its name."""

    def write(self, level: int, text: str) -> None:
        """Write a line."""


NEEDED = {**{name: name for name in CAPABILITIES}, TABLES: STORAGE}
"""Name in the context → the permission without which it is refused."""
_INTERFACES = {**CAPABILITIES, TABLES: Tables, LOG: LogLines}

Use = Callable[[str, str, bytes], bytes]
"""Has an operation of a capability carried out with encoded arguments, and gives its result."""


class Operation(msgspec.Struct, frozen=True):
    """A method or a property of an interface: the types of what it takes and gives."""

    takes: Any
    gives: Any
    method: inspect.Signature | None


@cache
def operations(interface: type) -> Mapping[str, Operation]:
    """Every operation of an interface, by name."""
    found = {}
    for name, member in vars(interface).items():
        if name.startswith("_"):
            continue
        function: Any = member.fget if isinstance(member, property) else member
        hints = typing.get_type_hints(function)
        gives = hints.pop("return")
        if isinstance(member, property):
            found[name] = Operation(tuple[()], gives, None)
        else:
            signature = _without_self(function)
            kinds = tuple(_taken(hints[one.name], one) for one in signature.parameters.values())
            takes = tuple[kinds] if kinds else tuple[()]  # type: ignore[valid-type]
            found[name] = Operation(takes, gives, signature)
    return found


def _taken(kind: Any, parameter: inspect.Parameter) -> Any:
    """The type of an argument; cells are checked where they are used, as msgspec has no such type.

    Several are sent as one tuple.
    """
    kind = Any if kind == Cell else kind
    return tuple[kind, ...] if parameter.kind is parameter.VAR_POSITIONAL else kind


def remote(capability: str, use: Use) -> Any:
    """What a skill finds in its context for a capability that it may use."""
    return _Remote(capability, use)


def refused(capability: str, permission: str) -> Any:
    """What a skill finds for one that it may not use: any operation raises `SkillError`."""

    def use(_: str, __: str, ___: bytes) -> bytes:
        raise SkillError("skill.permission", f'this needs the permission "{permission}"')

    return _Remote(capability, use)


def carry_out(capability: str, target: Any, operation: str, arguments: bytes) -> bytes:
    """Do what a skill asks of `target`; raises `SkillError` for what the interface has not."""
    known = operations(_INTERFACES[capability]).get(operation)
    if known is None:
        raise SkillError("skill.operation", f"{capability} have no {operation}")
    try:
        given = msgspec.msgpack.decode(arguments, type=known.takes)
    except UNDECODABLE as error:
        reason = str(error)[:LONGEST_REASON]
        raise SkillError("skill.operation", f"{capability}.{operation}: {reason}") from error
    try:
        found = getattr(target, operation)
        if known.method is not None:
            bound = known.method.bind_partial()
            bound.arguments.update(zip(known.method.parameters, given, strict=True))
            found = found(*bound.args, **bound.kwargs)
        return msgspec.msgpack.encode(found)
    except (ValueError, LookupError, ArithmeticError) as error:
        message = f"{capability}.{operation}: {type(error).__name__}"
        raise SkillError("skill.operation", message) from error


class _Remote:
    def __init__(self, capability: str, use: Use) -> None:
        self._capability, self._use = capability, use

    def __getattr__(self, name: str) -> Any:
        known = operations(_INTERFACES[self._capability]).get(name)
        if known is None:
            raise AttributeError(f"{self._capability} have no {name}")
        method = known.method
        if method is None:
            return self._result(name, known, ())
        return lambda *given, **named: self._result(name, known, _bound(method, given, named))

    def _result(self, name: str, known: Operation, arguments: tuple[Any, ...]) -> Any:
        encoded = msgspec.msgpack.encode(arguments)
        result = self._use(self._capability, name, encoded)
        return msgspec.msgpack.decode(result, type=known.gives)


def _bound(method: inspect.Signature, given: Any, named: Any) -> tuple[Any, ...]:
    bound = method.bind(*given, **named)
    bound.apply_defaults()
    return tuple(bound.arguments.values())


def _without_self(function: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[1:])
