"""The connection to Home Assistant, which is restored when it fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import msgspec

from assistant.bridge.authorities import trusting
from assistant.bridge.complaints import Complaints
from assistant.bridge.described import described_text
from assistant.bridge.home_assistant.description import describe, is_running, read_states
from assistant.bridge.home_assistant.forecasts import Forecasts
from assistant.bridge.home_assistant.lists import Lists
from assistant.bridge.home_assistant.reports import State, plain, reported
from assistant.bridge.home_assistant.services import Call, calls
from assistant.bridge.home_assistant.session import (
    RefusedError,
    Session,
    lived,
    opened,
)
from assistant.bridge.home_assistant.token import read_token
from assistant.bridge.kept import KeptLink
from assistant.bridge.link import FRESH_S
from assistant.bridge.sensors.inputs import SensorInputs
from assistant.core.clock import boottime_s
from assistant.core.errors import UNDECODABLE, BridgeError, ConfigError
from assistant.core.messages import HomeCommand, HomeDescribed, ReportedAttributes
from assistant.core.network.origin import Origin
from assistant.core.sensors.described import Sensors
from assistant.core.settings.home_assistant import HomeAssistantSettings

DONE_S = 3.0
"""Seconds in which a service mostly answers; then it is asked whether the call has come at all."""
TAKEN_S = 5.0
WAITING_COMMANDS = 256
"""Most commands of which Home Assistant has not yet told what became of them."""
MEASURED_EVERY_S = 30.0
"""Seconds within which what sensors measure waits for other news: each report goes to the disk."""
FORECASTS_EVERY_S = 1800.0
"""Seconds after which the weather's forecasts are read again."""
DESCRIBE_AFTER_S = 2.0
"""Seconds after a change of names before they are read: a change mostly comes with others."""
REGISTRIES = tuple(f"{name}_registry_updated" for name in ("area", "floor", "entity", "device"))
STARTED = "homeassistant_started"

log = logging.getLogger(__name__)


class _Changed(msgspec.Struct):
    entity_id: str
    new_state: State | None = None


class _Event(msgspec.Struct):
    event_type: str
    data: msgspec.Raw


