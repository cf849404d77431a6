"""A satellite that stops reading is hung up on, and served when it comes back."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from assistant.core.messages import (
    PlaybackEnded,
    RoomTimer,
    RoomTimers,
    SatelliteChanged,
    SpokenReply,
)
from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.rooms import wire
from assistant.rooms.base import satellite as connection
from benchmarks.hostile.wyoming.honest import INFO
from tests.rooms.test_base import said_in
from tests.support.plain_satellite import PlainSatellite
from tests.support.processes import until
from tests.support.stand_in_daemon import StandIn

DESCRIBED = json.dumps({"type": "info", "data": INFO}).encode() + b"\n"
TIMERS = RoomTimers(
    area="deaf",
    timers=tuple(
        RoomTimer(id=f"t{n}", name="x" * 60, total_s=600.0, left_s=500.0, paused=False)
        for n in range(100)
    ),
)


class Deaf:
    """A satellite that tells what it is, and from then on reads nothing."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.port: int = self._server.getsockname()[1]
        self.lines: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        for one in (self._server, *self.lines):
            one.close()

    def _run(self) -> None:
        try:
            while True:
                line, _ = self._server.accept()
                line.sendall(DESCRIBED)
                self.lines.append(line)
        except OSError:
            pass  # closed


@pytest.fixture
def things(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr(connection, "AGAIN_S", 0.05)
    monkeypatch.setattr(wire, "LEAVES_S", 0.2)
    with ExitStack() as opened:
        yield opened


def test_one_that_takes_nothing_is_hung_up_on_and_called_again(things: ExitStack) -> None:
    deaf = things.enter_context(closing(Deaf()))
    kitchen = things.enter_context(closing(PlainSatellite()))
    named = {
        name: SatelliteSettings(address="127.0.0.1", port=port)
        for name, port in (("deaf", deaf.port), ("kitchen", kitchen.port))
    }
    daemon = things.enter_context(closing(StandIn(WyomingSettings(satellites=named))))
    until(lambda: not any(daemon.network.base.lacks(name) for name in named))
    before = len(deaf.lines)
    for _ in range(20):  # more than the system takes, and than may wait
        daemon.tells(TIMERS)
    until(lambda: len(deaf.lines) > before)
    until(lambda: not daemon.network.base.lacks("deaf"))
    daemon.replies = [SpokenReply(utterance_id="", text="ok")]
    said_in(kitchen)
    until(lambda: any(isinstance(one, PlaybackEnded) for one in daemon.seen))
    changes = [one for one in daemon.seen if isinstance(one, SatelliteChanged)]
    assert all(one.present for one in changes if one.satellite == "kitchen")
    assert [one.present for one in changes if one.satellite == "deaf"][:3] == [True, False, True]
