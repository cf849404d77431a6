"""A skill's own process: it imports the skill and carries out requests, as far as it may.

It can open nothing, so modules come over its line too. What it uses of the home, the timers and
so on is done by the assistant, which checks every call.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec
from pathlib import PurePath
from types import FrameType, ModuleType
from typing import Any, TypeVar

import msgspec

from assistant.core.errors import AssistantError, SkillError, UnreachableError
from assistant.skill import Cancelled, Context, Dialog, Skill
from assistant.skill.context import Request
from assistant.skill.home import Home
from assistant.skill.log import LOGGER, SkillLog
from assistant.skill.reply import Ask, AskCommands, Choose, Query
from assistant.skill.settings import BadSetting, read_settings
from assistant.skill.signature import convert, schema_of
from assistant.skill.storage import Storage
from skills.boundary import Boundary
from skills.deadline import Overdue
from skills.isolation.capabilities import LOG, NEEDED, TABLES, refused, remote
from skills.isolation.wire import (
    CANCELLED,
    LARGEST_TO_SKILL_BYTES,
    AskHolds,
    Asks,
    Begin,
    BrokenLineError,
    Continue,
    Drop,
    Failed,
    Fault,
    Handle,
    Handled,
    Held,
    Known,
    Line,
    Load,
    Loaded,
    Migrate,
    Migrated,
    Replied,
    Result,
    Source,
    ToSkill,
    Uses,
    Wants,
)

MOVE_S = 2.5
"""Seconds until the skill's code is interrupted; the assistant itself waits a little longer."""
AGAIN_S = 0.1
LONGEST_MESSAGE = 1000

Given = TypeVar("Given")


def serve(handle: int) -> None:
    """Serve until the line breaks."""
    line = Line(handle, ToSkill, LARGEST_TO_SKILL_BYTES)
    served = _Served(line)
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, _Modules(line)]
    signal.signal(signal.SIGALRM, _interrupt)
    try:
        while True:
            served.take(line.receive())
    except BrokenLineError:
        return


