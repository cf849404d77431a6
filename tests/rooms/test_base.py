"""Existing Wyoming satellites are rooms of a stand-in daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import TypeVar

import numpy as np
import pytest
from wyoming.asr import Transcript as Transcribed
from wyoming.event import Event
from wyoming.info import Info
from wyoming.pipeline import PipelineStage, RunPipeline

from assistant.core.messages import (
    AudioChunk,
    BargeIn,
    Message,
    NothingHeard,
    PlaybackEnded,
    PlaybackStarted,
    SatelliteChanged,
    Speech,
    SpokenReply,
    Utterance,
    Woke,
)
from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.rooms.base import satellite as connection
from assistant.rooms.wake_words import AT_ONCE
from tests.support.network import free_port
from tests.support.plain_satellite import PlainSatellite, about
from tests.support.processes import until
from tests.support.stand_in_daemon import StandIn
from tests.support.voices import silence, speech

HELLO = "turn on the light"
RING = Speech(
    utterance_id="r1",
    sequence=0,
    samples=bytes(8000),
    rate_hz=8000,
    text="ring",
    last=True,
    peer="kitchen",
)
M = TypeVar("M", bound=Message)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are made again soon, and satellites may be slow on a busy machine."""
    monkeypatch.setattr(connection, "AGAIN_S", 0.05)
    monkeypatch.setattr(connection, "AGAIN_LATER_S", 0.05)
    monkeypatch.setattr(connection, "SILENT_S", 60.0)


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


class House:
    """A stand-in daemon, and a satellite for each of the rooms."""

    def __init__(self, things: ExitStack, **satellites: PlainSatellite) -> None:
        self.satellites = satellites
        for one in satellites.values():
            things.callback(one.close)
        named = {
            name: SatelliteSettings(address="127.0.0.1", port=one.port, area=f"the {name}")
            for name, one in satellites.items()
        }
        self.daemon = StandIn(WyomingSettings(satellites=named))
        things.callback(self.daemon.close)

    def of(self, kind: type[M], peer: str = "") -> list[M]:
        """The messages of a kind that came, and which room they name."""
        return [
            one
            for one in self.daemon.seen
            if isinstance(one, kind) and (not peer or getattr(one, "peer", "") == peer)
        ]

    def one(self, kind: type[M], peer: str = "") -> M:
        """The first message of a kind, which may be still to come."""
        return until(lambda: self.of(kind, peer))[0]

    def ready(self) -> House:
        """Wait until the satellites are there."""
        base = self.daemon.network.base
        until(lambda: not any(base.lacks(name) for name in self.satellites))
        return self

    def answers(self, text: str, listen: bool = False) -> None:
        """Answer all that is said with a text."""
        self.daemon.replies = [SpokenReply(utterance_id="", text=text, listen=listen)]


def kitchen(things: ExitStack, supports_trigger: bool = False) -> tuple[House, PlainSatellite]:
    """A house with one satellite, which is there."""
    satellite = PlainSatellite(about(supports_trigger))
    return House(things, kitchen=satellite).ready(), satellite


def said_in(satellite: PlainSatellite) -> None:
    """Have a satellite hear a wake word and a command, to its end."""
    satellite.wake()
    satellite.hear(speech(HELLO)).result(60)


