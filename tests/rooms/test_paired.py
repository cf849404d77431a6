"""A base and a Hark's satellite that are paired: encrypted, and with nobody else."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from wyoming.info import Describe

from assistant.core.messages import PlaybackEnded, PlaybackStarted, SpokenReply, Utterance, Woke
from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.pairing.at_base import begin, complete
from assistant.pairing.secret import of_number
from assistant.pairing.trust import Trust
from assistant.rooms.base import satellite as connection
from audio.frames import FRAME_S
from tests.support.pairing import paired
from tests.support.plain_satellite import PlainSatellite
from tests.support.processes import until
from tests.support.running_satellite import HERE, RunningSatellite
from tests.support.stand_in_daemon import StandIn
from tests.support.voices import silence, speech
from tests.support.wiretap import Wiretap

KITCHEN = "kitchen"
IN_PLAIN = b"run-satellite"
"""What a base says first; it stands in what is not encrypted."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are looked after, and made again, soon."""
    for name in ("AGAIN_S", "AGAIN_LATER_S", "PING_EVERY_S"):
        monkeypatch.setattr(connection, name, 0.05)


@pytest.fixture
def things(tmp_path: Path) -> Iterator[ExitStack]:
    """What is closed at the end, while the files are there."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def trusts(tmp_path: Path) -> tuple[Trust, Trust]:
    """What a base and its kitchen's satellite keep of each other."""
    return paired(tmp_path, KITCHEN)


class Kitchen:
    """A stand-in daemon, its satellite, and a wiretap between them."""

    def __init__(self, things: ExitStack, base: Trust, satellite: Trust) -> None:
        self._things, self.trusts = things, (base, satellite)
        self.satellite = self._started()
        self.wiretap = Wiretap(self.satellite.port)
        things.callback(self.wiretap.close)
        self.place = (HERE, self.wiretap.port)
        settings = SatelliteSettings(address=HERE, port=self.wiretap.port)
        self.daemon = StandIn(WyomingSettings(satellites={KITCHEN: settings}), base)
        things.callback(self.daemon.close)

    @property
    def there(self) -> bool:
        """Whether the base has its satellite."""
        return not self.daemon.network.base.lacks(KITCHEN)

    def restart(self) -> None:
        """Have the satellite start again."""
        port = self.satellite.port
        self.satellite.close()
        until(lambda: not self.there)
        self.satellite = self._started(port)

    def _started(self, port: int = 0) -> RunningSatellite:
        made = RunningSatellite(self.trusts[1], port=port)
        self._things.callback(made.close)
        return made


def says(kitchen: Kitchen, words: str) -> None:
    """Have the satellite hear its wake word and a command."""
    board, microphone = kitchen.satellite.board, kitchen.satellite.devices
    until(lambda: board.satellite.runs)
    board.wake.word = "computer"
    for samples in (*speech(words), *silence(1.5)):
        microphone.give(board.frame(samples))
        time.sleep(FRAME_S)


def test_a_room_works_as_in_plain_and_nobody_reads_along(
    things: ExitStack, trusts: tuple[Trust, Trust]
) -> None:
    kitchen = Kitchen(things, *trusts)
    until(lambda: kitchen.there)
    kitchen.daemon.replies = [SpokenReply(utterance_id="", text="ok")]
    says(kitchen, "turn on the light")
    said = until(lambda: [m for m in kitchen.daemon.seen if isinstance(m, Utterance)])[0]
    assert (said.peer, said.wake_word) == (KITCHEN, "computer")
    until(lambda: any(one.last for one in kitchen.satellite.board.player.sentences))
    kitchen.satellite.devices.give(
        PlaybackStarted(utterance_id="base-1"), PlaybackEnded(utterance_id="base-1")
    )
    until(lambda: [m for m in kitchen.daemon.seen if isinstance(m, PlaybackEnded)])
    assert [m.peer for m in kitchen.daemon.seen if isinstance(m, Woke)] == [KITCHEN]
    for word in (IN_PLAIN, b"detection", b"audio-chunk", b"computer"):
        assert word not in kitchen.wiretap.seen


