"""The connection to a calendar's collection, which is restored when it fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.bridge.authorities import trusting
from assistant.bridge.caldav.session import BATCH, Fate, Session, opened
from assistant.bridge.complaints import Complaints
from assistant.bridge.kept import KeptLink
from assistant.bridge.password import read_password
from assistant.core.calendar.messages import CollectedEvent, EventChange
from assistant.core.calendar.recurrence import FAULTS, require_followed
from assistant.core.calendar.series import Effort, RuleError
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import CalendarCommand, CalendarReport, HomeCommand
from assistant.core.network.origin import Origin, split
from assistant.core.settings.calendar import CalendarSettings

DEVICE = "calendar"
"""What the collection is in a `DeviceChanged`."""
MOST_EVENTS = 5000
"""Most events that are told; of more the skills' calendar would not hold them."""
LARGEST_REPORT_BYTES = 1 << 20
"""Most bytes of events in a report; a message has at most four times as much."""

log = logging.getLogger(__name__)


class CalDav(KeptLink):
    """A collection, kept in step with what the skills' last command says that they have.

    It keeps nothing that a restart could lose: what was told and not taken down there is told
    again, as the next command does not have it.
    """

    def __init__(self, settings: CalendarSettings) -> None:
        file = settings.password_file
        self._password_file = Path(file).expanduser() if file else None
        super().__init__(log, DEVICE, self._password_file, device=DEVICE)
        self._settings = settings
        self._origin, self._path = collection(settings)
        self._tls = None
        if self._origin.scheme == "https":
            self._tls = trusting(settings.ca_file, "calendar.ca_file")
        self._complaints = Complaints(log)
        self._odd: set[str] = set()
        self._given: CalendarCommand | None = None
        self._wanted = asyncio.Event()
        self._command: CalendarCommand | None = None
        self._left: list[EventChange] = []
        self._fates: dict[str, tuple[Fate, str]] = {}
        """UID of each change that was tried → what became of it, and where its event is."""
        self._owes_answer = False
        self._tag, self._versions = "", dict[str, str]()
        self._start()

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Do nothing, as it has no devices."""

    def serves(self, entity_id: str) -> bool:
        """No device is reached by it."""
        return False

    def publish(self, command: HomeCommand) -> None:
        """Raise `BridgeError`, as it has no devices."""
        raise BridgeError("bridge.nobody", f"no calendar reaches {command.entity_id}")

    def share(self, command: CalendarCommand) -> bool:
        """Carry a command out, in place of the one before it."""
        self._given = command
        self._loop.call_soon_threadsafe(self._wanted.set)
        return True

    # ── the thread of the connection ────────────────────────────────────────────────────────

    async def _once(self) -> None:
        """Keep in step; raises `BridgeError` for why that ended."""
        password = None
        if self._password_file is not None:
            password = read_password(self._password_file, "calendar.password_file")
        self._tag = ""
        there = opened(self._origin, self._path, self._tls, self._settings.username, password)
        async with there as session:
            while True:
                self._wanted.clear()
                await self._keep_in_step(session)
                self._changed(True, "")
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._settings.interval_s):
                        await self._wanted.wait()

    async def _keep_in_step(self, session: Session) -> None:
        """Make the changes that are left, and tell what is otherwise there."""
        tag = await session.tag()
        command = self._take_up()
        if command is None:
            self._offer(CalendarReport(command_id=""))
            return
        while self._left:
            fate = await session.change(self._left[0])
            change = self._left.pop(0)
            self._fates[change.uid] = fate, change.href or session.place_of(change.uid)
        if self._owes_answer or not tag or tag != self._tag:
            self._versions = await session.versions()
            self._tag = tag
            if not all(self._versions.values()):
                self._tell_once("lists events without a version, which are left as they are here")
        await self._tell(session, command)

    async def _tell(self, session: Session, command: CalendarCommand) -> None:
        """Report what is not as the command says, and what became of its changes."""
        new = self._new(command.versions, {href for _, href in self._fates.values()})
        gone = await self._gone(session, command.versions)
        read = await session.read(dict(list(new.items())[:BATCH])) if new else []
        effort = Effort()
        events = [self._judged(event, effort) for event in read]
        if not (events or gone or self._owes_answer):
            return
        told = {*gone, *(event.href for event in events)}
        # A change that met no other, and was not made, was refused for another reason.
        refused = [
            uid
            for uid, (fate, href) in self._fates.items()
            if fate == "refused" or (fate == "differs" and href not in told)
        ]
        if refused and self._owes_answer:
            count = f"refuses {len(refused)} changes of the calendar (bridge.refused)"
            self._complaints.of(str(self._origin), count)
        self._offer(
            CalendarReport(
                command_id=command.id,
                events=_within(events),
                gone=gone,
                done=tuple(uid for uid, (fate, _) in self._fates.items() if fate == "done"),
                refused=tuple(refused),
            )
        )
        self._owes_answer = False

    async def _gone(self, session: Session, known: Mapping[str, str]) -> tuple[str, ...]:
        """Which of the known events are there no more.

        A list that leaves events out is not believed alone: what it leaves out is asked for, and if
        it names no known event at all, the server must deny each.
        """
        left_out = [(href, etag) for href, etag in known.items() if href not in self._versions]
        if not left_out:
            return ()
        some = dict(left_out[:BATCH])
        there = {event.href for event in await session.read(some)}
        names_known = len(left_out) < len(known)
        gone = [
            href
            for href in some
            if href not in there and (names_known or await session.is_gone(href))
        ]
        if kept := some.keys() - set(gone):
            self._versions |= dict.fromkeys(kept, "")
            self._tell_once("does not list events that it has, which stay here")
        return tuple(gone)

    def _judged(self, event: CollectedEvent, effort: Effort) -> CollectedEvent:
        """The event, without its text where its rule gives no days."""
        try:
            require_followed(event.text, effort)
        except RuleError as error:
            log.warning("the event at %s is left out: %s (bridge.event)", event.href, error)
            return CollectedEvent(event.href, event.etag, "")
        except FAULTS:  # the skills say what is wrong with it
            return event
        return event

    def _tell_once(self, what: str) -> None:
        """Log what is odd about the lists of this server, once."""
        if what not in self._odd:
            self._odd.add(what)
            log.warning("%s: %s (bridge.list)", self._origin, what)

    def _take_up(self) -> CalendarCommand | None:
        """The latest command, whose changes are not made yet if it is a new one."""
        if self._given is not self._command and self._given is not None:
            self._command = self._given
            self._left, self._fates = list(self._command.changes), {}
            self._owes_answer = bool(self._left)
        return self._command

    def _new(self, known: Mapping[str, str], first: set[str]) -> dict[str, str]:
        """Where there is another version than is known, those `first` at the beginning."""
        changed = {h: etag for h, etag in self._versions.items() if etag and known.get(h) != etag}
        room = MOST_EVENTS - sum(href in self._versions for href in known)
        added = [href for href in changed if href not in known]
        if len(added) > room:
            told = f"has more than {MOST_EVENTS} events; the rest is left out (bridge.full)"
            self._complaints.of(str(self._origin), told)
            for href in added[max(room, 0) :]:
                if href not in first:
                    del changed[href]
        return dict(sorted(changed.items(), key=lambda one: one[0] not in first))


def collection(settings: CalendarSettings) -> tuple[Origin, str]:
    """The server and the path of the collection; raises `ConfigError` for what names none."""
    try:
        origin, path = split(settings.url)
    except ValueError as error:
        raise ConfigError("bridge.url", f"calendar.url: {error}") from error
    if not path.startswith("/") or "?" in path:
        message = "calendar.url names no calendar of the server, such as .../anna/home/"
        raise ConfigError("bridge.url", message)
    return origin, path if path.endswith("/") else f"{path}/"


def _within(events: Iterable[CollectedEvent]) -> tuple[CollectedEvent, ...]:
    """As many of the events as a report holds."""
    size = 0
    kept: list[CollectedEvent] = []
    for event in events:
        size += len(event.text.encode("utf-8", "replace"))
        if kept and size > LARGEST_REPORT_BYTES:
            break
        kept.append(event)
    return tuple(kept)