class _Served:
    def __init__(self, line: Line) -> None:
        self._line = line
        self._skill = Skill("")
        self._capabilities: dict[str, Any] = {}
        self._settings: msgspec.Struct | None = None
        self._dialogs: dict[int, _Open] = {}

    def take(self, message: ToSkill) -> None:
        match message:
            case Load():
                self._answer(
                    lambda: self._loaded(message), message.within_s, message.where, tells=True
                )
            case Begin():
                self._answer(lambda: self._begun(message), MOVE_S, self._what(message.request))
            case AskHolds():
                self._answer(lambda: self._held(message), MOVE_S, self._what(message.request))
            case Handle():
                what = f'skill "{self._name}", handler {message.key.partition(" ")[0]}'
                self._answer(lambda: self._handled(message), MOVE_S, what)
            case Continue():
                self._answer(lambda: self._continued(message), MOVE_S, f'skill "{self._name}"')
            case Drop():
                if opened := self._dialogs.pop(message.number, None):
                    self._answer(opened.closed, MOVE_S, f'skill "{self._name}"', silent=True)

    @property
    def _name(self) -> str:
        return self._skill.name

    def _what(self, request: Request) -> str:
        return f'skill "{self._name}", intent {request.intent}'

    def _answer(
        self,
        act: Callable[[], Any],
        seconds: float,
        what: str,
        *,
        tells: bool = False,
        silent: bool = False,
    ) -> None:
        """Send what `act` gives, or what it raised."""
        try:
            with Boundary(what, self._name, tells):
                answer = _within(seconds, act)
        except Cancelled:
            answer = Failed(code=CANCELLED, message=what)
        except AssistantError as error:
            told = _told(error.__cause__) if error.__cause__ is not None else ""
            message = error.message[:LONGEST_MESSAGE]
            answer = Failed(code=error.code, message=message, told=told[:LONGEST_MESSAGE])
        if silent:
            return
        try:
            self._line.send(answer)
        except (TypeError, ValueError, RecursionError) as error:
            message = f"{what}: gave what cannot be sent ({type(error).__name__})"
            self._line.send(Failed(code="skill.reply", message=message))

    def _loaded(self, order: Load) -> Loaded:
        module = importlib.import_module(order.module)
        found = getattr(module, order.attribute, None)
        if not isinstance(found, Skill):
            raise SkillError("skill.entry_point", f"{order.where}: {order.attribute} is no Skill")
        self._skill = found
        self._capabilities = {
            name: remote(name, self._use) if needed in order.capabilities else refused(name, needed)
            for name, needed in NEEDED.items()
        }
        manifest = found.manifest()
        bad: tuple[BadSetting, ...] = ()
        if found.settings is not None:
            self._settings, bad = read_settings(found.settings, order.settings)
        self._hear_log()
        values = msgspec.to_builtins(self._settings) if self._settings is not None else {}
        return Loaded(
            manifest=manifest,
            settings=values,
            bad_settings=bad,
            migrations=tuple(step.__name__ for step in found.migrations),
        )

    def _hear_log(self) -> None:
        """Send on what the skill writes to its log."""
        logger = logging.getLogger(f"{LOGGER}.{self._name}")
        logger.handlers[:] = [_LogHandler(remote(LOG, self._use))]
        logger.setLevel(logging.DEBUG)
        logger.propagate = False

    def _use(self, capability: str, operation: str, arguments: bytes) -> bytes:
        asked = Uses(capability=capability, operation=operation, arguments=arguments)
        self._line.send(asked)
        while isinstance(answer := self._line.receive(), Migrate):
            self._migrate(answer)
        if isinstance(answer, Fault):
            if answer.code == UnreachableError.CODE:
                raise UnreachableError(answer.message)
            raise SkillError(answer.code, answer.message)
        if not isinstance(answer, Result):
            raise BrokenLineError("it was sent something else")
        return answer.value

    def _migrate(self, order: Migrate) -> None:
        """Run a migration within what runs already."""
        what = f'skill "{self._name}", migration {order.name}'
        self._answer(lambda: self._migrated(order.name), MOVE_S, what)

    def _migrated(self, name: str) -> Migrated:
        step = next(step for step in self._skill.migrations if step.__name__ == name)
        step(self._capabilities[TABLES])
        return Migrated()

    def _begun(self, order: Begin) -> Asks | Replied:
        opened = self._opened(order.known)
        opened.dialog = self._skill.call(order.request, opened.context)
        self._dialogs[order.number] = opened
        return self._moved(order.number, lambda: next(opened.dialog))

    def _continued(self, order: Continue) -> Asks | Replied:
        opened = self._dialogs.get(order.number)
        if opened is None:
            raise SkillError("skill.forgotten", f'skill "{self._name}": it has forgotten that')
        opened.now = order.now
        if order.cancelled:
            return self._moved(order.number, lambda: opened.dialog.throw(Cancelled()))
        value = opened.converted(order.value)
        return self._moved(order.number, lambda: opened.dialog.send(value))

    def _moved(self, number: int, move: Callable[[], Query]) -> Asks | Replied:
        """The next question of a dialog, or its reply, with which it is over."""
        opened = self._dialogs.pop(number)
        try:
            opened.query = query = move()
        except StopIteration as end:
            # A mapping that may not be changed cannot be encoded.
            reply = msgspec.structs.replace(end.value, facts=dict(end.value.facts))
            return Replied(number=number, reply=reply)
        self._dialogs[number] = opened
        match query:
            case Ask():
                schema = schema_of("answer", query.answer)
                return Asks(number=number, text=str(query.text), schema=schema)
            case AskCommands():
                raise SkillError("skill.commands", "only a built-in skill may ask for commands")
            case Choose():
                return Asks(number=number, text=str(query.text), options=tuple(query.options))
        return Asks(number=number, text=str(query.text), confirm=True)

    def _opened(self, known: Known) -> _Open:
        return _Open(known, self._capabilities, self._settings, SkillLog(self._name))

    def _handled(self, order: Handle) -> Handled:
        context = self._opened(order.known).context
        self._skill.handle(order.key, order.event, context)
        return Handled(number=order.number)

    def _held(self, order: AskHolds) -> Held:
        opened = self._opened(order.known)
        holds = bool(self._skill.holds(order.request, opened.context))
        return Held(number=order.number, holds=holds)


