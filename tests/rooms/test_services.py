"""Wyoming's own client asks for words, a voice and an answer; a stand-in is the daemon."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk as Sound
from wyoming.audio import AudioStart
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.handle import Handled
from wyoming.info import Describe, Info, SelectProgram
from wyoming.ping import Ping, Pong
from wyoming.tts import Synthesize

from assistant.core.errors import ConfigError, RoomsError
from assistant.core.messages import (
    Asked,
    AudioChunk,
    SpokenReply,
    Transcript,
    Utterance,
)
from assistant.core.settings.hearing import ListeningSettings, WakeSettings
from assistant.core.settings.wyoming import PEER, WyomingSettings
from assistant.rooms import asking, wire
from assistant.rooms.description import description
from assistant.rooms.network import Network
from assistant.rooms.services import (
    AT_ONCE,
    MOST_CONNECTIONS,
    MOST_OF_ONE,
    is_among,
    networks,
)
from assistant.rooms.wake_words import WakeWords
from tests.support.pairing import NOBODY
from tests.support.processes import until
from tests.support.rooms import LOCAL, SECOND, House, heard

SETTINGS = (description("a", "b", ()), ListeningSettings(), WakeWords(WakeSettings()), NOBODY)


@pytest.fixture
def daemon() -> Iterator[House]:
    with closing(House()) as stand_in:
        yield stand_in


def test_it_tells_what_it_serves(daemon: House) -> None:
    (told,) = daemon.ask(Describe().event(), ends="info")
    info = Info.from_event(told)
    assert [program.name for program in (*info.asr, *info.tts, *info.handle)] == ["Hark"] * 3
    assert all(program.installed for program in (*info.asr, *info.tts, *info.handle))
    assert info.satellite is None


def test_a_ping_comes_back(daemon: House) -> None:
    (told,) = daemon.ask(Ping("there?").event(), ends="pong")
    assert Pong.from_event(told).text == "there?"


def test_the_names_that_a_peer_tells_are_expected_in_its_next_sound(daemon: House) -> None:
    names = ["Quentin's  Lamp", "42", "Zoë", "x" * 80, "Stella"]
    wanted = Transcribe(transcript_names=names, transcript_terms=["Ottoman"]).event()
    daemon.ask(wanted, *heard(SECOND)[1:], *heard(SECOND)[1:], Ping().event(), ends="pong")
    (asked,) = (message for message in daemon.seen if isinstance(message, Asked))
    assert asked.answers == ("quentin's lamp", "stella", "ottoman")
    chunks = [message for message in daemon.seen if isinstance(message, AudioChunk)]
    ids = list(dict.fromkeys(chunk.utterance_id for chunk in chunks))
    follow = [{c.follows == asked.utterance_id for c in chunks if c.utterance_id == i} for i in ids]
    assert follow == [{True}, {False}]


def test_names_must_be_texts(daemon: House) -> None:
    wanted = Event("transcribe", {"transcript_names": [1]})
    (told,) = daemon.ask(wanted, ends="error")
    assert Error.from_event(told).code == "rooms.event"


def test_sound_becomes_words_that_nobody_acts_on(daemon: House) -> None:
    (told,) = daemon.ask(*heard(SECOND[:1000], SECOND, SECOND[:6]), ends="transcript")
    assert Transcribed.from_event(told).text == "33006 bytes"
    (end,) = (message for message in daemon.seen if isinstance(message, Utterance))
    assert (end.dictated, end.peer) == (True, PEER)
    assert end.duration_s == pytest.approx(33006 / 32_000, abs=0.001)


def test_silence_is_no_words(daemon: House) -> None:
    (told,) = daemon.ask(*heard(), ends="transcript")
    assert Transcribed.from_event(told).text == ""


def test_of_a_long_sound_the_first_minute_is_heard(
    daemon: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LONGEST_S", 2.0)
    (told,) = daemon.ask(*heard(*[SECOND] * 5), ends="transcript")
    assert Transcribed.from_event(told).text == "64000 bytes"


def test_one_connection_may_ask_again(daemon: House) -> None:
    told = daemon.ask(*heard(SECOND), *heard(SECOND * 1, SECOND), Ping().event(), ends="pong")
    assert [Transcribed.from_event(one).text for one in told[:2]] == ["32000 bytes", "64000 bytes"]


def test_a_text_is_spoken(daemon: House) -> None:
    told = daemon.ask(Synthesize("hello").event(), ends="audio-stop")
    assert AudioStart.from_event(told[0]).rate == 8000
    sound = b"".join(Sound.from_event(one).audio for one in told[1:-1])
    assert sound == b"hello" * 10_000
    assert max(len(one.payload or b"") for one in told) <= 8192


def test_a_sound_that_begins_anew_leaves_nothing_open(daemon: House) -> None:
    told = daemon.ask(*heard(SECOND)[:-1], *heard(SECOND * 2), ends="transcript")
    assert Transcribed.from_event(told[0]).text == "64000 bytes"
    ends = [message for message in daemon.seen if isinstance(message, Utterance)]
    assert len({end.utterance_id for end in ends}) == 2


def test_what_answers_a_question_for_a_secret_is_one(daemon: House) -> None:
    daemon.replies = [SpokenReply(utterance_id="", text="What is the PIN?", secret=True)]
    daemon.ask(Transcribed("unlock the door").event(), ends="handled")
    daemon.ask(*heard(SECOND), ends="transcript")
    daemon.replies = [SpokenReply(utterance_id="", text="I unlocked it.")]
    daemon.ask(Transcribed("one two three four").event(), ends="handled")
    daemon.ask(Transcribed("thanks").event(), ends="handled")
    kept = [m.secret for m in daemon.seen if isinstance(m, (Transcript, Utterance))]
    assert kept == [False, True, True, False]
    assert all(m.secret for m in daemon.seen if isinstance(m, AudioChunk))


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (Transcribed("x" * 5001).event(), "rooms.text"),
        (AudioStart(44_100, 2, 2).event(), "rooms.format"),
        (SelectProgram("whisper").event(), "rooms.program"),
        (Event("select-program", {}), "rooms.event"),
        (Event("synthesize", {}), "rooms.event"),
        (Event("audio-start", {"rate": 16_000}), "rooms.event"),
        (Event("transcript", {"text": 7}), "rooms.event"),
    ],
)
def test_what_cannot_be_served_is_one_error_and_the_connection_goes_on(
    daemon: House, event: Event, code: str
) -> None:
    told = daemon.ask(event, Ping().event(), ends="pong")
    assert [Error.from_event(one).code for one in told[:-1]] == [code]


def test_a_daemon_that_does_not_answer_is_told(
    daemon: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ANSWERS_S", 0.1)
    (told,) = daemon.ask(Transcribed("hello").event(), ends="error")
    assert Error.from_event(told).code == "rooms.unanswered"


def test_events_that_change_nothing_are_passed_over(daemon: House) -> None:
    (told,) = daemon.ask(
        Event("played"), SelectProgram("Hark").event(), Ping().event(), ends="pong"
    )
    assert told.type == "pong"


def test_who_leaves_in_mid_sentence_leaves_nothing_open(daemon: House) -> None:
    async def leave() -> None:
        async with AsyncTcpClient("127.0.0.1", daemon.services.port) as client:
            for event in heard(SECOND)[:-1]:
                await client.write_event(event)

    asyncio.run(leave())
    until(lambda: any(isinstance(message, Utterance) for message in daemon.seen))
    assert Transcribed.from_event(daemon.ask(*heard(SECOND), ends="transcript")[0]).text


def test_one_that_breaks_off_is_no_news_and_one_that_breaks_the_rules_is(
    daemon: House, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(daemon.services.port) as line:
        line.sendall(b'{"type": "ping"}\n')
        assert b"pong" in line.recv(1000)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until(lambda: daemon.services.connections == 0)
    assert not caplog.records
    with connected(daemon.services.port) as line:
        line.sendall(b"GET / HTTP/1.1\n")
        assert closes(line)
    assert "it sends no event" in caplog.text


def test_its_own_end_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    network = Network(WyomingSettings(allow=LOCAL, address="127.0.0.1", port=0), *SETTINGS)
    with connected(network.services.port) as line:
        until(lambda: network.services.connections == 1)
        network.close()
        assert closes(line)
    assert not caplog.records


def connected(port: int, address: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 10, (address, 0))


def test_whoever_is_not_named_gets_nothing() -> None:
    settings = WyomingSettings(allow=("192.168.77.0/24",), address="127.0.0.1", port=0)
    network = Network(settings, *SETTINGS)
    with closing(network), connected(network.services.port) as line:
        line.sendall(b'{"type": "describe"}\n')
        assert closes(line)


def closes(line: socket.socket) -> bool:
    """Whether the other end closes without a word."""
    line.settimeout(10)
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    ("callers", "each", "one_more"),
    [
        (1, MOST_OF_ONE, "127.0.0.1"),
        (MOST_CONNECTIONS, 1, "127.0.0.77"),
    ],
)
def test_a_crowd_is_turned_away_and_those_before_it_are_served(
    daemon: House, callers: int, each: int, one_more: str
) -> None:
    services = daemon.services
    addresses = [f"127.0.0.{number}" for number in range(1, callers + 1)]
    lines = [connected(services.port, address) for address in addresses for _ in range(each)]
    until(lambda: services.connections == len(lines))
    with connected(services.port, one_more) as line:
        assert closes(line)
    lines[0].sendall(b'{"type": "ping"}\n')
    assert b"pong" in lines[0].recv(1000)
    for line in lines:
        line.close()
    until(lambda: services.connections == 0)
    daemon.ask(Ping().event(), ends="pong")


def test_greedy_addresses_make_room_for_another(daemon: House) -> None:
    services = daemon.services
    addresses = [f"127.0.0.{number}" for number in range(1, 5)]
    lines = [connected(services.port, one) for one in addresses for _ in range(16)]
    until(lambda: services.connections == len(lines) == MOST_CONNECTIONS)
    with connected(services.port, "127.0.0.77") as line:
        line.sendall(b'{"type": "ping"}\n')
        assert b"pong" in line.recv(1000)
        assert services.connections == MOST_CONNECTIONS
    for line in lines:
        line.close()
    until(lambda: services.connections == 0)


def test_one_that_takes_nothing_is_hung_up_on_and_holds_no_connection(
    daemon: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(wire, "WHOLE_S", 0.2)
    monkeypatch.setattr(wire, "LEAVES_S", 0.2)
    with connected(daemon.services.port) as deaf:
        until(lambda: daemon.services.connections == 1)
        deaf.setblocking(False)

        def asks_in_vain() -> bool:
            with suppress(OSError):
                deaf.send(b'{"type": "describe"}\n' * 1000)
            return daemon.services.connections == 0

        until(asks_in_vain)
        assert "it takes no event in time" in caplog.text
        deaf.settimeout(10)
        with suppress(ConnectionResetError):
            while deaf.recv(1 << 20):  # what was on its way, and then the end
                pass


def test_one_that_does_not_take_its_speech_keeps_nobody_waiting(
    daemon: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "WHOLE_S", 0.5)
    text = "This is a sentence. " * 200
    asked = json.dumps({"type": "synthesize", "data": {"text": text}}).encode() + b"\n"
    deaf = [connected(daemon.services.port, f"127.0.0.{number}") for number in range(2, 8)]
    for line in deaf:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(asked)
    until(lambda: any(isinstance(one, SpokenReply) for one in daemon.seen))
    told = daemon.ask(Synthesize("hello").event(), ends="audio-stop")
    assert b"".join(Sound.from_event(one).audio for one in told[1:-1]) == b"hello" * 10_000
    until(lambda: daemon.services.connections == 0)  # all were hung up on
    spoken = sum(isinstance(one, SpokenReply) for one in daemon.seen)
    assert spoken < 200  # of 1,200 sentences
    for line in deaf:
        line.close()


def test_one_that_asks_too_much_keeps_nobody_else_waiting(daemon: House) -> None:
    # A daemon that never answers: all turns of the one are taken, and those of the other are not.
    greedy = [connected(daemon.services.port, "127.0.0.2") for _ in range(2 * AT_ONCE)]
    for line in greedy:
        line.sendall(b'{"type": "transcript", "data": {"text": "hello"}}\n')
    until(lambda: sum(isinstance(one, Transcript) for one in daemon.seen) == AT_ONCE)
    daemon.replies = [SpokenReply(utterance_id="", text="Hello.")]
    *_, told = daemon.ask(Transcribed("hello").event(), ends="handled")
    assert Handled.from_event(told).text == "Hello."
    for line in greedy:
        line.close()


@pytest.mark.parametrize(
    ("address", "is_let_in"),
    [
        ("192.168.1.20", True),
        ("192.168.2.20", False),
        ("10.0.0.7", True),
        ("::ffff:10.0.0.7", True),
        ("fe80::1%eth0", True),
        ("fd00::1", False),
    ],
)
def test_addresses_and_networks_are_let_in(address: str, is_let_in: bool) -> None:
    allowed = networks(("192.168.1.0/24", "10.0.0.7", "fe80::/64"))
    assert is_among(address, allowed) is is_let_in


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"wyoming\.allow: 'kitchen'"):
        Network(WyomingSettings(allow=("kitchen",)), *SETTINGS)


def test_a_port_that_is_taken_is_told(daemon: House) -> None:
    taken = WyomingSettings(allow=LOCAL, address="127.0.0.1", port=daemon.services.port)
    with pytest.raises(RoomsError, match="cannot listen at 127"):
        Network(taken, *SETTINGS)