class HomeAssistant(KeptLink):
    """Home Assistant, with the states of `entity_ids`; None follows all that it describes.

    What becomes of the devices of `sensors` is passed on as values.
    """

    def __init__(
        self,
        settings: HomeAssistantSettings,
        entity_ids: Iterable[str] | None = None,
        sensors: Sensors | None = None,
    ) -> None:
        self._token_file = Path(settings.token_file).expanduser()
        super().__init__(log, "home assistant", self._token_file)
        self._origin = origin(settings)
        self._tls = tls(settings)
        self._describes = entity_ids is None
        self._followed = frozenset(entity_ids or ())
        self._sensors = SensorInputs(sensors or Sensors(), self.values)
        self._complaints = Complaints(log)
        self._forecasts = Forecasts(self._offer, self._complaints)
        self._lists = Lists(self._offer, self._complaints)
        self._session: Session | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._on_their_way: set[int] = set()
        self._last: dict[str, tuple[str, ReportedAttributes]] = {}
        self._kept: dict[str, tuple[str, ReportedAttributes]] = {}
        self._flushes: asyncio.TimerHandle | None = None
        self._names_changed = asyncio.Event()
        self._is_running = False
        self._start()

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Report the states of these devices, or of those that it describes itself, anew.

        The daemon may have had other devices when it was told.
        """
        self._loop.call_soon_threadsafe(self._follow, frozenset(entity_ids))

    def follow_sensors(self, described: Sensors) -> None:
        """Pass on what becomes of the devices of these sensors, and of no others."""
        self._sensors.follow(described)

    def publish(self, command: HomeCommand) -> None:
        """Have a service called.

        A change is not sent while Home Assistant is away, nor while it is on its way: the skills
        send it again. A command that is not a state is sent now or never. Raises `BridgeError` for
        what no service does, and when too many commands wait for their answer.
        """
        try:
            wanted = [] if command.items else calls(command)
        except BridgeError:
            self._conclude(command.ids, "unsent")
            raise
        if command.command and not self._may_send(command):
            self._conclude(command.ids, "unsent")
        elif self._present and not self._is_on_its_way(command):
            if len(self._on_their_way) >= WAITING_COMMANDS:
                message = f"Home Assistant answers no calls: {command.entity_id} was not told"
                raise BridgeError("bridge.full", message)
            self._on_their_way |= set(command.ids)
            self._loop.call_soon_threadsafe(self._begin, command, wanted)

    def _may_send(self, command: HomeCommand) -> bool:
        return self._present and command.given_at_s >= boottime_s() - FRESH_S

    def _is_on_its_way(self, command: HomeCommand) -> bool:
        return bool(command.ids) and self._on_their_way.issuperset(command.ids)

    # ── the thread of the connection ────────────────────────────────────────────────────────

    async def _once(self) -> None:
        """Stay connected; raises `BridgeError` for why that ended."""
        token = read_token(self._token_file)
        async with opened(self._origin, self._tls, token, self._heard, self._complaints) as session:
            try:
                await lived(session, self._origin, self._live(session))
            finally:
                for task in self._running:
                    task.cancel()
                await asyncio.gather(*self._running, return_exceptions=True)

    async def _live(self, session: Session) -> None:
        """Read all there is, then what changes of the names."""
        try:
            for event_type in ("state_changed", *REGISTRIES, STARTED):
                await session.ask("subscribe_events", event_type=event_type)
            self._is_running = await is_running(session)
            await self._read_all(session)
            await self._lists.follow(session, self._followed)
            self._session = session
            self._changed(True, "")
            while True:
                await self._forecasts.read(session, self._followed)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FORECASTS_EVERY_S):
                        await self._names_changed.wait()
                if self._names_changed.is_set():
                    await asyncio.sleep(DESCRIBE_AFTER_S)
                    await self._read_all(session)
                    await self._lists.follow(session, self._followed)
        finally:
            self._session = None

    async def _read_all(self, session: Session) -> None:
        """Read the states, and what they are called."""
        self._names_changed.clear()
        states = await read_states(session)
        # While it starts it does not have all its devices yet.
        if self._describes and self._is_running:
            home = await describe(session, states)
            try:
                text = described_text(home)
            except BridgeError as error:
                self._complaints.of("home assistant", f"{error.message} ({error.code})")
            else:
                self._followed = frozenset(entity.id for entity in home.entities)
                self._offer(HomeDescribed(text=text))
        self._last.clear()
        for state in states:
            self._take(state)
        self._flush()
        self._wake()

    def _follow(self, entity_ids: frozenset[str]) -> None:
        if not self._describes:
            self._followed = entity_ids
        self._names_changed.set()

    # ── what happens there ──────────────────────────────────────────────────────────────────

    def _heard(self, content: msgspec.Raw) -> None:
        try:
            event = msgspec.json.decode(content, type=_Event)
            if event.event_type == "state_changed":
                self._state_changed(msgspec.json.decode(event.data, type=_Changed))
            elif event.event_type == STARTED:
                self._is_running = True
                self._names_changed.set()
            elif event.event_type in REGISTRIES:
                self._names_changed.set()
        except UNDECODABLE as error:
            told = f"sends an event that is none: {type(error).__name__} (bridge.payload)"
            self._complaints.of("home assistant", told)

    def _state_changed(self, changed: _Changed) -> None:
        if (now := changed.new_state) is not None:
            self._sensors.hear_state(now.entity_id, now.state, partial(_attribute, now))
        gone = State(entity_id=changed.entity_id, state="unavailable")
        if not self._take(changed.new_state or gone):
            return
        if not changed.entity_id.startswith("sensor."):
            self._flush()
        elif self._flushes is None:
            self._flushes = self._loop.call_later(MEASURED_EVERY_S, self._flush)

    def _take(self, told: State) -> bool:
        """Keep a device's report for the next `_flush`; whether it tells anything new."""
        if told.entity_id not in self._followed:
            return False
        try:
            report = reported(told)
        except ValueError as error:
            self._complaints.of(told.entity_id, f"no state of a device: {error} (bridge.payload)")
            return False
        if self._last.get(told.entity_id) == report:
            return False
        self._last[told.entity_id] = self._kept[told.entity_id] = report
        return True

    def _flush(self) -> None:
        """Let what was kept wait for the daemon, with what sensors have measured meanwhile."""
        if self._flushes is not None:
            self._flushes.cancel()
            self._flushes = None
        kept, self._kept = self._kept, {}
        states = {entity_id: state for entity_id, (state, _) in kept.items()}
        self._report(states, {entity_id: told for entity_id, (_, told) in kept.items()})

    # ── what is to happen there ─────────────────────────────────────────────────────────────

    def _begin(self, command: HomeCommand, wanted: list[Call]) -> None:
        task = self._loop.create_task(self._carry_out(command, wanted))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(partial(self._cut_off, command))

    def _cut_off(self, command: HomeCommand, task: asyncio.Task[None]) -> None:
        """Conclude a command whose connection was lost before its first step, which never came."""
        if task.cancelled():
            if command.command:
                self._conclude(command.ids, "unsent")
            self._on_their_way -= set(command.ids)
            self._wake()

    async def _carry_out(self, command: HomeCommand, wanted: list[Call]) -> None:
        begun = False
        try:
            session = self._session
            if session is None or (command.command and not self._may_send(command)):
                if command.command:
                    self._conclude(command.ids, "unsent")
                return
            begun = True
            if command.items:
                await self._lists.change(session, command.entity_id, command.items)
            for call in wanted:
                await _called(session, call)
            self._conclude(command.ids, "sent")
        except RefusedError as error:
            # Of a list its code alone, as the rest may quote an item.
            why = str(error).partition(":")[0] if command.items else error
            self._complaints.of(command.entity_id, f"a call fails: {why} (bridge.refused)")
            self._conclude(command.ids, "failed")
        except TimeoutError:
            if command.command or command.items:
                self._conclude(command.ids, "unsure")
        except (BridgeError, asyncio.CancelledError):
            # Of a change nothing is known: it will be sent again.
            if begun and command.command:
                self._conclude(command.ids, "unsure")
        finally:
            self._on_their_way -= set(command.ids)
            if command.items:  # after what became of it, in whose place this is
                self._lists.tell()
            self._wake()


def _attribute(told: State, name: str) -> object:
    return plain(told.attributes.get(name, msgspec.Raw(b"null")))


async def _called(session: Session, call: Call) -> None:
    """Have a service called; a slow one has been called once what was sent after it is answered.

    Raises as `Session.ask`.
    """
    try:
        await session.ask("call_service", DONE_S, **call.fields())
    except TimeoutError:
        await session.ask("ping", TAKEN_S)


def origin(settings: HomeAssistantSettings) -> Origin:
    """The address of Home Assistant; raises `ConfigError` for one that is none."""
    try:
        return Origin.read(settings.url)
    except ValueError as error:
        raise ConfigError("bridge.url", f"home_assistant.url: {error}") from error


def tls(settings: HomeAssistantSettings) -> ssl.SSLContext | None:
    """A context that trusts the system's authorities, and the given one; None without https.

    Raises `ConfigError` for a file without certificates.
    """
    if origin(settings).scheme != "https":
        return None
    return trusting(settings.ca_file, "home_assistant.ca_file")