class _Open:
    """A dialog, with the context that it sees."""

    dialog: Dialog
    query: Query

    def __init__(
        self,
        known: Known,
        capabilities: dict[str, Any],
        settings: msgspec.Struct | None,
        log: SkillLog,
    ) -> None:
        self.now = known.now
        own = {
            "home": _Named(known.named, capabilities["home"]),
            "storage": Storage(capabilities["storage"]),
        }
        self.context = Context(
            clock=lambda: self.now,
            area=known.area,
            settings=settings,
            log=log,
            **{**capabilities, **own},
        )

    def converted(self, value: Any) -> Any:
        if not isinstance(self.query, Ask):
            return value
        home = self.context.home
        return convert(value, self.query.answer, home.areas, home.entities, home.floors)

    def closed(self) -> None:
        self.dialog.close()


class _LogHandler(logging.Handler):
    """Writes a skill's lines where the assistant writes its own."""

    def __init__(self, lines: Any) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        self._lines.write(record.levelno, text.partition(": ")[2] or text)


class _Named:
    """The home as `HomeControl`: what it may use, or else what the request names."""

    def __init__(self, named: Home, control: Any) -> None:
        self._named, self._control = named, control

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._control, name)
        except SkillError:
            if name not in ("floors", "areas", "entities"):
                raise
            return getattr(self._named, name)


class _Modules(MetaPathFinder, Loader):
    """Imports what the assistant sends: modules of the skill's folder and the standard library."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._sources: dict[str, Source] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        source = self._asked(Wants(module=fullname))
        if source.code is None:
            return None
        self._sources[fullname] = source
        folder = [str(PurePath(source.file).parent)] if source.package else None
        return importlib.util.spec_from_file_location(
            fullname, source.file, loader=self, submodule_search_locations=folder
        )

    def exec_module(self, module: ModuleType) -> None:
        source = self._sources[module.__name__]
        code = compile(source.code or b"", source.file, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102 - this is how a module is imported

    def get_source(self, fullname: str) -> str:
        """A module's text, for whoever inspects it, such as for the docstrings of settings."""
        return (self._sources[fullname].code or b"").decode(errors="replace")

    def get_data(self, path: str) -> bytes:
        """A file of the skill's folder, for `pkgutil.get_data`."""
        source = self._asked(Wants(data=path))
        if source.code is None:
            raise FileNotFoundError(path)
        return source.code

    def _asked(self, wants: Wants) -> Source:
        self._line.send(wants)
        answer = self._line.receive()
        return answer if isinstance(answer, Source) else Source()


def _within(seconds: float, act: Callable[[], Given]) -> Given:
    """What `act` gives; raises `Overdue` when it takes longer, again and again until it ends.

    Within another such call the time of that one goes on afterwards.
    """
    begun_s, left_s = time.monotonic(), 0.0
    try:
        left_s, _ = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
        return act()
    finally:
        left_s = left_s and max(left_s - (time.monotonic() - begun_s), AGAIN_S)
        signal.setitimer(signal.ITIMER_REAL, left_s, AGAIN_S)


def _told(error: BaseException) -> str:
    """What an exception says of itself; the skill's own class may fail to."""
    return "".join(traceback.format_exception_only(error)).partition(": ")[2].strip()


def _interrupt(_: int, __: FrameType | None) -> None:
    raise Overdue