def test_pairing_encrypts_what_was_read_along_and_unpairing_ends_it(
    things: ExitStack, tmp_path: Path
) -> None:
    base, satellite = Trust(tmp_path / "base"), Trust(tmp_path / "satellite")
    kitchen = Kitchen(things, base, satellite)
    until(lambda: kitchen.there)
    until(lambda: IN_PLAIN in kitchen.wiretap.seen)

    asyncio.run(begin(kitchen.place, by_key=False))
    number = of_number(kitchen.satellite.number)
    asyncio.run(complete(kitchen.place, number, base, base.satellite(KITCHEN), by_key=False))
    assert number.split()[1] not in kitchen.wiretap.seen
    until(lambda: not kitchen.there)
    kitchen.wiretap.seen = b""
    until(lambda: kitchen.there)
    assert kitchen.wiretap.seen
    assert IN_PLAIN not in kitchen.wiretap.seen

    assert base.satellite(KITCHEN).forget()
    assert satellite.base.forget()
    until(lambda: IN_PLAIN in kitchen.wiretap.seen)
    until(lambda: kitchen.there)


def test_who_calls_in_plain_gets_nothing(
    things: ExitStack, trusts: tuple[Trust, Trust], caplog: pytest.LogCaptureFixture
) -> None:
    satellite = RunningSatellite(trusts[1])
    things.callback(satellite.close)
    got = b""
    with socket.create_connection((HERE, satellite.port), 10) as caller, suppress(ConnectionError):
        caller.sendall(b'{"type": "describe"}\n')
        while data := caller.recv(4096):
            got += data
    assert b"{" not in got
    assert len(got) <= 7  # TLS's own alert
    until(lambda: "does not speak TLS as the paired base (rooms.trust)" in caplog.text)


def test_a_base_that_is_paired_says_nothing_to_one_in_plain(
    things: ExitStack, trusts: tuple[Trust, Trust], caplog: pytest.LogCaptureFixture
) -> None:
    impostor = PlainSatellite()
    things.callback(impostor.close)
    settings = SatelliteSettings(address=HERE, port=impostor.port)
    daemon = StandIn(WyomingSettings(satellites={KITCHEN: settings}), trusts[0])
    things.callback(daemon.close)
    until(lambda: impostor.connections >= 3)
    assert impostor.got == []
    assert daemon.network.base.lacks(KITCHEN)
    assert caplog.text.count("it does not speak TLS") == 1
    assert "rooms.trust" in caplog.text


def test_another_satellite_is_refused_and_the_right_one_comes_back(
    things: ExitStack, trusts: tuple[Trust, Trust], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    kitchen = Kitchen(things, *trusts)
    until(lambda: kitchen.there)
    file = trusts[1].identity.file
    right = file.read_bytes()
    file.unlink()
    trusts[1].identity.make()
    kitchen.restart()
    until(lambda: "it is another than the one that was paired (rooms.trust)" in caplog.text)
    assert not kitchen.there
    file.write_bytes(right)
    until(lambda: kitchen.there)


def test_another_base_is_refused_and_the_right_one_comes_back(
    things: ExitStack, trusts: tuple[Trust, Trust], caplog: pytest.LogCaptureFixture
) -> None:
    file = trusts[0].identity.file
    right = file.read_bytes()
    file.unlink()
    trusts[0].identity.make()
    kitchen = Kitchen(things, *trusts)
    until(lambda: "another than the paired base calls (rooms.trust)" in caplog.text)
    until(lambda: "it refuses this base, as if it was paired with another" in caplog.text)
    assert not kitchen.there
    file.write_bytes(right)
    until(lambda: kitchen.there)


def test_a_base_that_lost_its_pairing_is_told_so(
    things: ExitStack, trusts: tuple[Trust, Trust], caplog: pytest.LogCaptureFixture
) -> None:
    trusts[0].satellite(KITCHEN).forget()
    kitchen = Kitchen(things, *trusts)
    until(lambda: caplog.text.count("speak TLS as the paired base (rooms.trust)"))
    until(lambda: "it hangs up: it is paired, or knows another address" in caplog.text)
    assert not kitchen.there
    assert Describe().event().type.encode() in kitchen.wiretap.seen  # and was not answered
    assert b'"info"' not in kitchen.wiretap.seen
