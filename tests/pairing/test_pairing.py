"""A base and a satellite are paired over real sockets, and who sits between them is found out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from wyoming.event import Event

from assistant.core.errors import RoomsError
from assistant.pairing import at_base
from assistant.pairing.at_base import Place, begin, complete
from assistant.pairing.number import Number
from assistant.pairing.secret import of_number
from assistant.pairing.steps import TYPE, Begin, Confirm, Done, Share, Step, event_of, step_of
from assistant.pairing.trust import Trust
from assistant.rooms.wire import read_event, write_event
from tests.support.network import free_port
from tests.support.plain_satellite import PlainSatellite
from tests.support.running_satellite import HERE, RunningSatellite

NAME = "kitchen"
KEY = b"key of sixteen letters"


@pytest.fixture
def things(tmp_path: Path) -> Iterator[ExitStack]:
    """What is closed at the end, while the files are there."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def base(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "base")


def a_satellite(things: ExitStack, folder: Path, key: bytes | None = None) -> RunningSatellite:
    made = RunningSatellite(Trust(folder / "satellite"), key)
    things.callback(made.close)
    return made


def pair(base: Trust, place: Place, secret: bytes, *, by_key: bool = False) -> str:
    """Complete a pairing; the code of why it failed, "" where it did not."""
    try:
        asyncio.run(complete(place, secret, base, base.satellite(NAME), by_key=by_key))
    except RoomsError as error:
        return error.code
    return ""


def wrong(number: str) -> bytes:
    """Another number than this."""
    return of_number(f"{(int(number) + 1) % 1_000_000:06}")


def pinned(base: Trust, satellite: RunningSatellite) -> tuple[bool, bool]:
    """Whether the two sides have pinned anything."""
    pins = (base.satellite(NAME), satellite.trust.base)
    return pins[0].stamp is not None, pins[1].stamp is not None


