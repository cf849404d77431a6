"""Calendars: a server's answers over CalDAV, and the file with its rules."""

from __future__ import annotations

import asyncio
import atexit
import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.bridge.caldav.session import LARGEST_ANSWER_BYTES, MULTISTATUS, Session
from assistant.core.calendar.recurrence import FAULTS
from assistant.core.calendar.series import Effort
from assistant.core.errors import BridgeError, SkillError
from assistant.core.network.origin import Origin
from benchmarks.hostile.parsers.parser import Parser
from skills.capabilities.calendar.file import LARGEST_BYTES
from skills.capabilities.calendar.store import StoredCalendar
from skills.capabilities.calendar.text import events_in, plain
from skills.later.timing import Timing
from skills.state import open_state

NOW = datetime(2026, 11, 29, 12, tzinfo=ZoneInfo("Europe/Berlin"))
WEEKS = timedelta(days=14)
PIECE_BYTES = 65_536
"""Bytes of an answer that come at a time."""
_HREF = "/cal/1.ics"


# ── the file ────────────────────────────────────────────────────────────────────────────────


@cache
def _file() -> tuple[Path, StoredCalendar]:
    folder = tempfile.TemporaryDirectory(prefix="hark-parsers-")
    _kept.append(folder)
    path = Path(folder.name) / "calendar.ics"
    timing = Timing(lambda: NOW, "boot")
    database = open_state(None)
    atexit.register(database.close)
    return path, StoredCalendar(database, path, timing, lambda _: None)


_kept: list[Any] = []


def _read_file(content: bytes) -> bool:
    path, calendar = _file()
    path.write_bytes(content)
    while True:
        try:
            for event in (*calendar.between(NOW, NOW + WEEKS), *calendar.coming()):
                event.title.encode()
                event.then.encode()
            return True
        except SkillError as error:
            if error.code != "calendar.reading":
                raise


def _rule(rng: random.Random) -> bytes:
    """A rule of parts that may go together or not, at a start that may be of any year."""
    parts = rng.sample(_PARTS, rng.choice((0, 1, 2, 3, 5)))
    several = [b"%s=%s" % (name, _values(values, rng)) for name, values in parts]
    rule = b";".join([b"FREQ=" + rng.choice(_FREQUENCIES), *several])
    start = rng.choice(
        (b"20261124T090000", b"20260101", b"00010101", b"99991231T235959Z", b"16000229")
    )
    kind = b";VALUE=DATE" if len(start) == 8 else rng.choice((b"", b";TZID=Europe/Berlin"))
    lines = [b"DTSTART%s:%s" % (kind, start), b"RRULE:" + rule]
    lines += rng.choice(((), (b"EXDATE%s:%s" % (kind, start),), (b"RRULE:" + rule,) * 3))
    return _CALENDAR % (_EVENT % (b"rule", b"\r\n".join(lines)))


def _values(values: tuple[bytes, ...], rng: random.Random) -> bytes:
    return b",".join(rng.choices(values, k=rng.choice((1, 1, 2, 12, 60))))


_FREQUENCIES = (
    b"DAILY",
    b"WEEKLY",
    b"MONTHLY",
    b"YEARLY",
    b"DAILY",
    b"HOURLY",
    b"SECONDLY",
    b"NEVER",
)
_PARTS = (
    (b"BYSETPOS", (b"366", b"-366", b"2", b"1", b"-1")),
    (b"BYMONTH", (b"2", b"1", b"12", b"13")),
    (b"BYMONTHDAY", (b"31", b"30", b"29", b"-31", b"1")),
    (b"BYDAY", (b"MO", b"5MO", b"-5SU", b"53TU", b"XX", b"WE")),
    (b"BYWEEKNO", (b"53", b"-53", b"1", b"54")),
    (b"BYYEARDAY", (b"366", b"-366", b"1", b"367")),
    (b"BYHOUR", (b"9", b"23", b"24")),
    (b"INTERVAL", (b"1", b"0", b"-1", b"1461", b"99999999", b"9" * 30)),
    (b"COUNT", (b"1", b"0", b"99999999", b"-5")),
    (b"UNTIL", (b"20261231", b"20261231T000000Z", b"00010101", b"99991231", b"20269999")),
    (b"WKST", (b"SU", b"MO", b"XX")),
)


