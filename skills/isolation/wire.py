"""What passes between the assistant and a skill in a process of its own, as msgpack frames."""

from __future__ import annotations

import os
import select
import struct
import time
from datetime import datetime
from typing import Any

import msgspec

from assistant.core.errors import UNDECODABLE
from assistant.core.messages import SlotValue
from assistant.skill.context import Request
from assistant.skill.events import Event
from assistant.skill.home import Area, Home
from assistant.skill.manifest import SkillManifest, SlotSchema
from assistant.skill.reply import Reply
from assistant.skill.settings import BadSetting

LARGEST_FROM_SKILL_BYTES = 65_536
LARGEST_TO_SKILL_BYTES = 4_000_000
CANCELLED = "skill.cancelled"
"""The code of a `Failed` for a dialog that ended when the user cancelled it."""
_LENGTH = struct.Struct("!I")


# ── to the skill ────────────────────────────────────────────────────────────────────────────
class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a skill knows while it carries out a request; `named` are the things that it names."""

    now: datetime
    area: Area | None = None
    named: Home = Home()


class Load(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Import a module within some seconds and find the skill in it, which may use capabilities."""

    module: str
    attribute: str
    where: str
    within_s: float
    capabilities: tuple[str, ...]
    settings: dict[str, Any] = {}


class Begin(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Carry out a request, as dialog `number`."""

    number: int
    request: Request
    known: Known


class AskHolds(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell whether a short form means this request."""

    number: int
    request: Request
    known: Known


class Handle(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Tell the handler `key` of an event."""

    number: int
    key: str
    event: Event
    known: Known


class Migrate(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Run the migration of this name, also while the answer to a `Uses` is waited for."""

    name: str


class Continue(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Go on with dialog `number`: with an answer, or, `cancelled`, without one."""

    number: int
    now: datetime
    value: SlotValue = None
    cancelled: bool = False


class Drop(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Forget dialog `number`; nothing comes back."""

    number: int


class Source(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A module that the skill imports; `code` is None where there is none of that name."""

    file: str = ""
    code: bytes | None = None
    package: bool = False


class Result(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a capability gave, encoded as its interface says."""

    value: bytes


class Fault(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a capability refused; it is raised in the skill as a `SkillError`."""

    code: str
    message: str


ToSkill = Load | Begin | AskHolds | Handle | Migrate | Continue | Drop | Source | Result | Fault


# ── from the skill ──────────────────────────────────────────────────────────────────────────
class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The skill is there; of its settings these are in force, and those count as not given."""

    manifest: SkillManifest
    settings: dict[str, Any] = {}
    bad_settings: tuple[BadSetting, ...] = ()
    migrations: tuple[str, ...] = ()


class Wants(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It imports a module, or, with `data`, reads that file of its own folder."""

    module: str = ""
    data: str = ""


class Uses(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It uses an operation of a capability."""

    capability: str
    operation: str
    arguments: bytes


class Asks(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Dialog `number` waits for the answer to a question, of which one of the three is given."""

    number: int
    text: str
    schema: SlotSchema | None = None
    options: tuple[str, ...] = ()
    confirm: bool = False


class Replied(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Dialog `number` is over."""

    number: int
    reply: Reply


class Held(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Whether the short form holds."""

    number: int
    holds: bool


class Handled(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The handler has come to its end."""

    number: int


class Migrated(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The migration has come to its end."""


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """It raised something; the process stands. `told` is what the exception says of itself."""

    code: str
    message: str
    told: str = ""


FromSkill = Loaded | Wants | Uses | Asks | Replied | Held | Handled | Migrated | Failed


class BrokenLineError(Exception):
    """The other end is gone, or sends what nobody agreed on; `slow` when it sends nothing."""

    def __init__(self, reason: str, slow: bool = False) -> None:
        super().__init__(reason)
        self.slow = slow


class RaisedThereError(Exception):
    """What was raised in a skill's own process, in its words, which may be the user's."""


class Line:
    """A stream socket on which frames come and go: a length of 4 bytes, then msgpack.

    `most_bytes` is the longest frame that is taken. Everything raises `BrokenLineError`.
    """

    def __init__(self, descriptor: int, kinds: Any, most_bytes: int) -> None:
        self.descriptor = descriptor
        self._decoder = msgspec.msgpack.Decoder(kinds)
        self._most_bytes = most_bytes

    def send(self, message: msgspec.Struct, until_s: float | None = None) -> None:
        """Send a message; waits no longer than until `until_s` of the monotonic clock."""
        frame = msgspec.msgpack.encode(message)
        view = memoryview(_LENGTH.pack(len(frame)) + frame)
        while view:
            _wait(self.descriptor, select.POLLOUT, until_s)
            try:
                view = view[os.write(self.descriptor, view) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise BrokenLineError("it has ended") from error

    def receive(self, until_s: float | None = None) -> Any:
        """The next message; waits no longer than until `until_s` of the monotonic clock."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, until_s))
        if length > self._most_bytes:
            raise BrokenLineError(f"it sent {length} bytes at once")
        try:
            return self._decoder.decode(self._read(length, until_s))
        except UNDECODABLE as error:
            raise BrokenLineError("it sent what is no message") from error

    def _read(self, count: int, until_s: float | None) -> bytes:
        content = bytearray()
        while len(content) < count:
            _wait(self.descriptor, select.POLLIN, until_s)
            try:
                piece = os.read(self.descriptor, count - len(content))
            except BlockingIOError:
                continue
            except OSError as error:
                raise BrokenLineError("it has ended") from error
            if not piece:
                raise BrokenLineError("it has ended")
            content += piece
        return bytes(content)


def _wait(descriptor: int, event: int, until_s: float | None) -> None:
    """Wait until the descriptor is ready; a confined process, which may not poll, just blocks."""
    if until_s is None:
        return
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, until_s - time.monotonic()) * 1000):
        raise BrokenLineError("it does not come to an end", slow=True)