def test_the_right_number_pairs(
    things: ExitStack, base: Trust, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    satellite = a_satellite(things, tmp_path)
    asyncio.run(begin(satellite.place, by_key=False))
    said = satellite.board.player.said
    assert said == [
        f"To pair me, type this number. {', '.join(satellite.number)}. Once more:"
        f" {', '.join(satellite.number)}."
    ]
    assert satellite.board.player.actions == ["heard"]
    assert f"it says {satellite.number}" in caplog.text
    assert pinned(base, satellite) == (False, False)

    assert pair(base, satellite.place, of_number(satellite.number)) == ""
    assert pinned(base, satellite) == (True, True)
    for trust in (base, satellite.trust):
        assert trust.identity.file.stat().st_mode & 0o777 == 0o600
    ours = base.satellite(NAME).read(), satellite.trust.base.read()
    assert ours == tuple(
        text[text.index("-----BEGIN CERT") :]
        for text in (t.identity.file.read_text() for t in (satellite.trust, base))
    )


def test_a_wrong_number_pairs_nobody_and_three_end_it(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)
    asyncio.run(begin(satellite.place, by_key=False))
    number = satellite.number
    codes = [pair(base, satellite.place, wrong(number)) for _ in range(3)]
    assert codes == ["pairing.wrong", "pairing.wrong", "pairing.spent"]
    assert pair(base, satellite.place, of_number(number)) == "pairing.number"
    with pytest.raises(RoomsError, match="it says another in"):
        asyncio.run(begin(satellite.place, by_key=False))
    assert pinned(base, satellite) == (False, False)


def test_the_right_number_pairs_after_two_wrong_ones(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)
    asyncio.run(begin(satellite.place, by_key=False))
    for _ in range(2):
        assert pair(base, satellite.place, wrong(satellite.number)) == "pairing.wrong"
    assert pair(base, satellite.place, of_number(satellite.number)) == ""


def test_a_number_cannot_be_tried_unheard(things: ExitStack, base: Trust, tmp_path: Path) -> None:
    satellite = a_satellite(things, tmp_path)
    assert pair(base, satellite.place, of_number("123456")) == "pairing.number"


def test_the_same_key_pairs_and_another_does_not(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path, KEY)
    asyncio.run(begin(satellite.place, by_key=True))
    assert satellite.board.player.said == []
    for _ in range(4):  # a key cannot be guessed
        assert pair(base, satellite.place, b"key another", by_key=True) == "pairing.wrong"
    assert pair(base, satellite.place, KEY, by_key=True) == ""
    assert pinned(base, satellite) == (True, True)


@pytest.mark.parametrize(("key", "by_key"), [(KEY, False), (None, True)])
def test_it_tells_how_it_is_paired(
    key: bytes | None, by_key: bool, things: ExitStack, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path, key)
    with pytest.raises(RoomsError, match="it is paired by "):
        asyncio.run(begin(satellite.place, by_key=by_key))


def test_a_paired_one_is_not_paired_again(things: ExitStack, base: Trust, tmp_path: Path) -> None:
    satellite = a_satellite(things, tmp_path, KEY)
    assert pair(base, satellite.place, KEY, by_key=True) == ""
    other = Trust(tmp_path / "other")
    with pytest.raises(RoomsError, match=r"hangs up: it is paired already|sends no event"):
        asyncio.run(begin(satellite.place, by_key=True))
    assert pair(other, satellite.place, KEY, by_key=True) != ""
    satellite.trust.base.forget()  # unpaired, it is again
    assert pair(other, satellite.place, KEY, by_key=True) == ""


def test_what_is_no_hark_is_told(things: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_base, "ANSWERS_S", 0.2)
    old = PlainSatellite()
    things.callback(old.close)
    with pytest.raises(RoomsError, match="only a Hark's satellite"):
        asyncio.run(begin((HERE, old.port), by_key=False))
    with pytest.raises(RoomsError, match="port"):
        asyncio.run(begin((HERE, free_port()), by_key=False))


# ── who sits between ────────────────────────────────────────────────────────────────────────

Change = Callable[[Event], Event]


@asynccontextmanager
async def between(port: int, change: Change) -> AsyncIterator[Place]:
    """Somebody who passes on each event, as `change` makes of it."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(RoomsError):
            while (event := await read_event(reader)) is not None:
                await write_event(change(event), writer)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there = await asyncio.open_connection(HERE, port)
        with suppress(asyncio.CancelledError):
            await asyncio.gather(pass_on(reader, there), pass_on(there_reader, writer))
        for one in (writer, there):
            one.close()
            with suppress(OSError):
                await one.wait_closed()

    tasks: list[asyncio.Task[None]] = []
    server = await asyncio.start_server(
        lambda *streams: tasks.append(asyncio.create_task(serve(*streams))), HERE, 0
    )
    try:
        yield HERE, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


def pair_through(base: Trust, satellite: RunningSatellite, change: Change) -> str:
    """As `pair`, with the right number, through somebody who changes events."""

    async def story() -> str:
        async with between(satellite.port, change) as place:
            await begin(place, by_key=False)
            secret = of_number(satellite.number)
            try:
                await complete(place, secret, base, base.satellite(NAME), by_key=False)
            except RoomsError as error:
                return error.code
            return ""

    return asyncio.run(story())


def test_who_only_passes_on_is_no_harm(things: ExitStack, base: Trust, tmp_path: Path) -> None:
    satellite = a_satellite(things, tmp_path)
    assert pair_through(base, satellite, lambda event: event) == ""
    assert pinned(base, satellite) == (True, True)


@pytest.mark.parametrize("sides", [("base",), ("satellite",), ("base", "satellite")])
def test_who_shows_a_certificate_of_their_own_is_found_out(
    sides: tuple[str, ...], things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)
    own = Trust(tmp_path / "between")
    own.identity.make()
    shares: list[Share] = []

    def swap(event: Event) -> Event:
        step = step_of(event)
        if not isinstance(step, Share):
            return event
        shares.append(step)
        if ("base", "satellite")[len(shares) - 1] not in sides:
            return event
        return event_of(msgspec.structs.replace(step, certificate=own.identity.certificate))

    assert pair_through(base, satellite, swap) == "pairing.wrong"
    assert len(shares) == 2
    assert pinned(base, satellite) == (False, False)


def test_who_lets_the_satellite_confirm_nothing_pairs_neither(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)
    confirms: list[Confirm] = []

    def echo(event: Event) -> Event:
        step = step_of(event)
        if isinstance(step, Confirm):
            confirms.append(step)
            return event_of(confirms[0])  # the satellite's is replaced by the base's own
        return event

    assert pair_through(base, satellite, echo) == "pairing.between"
    assert pinned(base, satellite) == (False, False)


def test_a_base_that_was_not_told_the_end_pairs_by_trying_again(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)

    def lose(event: Event) -> Event:
        return Event("ping") if isinstance(step_of(event), Done) else event

    assert pair_through(base, satellite, lose) != ""
    assert pinned(base, satellite) == (True, False)
    assert pair(base, satellite.place, of_number(satellite.number)) == ""
    assert pinned(base, satellite) == (True, True)


@pytest.mark.parametrize(
    "event",
    [
        Event(TYPE, {}),
        Event(TYPE, {"type": "begin", "version": 99, "by_key": False}),
        Event(TYPE, {"type": "share", "share": "AA==", "certificate": "AA==", "by_key": False}),
        Event(TYPE, {"type": "share", "share": "?", "certificate": "", "by_key": False}),
        Event(TYPE, {"type": "share", "share": "A" * 9000, "certificate": "", "by_key": False}),
        event_of(Confirm(b"")),
        event_of(Done()),
    ],
)
def test_other_steps_are_refused_and_pair_nobody(
    event: Event, things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    satellite = a_satellite(things, tmp_path)

    async def story() -> Event | None:
        reader, writer = await asyncio.open_connection(HERE, satellite.port)
        await write_event(event, writer)
        answer = await read_event(reader, 10)
        writer.close()
        return answer

    asyncio.run(begin(satellite.place, by_key=False))
    answer = asyncio.run(story())
    assert answer is None or answer.data["type"] == "refused"
    assert pair(base, satellite.place, of_number(satellite.number)) == ""


def test_a_number_has_its_own_tries_whoever_takes_them(
    things: ExitStack, base: Trust, tmp_path: Path
) -> None:
    number = Number()
    satellite = RunningSatellite(Trust(tmp_path / "satellite"), number=number)
    things.callback(satellite.close)
    asyncio.run(begin(satellite.place, by_key=False))

    async def leave_early() -> None:
        reader, writer = await asyncio.open_connection(HERE, satellite.port)
        step = Share(False, b"A" + bytes([2] + [0] * 31), b"")
        await write_event(event_of(step), writer)
        await read_event(reader, 10)
        writer.close()

    for left in (2, 1, 0):
        asyncio.run(leave_early())
        assert number.left == left


@pytest.mark.parametrize("step", [Begin(2, by_key=True), Share(False, b"\x00a", b"b"), Done()])
def test_a_step_is_the_same_after_it_was_sent(step: Step) -> None:
    assert step_of(event_of(step)) == step
