"""The calendar and its collection elsewhere, kept in step: what one side changed, the other gets.

An event differs from what both sides last had alike where it was changed since. So nothing that
waits to be sent is kept anywhere else, and nothing is lost, whichever process ends and whenever:

| changed here          | changed there         | becomes                                          |
|-----------------------|-----------------------|--------------------------------------------------|
| added, moved          | no                    | is put there                                     |
| removed               | no                    | is removed there                                 |
| no                    | added, moved, removed | is taken over                                    |
| moved                 | moved                 | is as there, which is announced                  |
| moved                 | removed               | is put there again, which is announced           |
| removed               | moved                 | is as there, which is announced                  |

Only what was removed by voice is removed there. An event that the file has lost comes back.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from assistant.core.calendar.messages import CollectedEvent, EventChange
from assistant.core.calendar.recurrence import FAULTS
from assistant.core.calendar.series import Effort
from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import (
    CalendarChanged,
    CalendarCommand,
    CalendarReport,
    DeviceChanged,
    Message,
)
from assistant.skill.reply import Undo
from skills.capabilities.calendar.collected import NEW, Collected, CollectedEvents
from skills.capabilities.calendar.file import LARGEST_BYTES
from skills.capabilities.calendar.store import MOST_EVENTS, RESTORE, StoredCalendar
from skills.capabilities.calendar.text import alike, events_in, plain, zones_in
from skills.later.timing import Timing

DEVICE = "calendar"
"""What the collection is in a `DeviceChanged`."""
MOST_CHANGES = 50
"""Most changes of a command; the next one has the rest."""
LARGEST_CHANGE_BYTES = 65_536
"""Most bytes of an event that is sent."""
LARGEST_COMMAND_BYTES = 1 << 20
"""Most bytes of a command's events; a message has at most four times as much."""
SILENT_S = 300.0
"""Seconds after which a command with changes, of which nothing was reported, is sent again."""
REFUSED = "The server of your calendar did not take a change. I keep it here, and try again later."
CHANGED = "{title} was changed elsewhere as well, and I keep that: {then}."
BACK = "{title} was changed elsewhere after you deleted it, so I put it back: {then}."
KEPT = "{title} was deleted elsewhere after you changed it, so I keep it: {then}."
SEVERAL = "{count} events were changed both here and elsewhere. I keep what is there."

log = logging.getLogger(__name__)