def test_what_is_said_there_is_answered_there(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    house.answers("ok")
    said_in(satellite)
    said = house.one(Utterance)
    assert (said.area, said.peer, said.wake_word) == ("the kitchen", "kitchen", "computer")
    assert house.one(Woke).utterance_id == said.utterance_id
    assert {(m.area, m.peer) for m in house.of(AudioChunk)} == {("the kitchen", "kitchen")}

    ended = house.one(PlaybackEnded)
    assert (ended.utterance_id, ended.heard, ended.interrupted) == (said.utterance_id, True, False)
    kinds = [type(m) for m in house.daemon.seen if isinstance(m, PlaybackStarted | PlaybackEnded)]
    assert kinds == [PlaybackStarted, PlaybackEnded]
    spoken = np.frombuffer(satellite.played, np.int16)
    assert np.count_nonzero(spoken) == pytest.approx(22_050 * 10_000 / 8000, rel=0.01)
    (words,) = (e for e in satellite.got if Transcribed.is_type(e.type))
    assert Transcribed.from_event(words).text.endswith("bytes")
    assert satellite.count("voice-stopped") == 1


def test_nothing_said_is_told(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.wake()
    satellite.hear(silence(1.0)).result(60)
    assert house.one(NothingHeard).area == "the kitchen"
    assert house.of(Utterance) == []


@pytest.mark.parametrize("said", ["", HELLO])
def test_a_satellite_whose_sound_stops_frees_its_room(things: ExitStack, said: str) -> None:
    house, satellite = kitchen(things)
    satellite.wake()
    frames = speech(said) if said else silence(0.3)
    satellite.hear(frames[: len(frames) // 2], goes_on=False).result(60)
    until(lambda: satellite.count("transcript") == 1)
    assert house.one(Utterance if said else NothingHeard)
    said_in(satellite)
    assert len(house.of(Woke)) == 2


def test_a_satellite_that_goes_while_somebody_speaks_frees_its_room(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.wake()
    satellite.hear(silence(0.3), goes_on=False).result(60)
    satellite.close()
    assert house.one(NothingHeard).area == "the kitchen"
    until(lambda: [m.present for m in house.of(SatelliteChanged)] == [True, False])


def test_a_satellite_that_is_not_there_has_its_reply_sent_to_the_device(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    house.daemon.tells(RING)
    assert house.of(Speech) == []
    satellite.close()
    until(lambda: house.daemon.network.base.lacks("kitchen"))
    house.daemon.tells(RING)
    (here,) = house.of(Speech)
    assert (here.peer, here.text) == ("", "ring")


def test_what_a_satellite_that_went_did_not_say_is_not_said_when_it_is_back(
    things: ExitStack,
) -> None:
    house, satellite = kitchen(things)
    satellite.close()
    until(lambda: house.daemon.network.base.lacks("kitchen"))
    house.daemon.network.daemon.answer("r1", RING)  # it was on its way
    assert house.one(PlaybackEnded).interrupted
    back = PlainSatellite(port=satellite.port)
    things.callback(back.close)
    house.ready().answers("ok")
    said_in(back)
    until(lambda: len(house.of(PlaybackEnded)) == 2)
    assert back.count("audio-start") == 1


def test_a_satellite_that_goes_in_mid_reply_has_not_said_it(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    house.answers("a long answer")
    said_in(satellite)
    until(lambda: satellite.count("audio-chunk"))
    satellite.close()
    assert house.one(PlaybackEnded).interrupted


def test_what_is_played_early_was_cut_by_somebody(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.plays_early = True
    house.answers("a long answer")
    said_in(satellite)
    ended = house.one(PlaybackEnded)
    assert ended.interrupted
    assert house.one(BargeIn).utterance_id == ended.utterance_id
    until(lambda: satellite.count("audio-stop") == 1)


def test_a_wake_word_cuts_a_reply(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    house.answers("a long answer")
    said_in(satellite)
    first = house.one(PlaybackStarted).utterance_id
    house.answers("ok")
    said_in(satellite)
    until(lambda: len(house.of(PlaybackEnded)) == 2)
    ended = house.of(PlaybackEnded)
    assert ended[0].utterance_id == first
    assert [one.interrupted for one in ended] == [True, False]
    assert house.one(BargeIn).utterance_id == first


@pytest.mark.parametrize("can_be_asked", [True, False])
def test_a_question_opens_the_microphone_where_that_can_be(
    things: ExitStack, can_be_asked: bool
) -> None:
    house, satellite = kitchen(things, supports_trigger=can_be_asked)
    house.answers("ok", listen=True)
    said_in(satellite)
    assert house.one(PlaybackEnded).listen
    if can_be_asked:
        until(lambda: satellite.count("run-pipeline") == 1)
        house.answers("bye")
        satellite.hear(speech(HELLO)).result(60)
        until(lambda: len(house.of(PlaybackEnded)) == 2)
        assert [m.wake_word for m in house.of(Woke)] == ["computer", ""]
    else:
        said_in(satellite)
        assert satellite.count("run-pipeline") == 0


@pytest.mark.parametrize(("rate_hz", "channels"), [(48_000, 2), (22_050, 1)])
def test_sound_of_another_form_is_converted(things: ExitStack, rate_hz: int, channels: int) -> None:
    house, satellite = kitchen(things)
    satellite.wake()
    second = (10_000 * np.sin(np.arange(rate_hz) * 2 * np.pi * 440 / rate_hz)).astype(np.int16)
    blocks = np.array_split(np.repeat(second, channels), 30)
    satellite.hear([b.tobytes() for b in blocks], rate_hz, channels, goes_on=False).result(60)
    until(lambda: house.of(NothingHeard) or house.of(Utterance))  # after all of the sound
    heard = b"".join(m.samples for m in house.of(AudioChunk))
    assert len(heard) / 32_000 == pytest.approx(1.0, abs=0.1)
    assert abs(np.frombuffer(heard, np.int16)).max() == pytest.approx(10_000, rel=0.05)


# ── a satellite that hears no wake word by itself ───────────────────────────────────────────────

ALL = RunPipeline(PipelineStage.WAKE, PipelineStage.TTS, restart_on_end=True).event()


def test_the_wake_word_is_heard_here_where_the_satellite_hears_none(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.send(ALL)
    said = [*silence(1.0), *speech("computer, turn on the light")]
    satellite.hear(said).result(60)
    assert house.one(Woke).wake_word == "computer"
    assert satellite.count("detection") == 1
    assert satellite.count("run-pipeline") == 0
    before = len(house.of(Woke))
    satellite.hear(said).result(60)
    until(lambda: len(house.of(Woke)) > before)


def test_what_is_said_without_the_wake_word_is_not_passed_on(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.send(ALL)
    satellite.hear(speech("turn on the light"), goes_on=False).result(60)
    assert not house.of(Woke)
    assert not house.of(AudioChunk)


def test_of_more_than_five_the_wake_word_is_not_heard(
    things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    satellites = {f"room{number}": PlainSatellite() for number in range(AT_ONCE + 1)}
    House(things, **satellites).ready()
    for one in satellites.values():
        one.send(ALL)
    until(lambda: "wake words are heard for 5 at a time" in caplog.text)


# ── what is told in the log ─────────────────────────────────────────────────────────────────────


def test_what_is_no_satellite_is_told_of_once(
    things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    service = PlainSatellite(Info())
    house = House(things, kitchen=service)
    until(lambda: service.connections >= 3)
    assert caplog.text.count("what listens there is no satellite") == 1
    assert house.of(SatelliteChanged) == []
    assert house.daemon.network.base.lacks("kitchen")


def test_one_that_is_not_there_is_told_of_once(
    things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    named = {"kitchen": SatelliteSettings(address="127.0.0.1", port=port)}
    with closing(StandIn(WyomingSettings(satellites=named))) as daemon:
        until(lambda: "rooms.away" in caplog.text)
        time.sleep(0.5)  # it is called ten times
        satellite = PlainSatellite(port=port)
        things.callback(satellite.close)
        until(lambda: not daemon.network.base.lacks("kitchen"))
    assert caplog.text.count("rooms.away") == 1


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (Event("audio-chunk", {"rate": 16_000}, b"ab"), "lacks a field"),
        (Event("audio-chunk", {"rate": 1, "width": 2, "channels": 1}, b"ab"), "rooms.format"),
        (Event("detection", {"context": {"hark": {"preroll_s": "long"}}}), "lacks a field"),
        (Event("x" * 200), "rooms.frame"),
    ],
)
def test_one_that_sends_nonsense_is_hung_up_on_and_served_again(
    things: ExitStack, caplog: pytest.LogCaptureFixture, wrong: Event, told: str
) -> None:
    house, satellite = kitchen(things)
    house.answers("ok")
    satellite.wake()
    until(lambda: house.of(Woke))
    satellite.send(wrong)
    until(lambda: satellite.connections == 2)
    assert told in caplog.text
    house.ready()
    until(lambda: satellite.count("run-satellite") == 2)
    said_in(satellite)
    assert not house.one(PlaybackEnded).interrupted


def again(house: House) -> Callable[[], bool]:
    """Whether the satellite came, went, and came back."""
    return lambda: [m.present for m in house.of(SatelliteChanged)][:3] == [True, False, True]


def test_one_that_hangs_up_is_called_again(things: ExitStack) -> None:
    house, satellite = kitchen(things)
    satellite.hang_up()
    until(again(house))


def test_one_that_falls_silent_is_called_again_as_soon(
    things: ExitStack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "AGAIN_LATER_S", 3600.0)
    monkeypatch.setattr(connection, "PING_EVERY_S", 0.05)
    monkeypatch.setattr(connection, "SILENT_S", 0.5)
    house, satellite = kitchen(things)
    satellite.answers_pings = False
    until(lambda: "the satellite kitchen is gone" in caplog.text)
    satellite.answers_pings = True
    until(again(house))
    assert "rooms.slow" in caplog.text
