"""The real daemon's calendar is that of a CalDAV server, which the bridge reaches for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from assistant.core.config import load_config
from assistant.doctor.servers import servers
from tests.support.processes import until
from tests.support.radicale import USER, Radicale, event, password_file
from tests.support.scenario import (
    Daemon,
    Do,
    Expect,
    Say,
    Spoken,
    bridged,
    documents_of,
    quiet,
    tell,
)

pytestmark = pytest.mark.e2e

GONE = {"device": "calendar", "present": False}


@pytest.fixture
def radicale(tmp_path: Path) -> Iterator[Radicale]:
    with Radicale.running(tmp_path) as there:
        yield there


@pytest.fixture
def daemon(tmp_path: Path, radicale: Radicale) -> Iterator[Daemon]:
    settings = (
        f'[calendar]\nurl = "{radicale.url}"\nusername = "{USER}"\n'
        f'password_file = "{password_file(tmp_path)}"\ninterval_s = 1\n'
    )
    with quiet(tmp_path, settings) as started, bridged(started, "calendar") as reached:
        yield reached


def test_what_is_said_is_there_and_what_is_there_is_told(
    daemon: Daemon, radicale: Radicale
) -> None:
    tomorrow = date.today() + timedelta(days=1)
    choir = event("choir", "Choir", f"{tomorrow:%Y%m%d}T200000")
    tell(
        daemon,
        [
            Say("computer, put dinner on the calendar tomorrow at six"),
            Expect("Reply", {"text": "in your calendar tomorrow at 6 pm", "acted": True}),
            Spoken(),
            Do("look there", lambda _: until(lambda: "SUMMARY:Dinner" in radicale.whole())),
            Do("from a phone", lambda _: radicale.put("choir", choir)),
            Expect("CalendarChanged", within_s=30),
            Do("until both are read", lambda daemon: until(lambda: _are_read(daemon))),
            Say("computer, what is on tomorrow"),
            Expect("Reply", {"text": "Choir at 8 pm"}, within_s=60),
            Spoken(within_s=60),
            Do("look for the server", _finds_it),
            Do("end it", lambda _: radicale.stop()),
            Expect("DeviceChanged", GONE, within_s=60),
            Do("look for the server", _misses_it),
            Say("computer, undo that"),
            Expect("Reply", {"text": "Shall I undo that?", "listen": True}),
            Spoken(),
            Say("yes"),
            Expect("Reply", {"text": "I took that back."}, within_s=60),
            Spoken(within_s=60),
            Do("begin it again", lambda _: radicale.start()),
            Do("look there", lambda _: until(lambda: "SUMMARY:Dinner" not in radicale.whole())),
        ],
    )
    assert "SUMMARY:Choir" in radicale.whole()


def _are_read(daemon: Daemon) -> bool:
    """Whether the answers know both events: until then they tell what they read before."""
    return [(one["passages"], one["unencoded"]) for one in documents_of(daemon)] == [(2, 0)]


def _finds_it(daemon: Daemon) -> None:
    (finding,) = servers(load_config((daemon.config,))[0])
    assert (finding.name, finding.ok) == ("calendar", True)


def _misses_it(daemon: Daemon) -> None:
    (finding,) = servers(load_config((daemon.config,))[0])
    assert not finding.ok
    assert "nothing answers there" in finding.detail
    assert finding.remedy == "see [calendar] in the settings, and whether it runs"