class SharedCalendar:
    """The skills' `own` calendar in the file at `path`, and the collection at `url`, "" for none.

    The bridge reaches the collection. The present is that of `timing`; `announce` tells the user,
    unasked, what cannot be written, and what became of a change that met another.
    """

    def __init__(
        self,
        database: Database,
        path: Path | None,
        url: str,
        timing: Timing,
        announce: Callable[[str], object],
    ) -> None:
        self.own = StoredCalendar(database, path, timing, announce)
        self._database, self._announce = database, announce
        self._collected = CollectedEvents(database, url) if url else None
        self._there = self._warned = self._full = False
        self._to_look = False
        self._asked, self._asked_at_s = "", 0.0
        self._sent: dict[str, str] = {}
        """UID of each change of the last command → the text that it gives the event."""
        self._refused: dict[str, str] = {}

    @property
    def undoes(self) -> Mapping[str, Callable[[Undo], object]]:
        """What takes back which kind of undo."""
        return {RESTORE: self.own.take_back}

    def observe(self, message: Message, at_s: float) -> None:
        """Note whether the collection is reached, and take over what the bridge reports of it."""
        if self._collected is None:
            return
        match message:
            case CalendarReport(command_id=command_id) if command_id in ("", self._asked):
                self._take_over(message, self._collected)
            case DeviceChanged(device=device, present=present) if device == DEVICE:
                came = present and not self._there
                if came or at_s > self._asked_at_s + SILENT_S:
                    self._asked = ""
                    self._refused.clear()
                self._there = self._to_look = present

    def news(self, at_s: float) -> Iterator[Message]:
        """Write the file, and give what the others are to be told."""
        if self.own.write(at_s):
            self._to_look = True
            yield CalendarChanged()
        if self._collected is not None and self._there and self._to_look:
            yield from self._commands(at_s, self._collected)

    def deadline_s(self) -> float | None:
        """When `news` must be asked for next; None while nothing waits."""
        return self.own.deadline_s()

    def _commands(self, at_s: float, collected: CollectedEvents) -> Iterator[Message]:
        self._to_look = False
        if self._asked and self._sent:
            return  # its report comes first
        try:
            held = self.own.held()
        except SkillError:
            return  # the file cannot be read, which is told where it is
        known = list(collected)
        if self._restore(held, known) and self.own.write(at_s):
            yield CalendarChanged()
        by_uid = {one.uid: one for one in known if one.uid}
        changes = self._changes(held, by_uid)
        if self._asked and not changes:
            return
        self._asked, self._asked_at_s = uuid.uuid4().hex, at_s
        self._sent = {change.uid: held.get(change.uid, "") for change in changes}
        added = [uid for uid, text in self._sent.items() if text and uid not in by_uid]
        with self._database.uncounted(), self._database.transaction():
            for uid in added:  # so that its removal is known, whatever comes before the report
                collected.keep(
                    Collected(href=f"{NEW}{uid}", etag="", uid=uid, text=plain(self._sent[uid]))
                )
        yield CalendarCommand(
            id=self._asked,
            versions={event.href: event.etag for event in known if not event.is_new},
            changes=tuple(changes),
        )

    def _restore(self, held: Mapping[str, str], known: list[Collected]) -> bool:
        """Bring back what the file has lost, as one that is removed has; whether it lost any."""
        lost = [one for one in known if one.uid and not one.removed and one.uid not in held]
        if lost:
            log.warning("%d events that the calendar's file lost are restored", len(lost))
            with self._database.uncounted(), self._database.transaction():
                for one in lost:
                    self.own.take(one.uid, one.text)
        return bool(lost)

    def _changes(
        self, held: Mapping[str, str], by_uid: Mapping[str, Collected]
    ) -> list[EventChange]:
        """What was changed here and is not there yet, but for what the server refused."""
        found = []
        for uid, text in held.items():
            one = by_uid.get(uid)
            if one is None or one.is_new:
                found.append(EventChange(uid, "", "", text))
            elif plain(text) != one.text:
                found.append(EventChange(uid, one.href, one.etag, text))
        found += [
            EventChange(one.uid, one.href, one.etag, "")
            for one in by_uid.values()
            if one.removed and one.uid not in held and not one.is_new
        ]
        return list(self._fitting(found))

    def _fitting(self, found: Iterable[EventChange]) -> Iterator[EventChange]:
        """As many changes as a command holds, each with the whole calendar that its event needs."""
        count = size = 0
        for change in found:
            length = len(change.text.encode())
            if self._refused.get(change.uid) == change.text or length > LARGEST_CHANGE_BYTES:
                continue
            count, size = count + 1, size + length
            if count > MOST_CHANGES or size > LARGEST_COMMAND_BYTES:
                return
            text = self.own.alone(change.text) if change.text else ""
            yield msgspec.structs.replace(change, text=text)

    # ── what there is elsewhere ─────────────────────────────────────────────────────────────
    def _take_over(self, report: CalendarReport, collected: CollectedEvents) -> None:
        try:
            held = self.own.held()
        except SkillError:
            return  # it is reported again
        sent = {uid: self._sent[uid] for uid in report.done if uid in self._sent}
        known = {one.href: one for one in collected if not one.is_new}
        new = {one.uid: one for one in collected if one.is_new}
        said: list[str] = []
        effort = Effort()
        with self._database.uncounted(), self._database.transaction():
            for href in report.gone:
                if (one := known.pop(href, None)) is not None:
                    collected.forget(href)
                    # One that was removed there for us, and is here again since then, stays.
                    said += self._gone(one, held) if one.uid not in sent else ()
            taken = {one.uid: one.href for one in known.values() if one.uid}
            for event in report.events:
                before = known.get(event.href)
                uid, text = self._read(event, effort)
                if not uid or taken.setdefault(uid, event.href) != event.href:
                    collected.keep(_left_out(event, before))
                    continue
                if before is not None and before.uid != uid:  # another event in its place
                    said += self._gone(before, held) if before.uid else ()
                    before = None
                if (ours := new.pop(uid, None)) is not None:
                    collected.forget(ours.href)
                    if alike(ours.text, text):  # it came there from here
                        sent.setdefault(uid, ours.text)
                    before = ours
                said += self._came(collected, event, before, uid, text, held, sent)
            for one in new.values():
                if one.removed and one.uid not in self._sent:
                    collected.forget(one.href)  # it never came there
            self._say(said, [uid for uid in report.refused if uid in self._sent])
        self.own.begin()
        self._refused |= {uid: self._sent[uid] for uid in report.refused if uid in self._sent}
        self._asked, self._sent = "", {}
        self._to_look = True

    def _read(self, event: CollectedEvent, effort: Effort) -> tuple[str, str]:
        """The UID and the text of an event; two empty ones for what cannot be taken over."""
        if not event.text:  # the bridge has said why
            return "", ""
        try:
            (found,) = events_in(plain(event.text)).items()
            self.own.require_days(*found, effort)
        except FAULTS as error:
            why = type(error).__name__
            log.warning("the event at %a is left out: %s (calendar.event)", event.href, why)
            return "", ""
        return found

    def _came(
        self,
        collected: CollectedEvents,
        event: CollectedEvent,
        before: Collected | None,
        uid: str,
        text: str,
        held: dict[str, str],
        sent: Mapping[str, str],
    ) -> list[str]:
        """Take over an event that is new there, or has another version; what is to be said."""
        now = Collected(href=event.href, etag=event.etag, uid=uid, text=text)
        ours = plain(held.get(uid, ""))
        base = plain(sent.get(uid, before.text if before is not None else ""))
        removed = before is not None and before.removed and not ours
        if uid in sent and ours != base:  # it was changed again since it was sent
            collected.keep(msgspec.structs.replace(now, removed=removed))
            return []
        if not self._has_room(held, uid, text):
            collected.keep(_left_out(event, before))
            return []
        differs = ours != base and not alike(ours, text)
        collected.keep(now)
        if ours != text:
            zones = "".join(zones_in(plain(event.text)).values())
            self.own.take(uid, zones + text)
            held[uid] = text
        if uid in sent or not (differs or removed):
            return []
        return self._told(BACK if removed else CHANGED, uid, text)

    def _gone(self, one: Collected, held: dict[str, str]) -> list[str]:
        """Remove an event that is there no more, unless it was changed; what is to be said."""
        ours = plain(held.get(one.uid, ""))
        if not one.uid or not ours:
            return []
        if ours != one.text:
            return self._told(KEPT, one.uid, ours)
        self.own.take(one.uid, "")
        del held[one.uid]
        return []

    def _told(self, words: str, uid: str, text: str) -> list[str]:
        """What is said of an event that is still to come."""
        event = self.own.next_time(uid, text)
        if event is None:
            return []
        return [words.format(title=event.title, then=event.then)]

    def _say(self, said: list[str], refused: list[str]) -> None:
        if len(said) > 2:
            said = [SEVERAL.format(count=len(said))]
        for words in said:
            self._announce(words)
        if refused and not self._warned:
            self._announce(REFUSED)
        self._warned = self._warned or bool(refused)

    def _has_room(self, held: Mapping[str, str], uid: str, text: str) -> bool:
        """Whether the file may hold it, too; where it may not, that is logged."""
        size = sum(map(len, held.values())) + 2 * len(text)
        full = size > LARGEST_BYTES // 2 or (uid not in held and len(held) >= MOST_EVENTS)
        if full and not self._full:
            self._full = True
            log.error("the calendar is full; what is new elsewhere is left out (calendar.full)")
        return not full


def _left_out(event: CollectedEvent, before: Collected | None) -> Collected:
    """An event of which only the version is noted; one that was taken over before stays so."""
    now = Collected(href=event.href, etag=event.etag, uid="", text="")
    if before is None:
        return now
    return msgspec.structs.replace(before, href=event.href, etag=event.etag)