def _many(size: int) -> bytes:
    each = _EVENT % (b"%06d", b"DTSTART:20261130T090000\r\nRRULE:FREQ=WEEKLY;BYDAY=MO")
    return _CALENDAR % b"".join(each % number for number in range(max(1, size // (len(each) + 2))))


_CALENDAR = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n%sEND:VCALENDAR\r\n"
_EVENT = b"BEGIN:VEVENT\r\nUID:%s\r\nSUMMARY:Dentist\r\n%s\r\nEND:VEVENT\r\n"
_MOVED = (
    b"DTSTART;TZID=Europe/Berlin:20261124T090000\r\nDTEND;TZID=Europe/Berlin:20261124T100000\r\n"
    b"RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20271231T235959Z\r\nEXDATE;TZID=Europe/Berlin:20261225T090000"
)
_ZONE = (
    b"BEGIN:VTIMEZONE\r\nTZID:Own/Zone\r\nBEGIN:STANDARD\r\nDTSTART:19961027T030000\r\n"
    b"TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\n"
    b"END:STANDARD\r\nEND:VTIMEZONE\r\n"
)
_SAMPLES = (
    _CALENDAR
    % (_EVENT % (b"1", b"DTSTART;VALUE=DATE:20261201\r\nDURATION:P2D\r\nSTATUS:CONFIRMED")),
    _CALENDAR % (_EVENT % (b"2", _MOVED)),
    _CALENDAR
    % (
        _EVENT
        % (b"3", b"DTSTART:20261130T090000\r\nRRULE:FREQ=DAILY;COUNT=9\r\nRDATE:20261224T100000")
        + _EVENT % (b"3", b"RECURRENCE-ID:20261201T090000\r\nDTSTART:20261201T110000")
    ),
    _CALENDAR
    % (_ZONE + _EVENT % (b"4", b"DTSTART;TZID=Own/Zone:20261201T090000\r\nDESCRIPTION:a\r\n b")),
)
_PIECES = (
    *(
        b"BEGIN:VEVENT\r\n",
        b"END:VEVENT\r\n",
        b"BEGIN:VALARM\r\n",
        b"END:VALARM\r\n",
        b"END:VCALENDAR\r\n",
    ),
    *(
        b"BEGIN:VTIMEZONE\r\n",
        b"UID:",
        b"UID:1\r\n",
        b"RRULE:FREQ=DAILY\r\n",
        b"DTSTART:20261130\r\n",
    ),
    *(
        b"EXDATE:20261201T090000\r\n",
        b"RDATE:20261201T090000\r\n",
        b"RECURRENCE-ID:20261201T090000\r\n",
    ),
    *(
        b"DURATION:P99999999D\r\n",
        b"DURATION:-P1D\r\n",
        b"DURATION:PT9999999999999S\r\n",
        b"\r\n ",
        b"\r\n\t",
    ),
    *(
        b";TZID=",
        b";TZID=Mars/Base",
        b";VALUE=DATE",
        b"VALUE=PERIOD:",
        b"19700101T000000Z/P1D",
        b"\\,",
        b"\\n",
    ),
    *(
        b"BYDAY=MO,",
        b"BYSETPOS=366;",
        b"FREQ=YEARLY;",
        b"COUNT=",
        b"UNTIL=",
        b"99991231T235959Z",
        b"00010101",
    ),
    *(
        b"DTEND:00010101T000000\r\n",
        b"DTSTART;TZID=Europe/Berlin:99991231T235959\r\n",
        b"SUMMARY:x\r\n",
    ),
    *(
        b"RDATE;VALUE=PERIOD:20261201T090000Z/PT1H\r\n",
        b"ATTENDEE;CN=x:mailto:x\r\n",
        b"STATUS:CANCELLED\r\n",
    ),
)
CALENDAR = Parser(
    read=_read_file,
    refusals=(SkillError,),
    samples=_SAMPLES,
    honest=_many,
    pieces=_PIECES,
    nests=((b"BEGIN:VEVENT\r\n", b"END:VEVENT\r\n"), (b"BEGIN:X\r\n", b"END:X\r\n")),
    attacks=(_rule,),
    largest=LARGEST_BYTES,
)


# ── the server ──────────────────────────────────────────────────────────────────────────────


class _Answer:
    status = MULTISTATUS

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def aiter_stream(self) -> AsyncIterator[bytes]:
        for begin in range(0, len(self._content), PIECE_BYTES):
            yield self._content[begin : begin + PIECE_BYTES]


class _Pool:
    """A server that gives the same answer to everything."""

    content = b""

    @asynccontextmanager
    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[_Answer]:
        yield _Answer(self.content)


@cache
def _server() -> tuple[_Pool, Session, asyncio.Runner]:
    pool: Any = _Pool()
    return pool, Session(Origin.read("http://127.0.0.1:5232"), "/cal/", pool, ""), asyncio.Runner()


def _read_answer(content: bytes) -> bool:
    pool, session, runner = _server()
    pool.content = content
    return runner.run(_asked(session))


async def _asked(session: Session) -> bool:
    taken, refused = False, None
    try:
        taken = bool(await session.versions())
    except BridgeError as error:
        refused = error
    try:
        effort = Effort()
        for event in await session.read({_HREF: "1", "/cal/2.ics": "2"}):
            taken |= _is_followed(event.text, effort)
    except BridgeError as error:
        refused = error
    if refused is not None and not taken:
        raise refused
    return taken


def _is_followed(text: str, effort: Effort) -> bool:
    """Whether the skills would take the event over, as in `SharedCalendar`."""
    _, calendar = _file()
    try:
        ((uid, event),) = events_in(plain(text)).items()
        calendar.require_days(uid, event, effort)
    except FAULTS:
        return False
    return True


def _of_rule(rng: random.Random) -> bytes:
    return _MULTISTATUS % (_RESPONSE % (b"1", _rule(rng).replace(b"&", b"&amp;")))


def _answers(size: int) -> bytes:
    each = _LISTED % b"%06d"
    return _MULTISTATUS % b"".join(each % n for n in range(max(1, size // len(each))))


_MULTISTATUS = (
    b'<?xml version="1.0" encoding="utf-8"?>\n<d:multistatus xmlns:d="DAV:" '
    b'xmlns:c="urn:ietf:params:xml:ns:caldav">\n%s</d:multistatus>\n'
)
_LISTED = (
    b"<d:response><d:href>/cal/%s.ics</d:href><d:propstat><d:prop><d:getetag>&quot;1&quot;</d:getetag>"
    b"</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\n"
)
_RESPONSE = (
    b"<d:response><d:href>/cal/%s.ics</d:href><d:propstat><d:prop><c:calendar-data>%s"
    b"</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\n"
)
CALDAV = Parser(
    read=_read_answer,
    refusals=(BridgeError,),
    samples=(
        _answers(700),
        *(_MULTISTATUS % (_RESPONSE % (b"1", sample)) for sample in _SAMPLES),
    ),
    honest=_answers,
    pieces=(
        *(
            b"<d:response>",
            b"</d:response>",
            b"<d:prop>",
            b"</d:prop>",
            b"<d:href>",
            b"</d:href>",
            b"<a",
            b"</",
        ),
        *(
            b"<!DOCTYPE x [",
            b"<!ENTITY a 'aaaa'>",
            b"&a;",
            b"&#0;",
            b"&#xd800;",
            b"<![CDATA[",
            b"]]>",
        ),
        *(
            b"<!--",
            b"-->",
            b' a="1"',
            b' xmlns="urn:x"',
            b' xmlns:y="urn:x"',
            b"<d:status>HTTP/1.1 404 </d:status>",
        ),
        *(
            b"%2f",
            b"%00",
            b"%",
            b"http://[::1/",
            b"//x/cal/1.ics",
            b"/cal/../",
            b"/cal/2.ics",
            b"<?x ?>",
        ),
        *_PIECES,
    ),
    nests=((b"<a>", b"</a>"), (b"<d:response>", b"</d:response>"), (b'<a xmlns="urn:y">', b"</a>")),
    attacks=(_of_rule,),
    largest=LARGEST_ANSWER_BYTES + 1,
)
