"""Of what others on the network send, little is read and less is kept."""

from __future__ import annotations

import asyncio

import pytest
from zeroconf import ServiceInfo

from assistant.core.errors import RoomsError
from assistant.rooms.discovery import multicast
from assistant.rooms.discovery.multicast import Guard, opened, pass_over_answers
from tests.support.multicast_dns import HERE, THERE, Others, name_of_its_own, on_loopback

QUESTION, ANSWER = bytes(12), b"\x00\x00\x84" + bytes(9)
FROM = (HERE, 5353)


class Kept(asyncio.DatagramProtocol):
    """Keeps what it gets."""

    def __init__(self) -> None:
        self.packets: list[bytes] = []

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.packets.append(data)


def test_a_flood_is_cut_off_and_the_next_second_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr(multicast, "boottime_s", lambda: now_s)
    guard = Guard(kept := Kept())
    for _ in range(multicast.MOST_A_SECOND + 50):
        guard.datagram_received(ANSWER, FROM)
    assert len(kept.packets) == multicast.MOST_A_SECOND
    now_s += 1
    guard.datagram_received(QUESTION, FROM)
    assert kept.packets[-1] == QUESTION


def test_answers_are_passed_over_where_questions_alone_count() -> None:
    guard = Guard(kept := Kept())
    guard.passes_over_answers = True
    for packet in (ANSWER, b"\x00", b"", QUESTION):
        guard.datagram_received(packet, FROM)
    assert kept.packets == [b"\x00", b"", QUESTION]


@pytest.mark.parametrize("passes_over", [False, True])
def test_what_zeroconf_reads_goes_through_the_guard(
    monkeypatch: pytest.MonkeyPatch, passes_over: bool
) -> None:
    on_loopback(monkeypatch)
    name = name_of_its_own()
    whole = f"{name}.{multicast.SERVICE}"

    async def known() -> bool:
        """Whether what others announce is kept."""
        async with opened([HERE]) as network:
            if passes_over:
                pass_over_answers(network)
            await asyncio.to_thread(others.announce, name, HERE, 10_700)
            async with asyncio.timeout(60):
                while not (found := network.zeroconf.cache.entries_with_name(whole)):
                    if passes_over:
                        break
                    await asyncio.sleep(0.01)
            return bool(found)

    with Others(THERE) as others:
        assert asyncio.run(known()) is not passes_over


def test_a_network_that_refuses_is_told() -> None:
    async def open_nowhere() -> None:
        async with opened(["203.0.113.200"]):
            pass

    with pytest.raises(RoomsError, match="multicast DNS fails: ") as raised:
        asyncio.run(open_nowhere())
    assert raised.value.code == "rooms.multicast"


def test_who_is_cancelled_again_while_it_says_goodbye_leaves_no_socket_open() -> None:
    async def cancelled_twice() -> list[bool]:
        opens = asyncio.get_running_loop().create_future()

        async def announces() -> None:
            async with opened([HERE]) as network:
                about = ServiceInfo(
                    multicast.SERVICE, f"{name_of_its_own()}.{multicast.SERVICE}", 10_700
                )
                await (await network.async_register_service(about))
                opens.set_result(network.zeroconf.engine)
                await asyncio.Event().wait()

        announcing = asyncio.create_task(announces())
        engine = await opens
        announcing.cancel()
        await asyncio.sleep(0.02)  # goodbyes take longer
        announcing.cancel()
        await asyncio.wait([announcing])
        assert announcing.cancelled()
        return [one.transport.is_closing() for one in (*engine.readers, *engine.senders)]

    closing = asyncio.run(cancelled_twice())
    assert closing
    assert all(closing)
