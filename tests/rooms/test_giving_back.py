"""A room that wins a wake word and then hears nobody gives its place back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack

import pytest
from wyoming.event import Event

from assistant.core.messages import (
    ListenHere,
    Outheard,
    Utterance,
    Woke,
)
from assistant.rooms.base import base
from assistant.rooms.base import satellite as connection
from assistant.rooms.base.arbitration import EMPTY_S, MOST_EMPTY, Contender, Contest, Votes
from assistant.rooms.detection import Noticed
from audio.clearness import Heard
from tests.rooms.test_arbitration import heard
from tests.rooms.test_base import HELLO, House
from tests.support.plain_satellite import PlainSatellite
from tests.support.processes import until
from tests.support.voices import silence, speech

STAGES = {"start_stage": "asr", "end_stage": "tts"}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are made again soon."""
    monkeypatch.setattr(connection, "AGAIN_S", 0.05)
    monkeypatch.setattr(connection, "AGAIN_LATER_S", 0.05)


@pytest.fixture
def house() -> Iterator[House]:
    """A house with a satellite in the hall that does wrong, and one in the kitchen."""
    with ExitStack() as things:
        made = House(things, hall=PlainSatellite(), kitchen=PlainSatellite())
        made.ready().answers("ok")
        yield made


def detection(sound: Heard | None = None) -> list[Event]:
    """What a satellite tells of a wake word, and of what it hears of it."""
    told = Noticed(keyword_ended_s=0.45, heard=sound).context() if sound else None
    return [
        Event("detection", {"name": "computer", "context": told}),
        Event("run-pipeline", STAGES),
    ]


def speaks_in(satellite: PlainSatellite, *told: Event) -> Future[None]:
    """Have somebody say a command in a room, until it is answered."""
    satellite.send(*(told or detection()))
    return satellite.hear(speech(HELLO))


def test_one_that_hangs_up_each_time_silences_nobody(house: House) -> None:
    hall, kitchen = house.satellites["hall"], house.satellites["kitchen"]
    for number in range(1, MOST_EMPTY + 2):
        house.ready()
        hall.send(*detection())
        said = speaks_in(kitchen)
        hall.hang_up()
        said.result(60)
        until(lambda: len(house.of(Utterance, "kitchen")) == number)  # noqa: B023 - at once
        until(lambda: kitchen.count("audio-stop") == number)  # noqa: B023
    assert not house.of(Utterance, "hall")


def test_one_that_sends_silence_silences_nobody(house: House) -> None:
    """The command is kept back until it is whole, and then given."""
    house.satellites["hall"].send(*detection())
    noise = house.satellites["hall"].hear(silence(1.0))
    speaks_in(house.satellites["kitchen"]).result(60)
    assert house.one(Utterance, "kitchen").area == "the kitchen"
    noise.result(60)
    assert not house.of(Utterance, "hall")


class Claiming(PlainSatellite):
    """One that claims to hear somebody whenever it is asked, and sends no sound."""

    def _answers(self, event: Event) -> list[Event]:
        if event.type == "detect":
            return [Event("not-detected", detection(heard("computer"))[0].data)]
        return super()._answers(event)


def test_a_command_that_is_kept_back_is_not_lost_to_rooms_that_claim_to_hear_somebody() -> None:
    with ExitStack() as things:
        house = House(things, hall=Claiming(), attic=Claiming(), kitchen=PlainSatellite())
        house.ready().answers("ok")
        for name in ("hall", "attic"):
            house.satellites[name].send(*detection(heard("computer")))
        speaks_in(house.satellites["kitchen"]).result(60)
        assert house.one(Utterance, "kitchen").area == "the kitchen"


def test_of_two_that_are_spoken_to_one_answers(house: House) -> None:
    """Control: what is kept back is dropped once the winner has heard somebody."""
    said = speaks_in(house.satellites["hall"])
    beside = speaks_in(house.satellites["kitchen"])
    said.result(60)
    beside.result(60)
    assert house.one(Utterance, "hall")
    until(lambda: house.of(Outheard))
    assert not house.of(Utterance, "kitchen")


def test_the_device_listens_again_from_the_wake_word_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "DECIDES_AFTER_S", 0.9)  # however busy the machine is
    monkeypatch.setattr(base, "GIVES_BACK_S", 60.0)
    house.satellites["hall"].send(*detection(heard("computer")))
    until(lambda: house.of(Woke))
    house.daemon.tells(Woke(utterance_id="d1", wake_word="computer"))
    until(lambda: [one.utterance_id for one in house.of(Outheard)] == ["d1"])
    house.satellites["hall"].hang_up()
    again = house.one(ListenHere)
    assert again.wake_word == "computer"


def test_a_hark_is_asked_again_for_what_it_heard(house: House) -> None:
    hall, kitchen = house.satellites["hall"], house.satellites["kitchen"]
    hall.send(*detection(heard("computer")))
    kitchen.send(*detection(heard("computer", 9.0)))
    until(lambda: kitchen.count("transcript") == 1)
    hall.hang_up()
    until(lambda: kitchen.count("run-pipeline") == 1)
    (asked,) = (one for one in kitchen.got if one.type == "run-pipeline")
    assert asked.data["wake_word_name"] == "computer"


def test_a_vote_is_lost_by_silence_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    votes = Votes()
    for number in range(MOST_EMPTY):
        assert votes.has("hall", 0.0)
        votes.woke("hall", str(number))
        assert votes.was_empty("hall", str(number), 0.0) == (number == MOST_EMPTY - 1)
        assert not votes.was_empty("hall", str(number), 0.0)
    assert not votes.has("hall", EMPTY_S - 1.0)
    assert votes.has("kitchen", 0.0)
    assert votes.has("hall", EMPTY_S)
    votes.was_spoken("hall")
    assert votes.has("hall", 0.0)


def test_who_has_no_vote_wins_only_alone_and_silences_nobody() -> None:
    first = Contender(room="hall", utterance_id="a", heard=heard("computer"), has_vote=False)
    alone = Contest("computer", 0.0, 0.0, first)
    chosen = alone.decide((), None)
    assert chosen is not None
    assert chosen.room == "hall"
    faint = Contender(room="kitchen", utterance_id="b", heard=heard("computer", 12.0))
    assert not alone.takes_in(faint)
    both = Contest("computer", 0.0, 0.0, first)
    both.note(faint)
    better = both.decide((), None)
    assert better is not None
    assert better.room == "kitchen"
    assert [one.room for one in both.losers()] == ["hall"]


def test_a_satellite_without_a_vote_is_named(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    hall = house.satellites["hall"]
    for number in range(1, MOST_EMPTY + 1):
        until(lambda: house.daemon.network.base.lacks("hall") is False)
        hall.send(*detection())
        until(lambda: len(house.of(Woke, "hall")) == number)  # noqa: B023 - at once
        hall.hang_up()
        until(lambda: house.daemon.network.base.lacks("hall"))
    until(lambda: caplog.text.count("rooms.vote") == 1)
