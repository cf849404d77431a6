"""Calendars written by an attacker: rules without days, and answers of a CalDAV server.

Each rule is judged, and each answer read, as the bridge does, within a second of work. Now and then
the file that the running daemon keeps gets such an event beside a good one, which must be found.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import ClassVar

from assistant.bridge.caldav.multistatus import Multistatus
from assistant.core.calendar.recurrence import FAULTS, require_followed
from assistant.core.calendar.series import Effort
from assistant.core.files import replace_file
from benchmarks.hostile.attack import changed
from benchmarks.hostile.conversation import Conversation
from benchmarks.hostile.target import Effects, Target

ASK_EVERY = 1_000
"""Blows between two questions to the daemon, each of which is spoken."""
MOST_S = 1.0
"""Most seconds of work for one blow, which an honest one takes a thousandth of."""
REPLY_S = 10.0
PIECE_BYTES = 65_536
LARGEST_BYTES = 2 << 20
GOOD = "zither lesson"

_FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY", "SECONDLY", "NEVER", "")
_DAYS = ("MO", "TU", "SU", "1MO", "-1FR", "53WE", "60SA", "XX")
_ANSWER = (
    '<D:multistatus xmlns:D="DAV:"><D:response><D:href>/anna/home/1.ics</D:href><D:propstat>'
    "<D:prop><D:getetag>1</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
    "</D:response></D:multistatus>"
)


class CalendarsAttack:
    """One rule or one answer a blow."""

    name: ClassVar[str] = "calendars"
    blows: ClassVar[int] = 20_000

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed, self.settings = seed, ""

    def open(self, target: Target) -> None:
        """Remember where the daemon's calendar is."""
        self._target = target

    def blow(self, number: int) -> str:
        """Judge the rule, or read the answer, of this number."""
        rng = random.Random(self._seed << 40 | number)
        if number % ASK_EVERY == 0:
            return self._asked(rng)
        hostile: Callable[[random.Random], object] = rng.choice((_judged, _read))
        began_s = time.process_time()
        hostile(rng)
        took_s = time.process_time() - began_s
        return f"{hostile.__name__} took {took_s:.1f} s" if took_s > MOST_S else ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change, as nothing was asked for that is no calendar's."""
        return changed(before, after)

    def close(self) -> None:
        """Nothing is open."""

    def _asked(self, rng: random.Random) -> str:
        """Have the daemon look for the good event among hostile ones."""
        events = [_event(str(n), "Bad", _rule(rng)) for n in range(rng.randrange(1, 20))]
        events.append(_event("good", GOOD, "FREQ=WEEKLY"))
        text = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{''.join(events)}END:VCALENDAR\r\n"
        replace_file(self._target.config.calendar_file, text.encode(), 0o600)
        with closing(Conversation(self._target.config.runtime_dir, "calendars")) as conversation:
            conversation.await_answer(REPLY_S)
            reply = conversation.say(f"delete the {GOOD} appointment", REPLY_S)
            conversation.say("no", REPLY_S)
        if reply is None or f"{GOOD} is every week" not in reply.text.casefold():
            return f"the good event was not found: {reply and reply.text!r}"
        return ""


def _judged(rng: random.Random) -> None:
    text = f"BEGIN:VCALENDAR\r\n{_event('1', 'Bad', _rule(rng))}END:VCALENDAR\r\n"
    try:
        require_followed(text, Effort())
    except FAULTS:
        return


def _read(rng: random.Random) -> None:
    answer = _mutated(rng).encode()[:LARGEST_BYTES]
    reader = Multistatus()
    try:
        for start in range(0, len(answer), PIECE_BYTES):
            reader.feed(answer[start : start + PIECE_BYTES])
        reader.resources()
    except ValueError:
        return


def _rule(rng: random.Random) -> str:
    parts = [f"FREQ={rng.choice(_FREQUENCIES)}"]
    numbers = {
        "INTERVAL": (0, 1, 2, 7, 400, 999_999_999),
        "COUNT": (0, 1, 9_999, 999_999),
        "BYMONTH": (0, 2, 12, 13),
        "BYMONTHDAY": (-31, 29, 30, 31),
        "BYYEARDAY": (-366, 60, 366),
        "BYWEEKNO": (1, 53, 60),
        "BYSETPOS": (-366, -1, 1, 2, 366),
        "BYHOUR": (0, 24),
    }
    for name, values in numbers.items():
        if rng.random() < 0.3:
            several = 1 if name in ("INTERVAL", "COUNT") else rng.choice((1, 1, 3, 300))
            parts.append(f"{name}={','.join(str(rng.choice(values)) for _ in range(several))}")
    if rng.random() < 0.5:
        parts.append(f"BYDAY={','.join(rng.sample(_DAYS, rng.randrange(1, 4)))}")
    if rng.random() < 0.2:
        parts.append(f"UNTIL={rng.choice(('19700101', '20300101T000000Z', '99991231'))}")
    rng.shuffle(parts)
    return ";".join(parts)


def _event(uid: str, title: str, rule: str) -> str:
    return (
        f"BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{title}\r\nDTSTART:20260106T190000\r\n"
        f"DTEND:20260106T200000\r\nRRULE:{rule}\r\nEND:VEVENT\r\n"
    )


def _mutated(rng: random.Random) -> str:
    name = rng.choice(("a", "D:response", "D:prop", "x" * 1000))
    times = rng.choice((1, 33, 10_000, LARGEST_BYTES // len(name)))
    inner = rng.choice((f"<{name}>", f"<{name}/>", f"<{name}></{name}>", f' {name}="1"', "&#x41;"))
    at = rng.randrange(len(_ANSWER))
    space = rng.choice(("DAV:", "D" * 100_000, ""))
    return f"{_ANSWER[:at]}{inner * times}{_ANSWER[at:]}".replace("DAV:", space)
