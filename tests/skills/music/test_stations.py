"""Radio stations: which there are, which player plays them, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.home.music import Music
from assistant.core.messages import (
    Commit,
    DeviceChanged,
    HomeCommand,
    HomeStates,
    Interpretation,
    Message,
    MusicLibrary,
    Tick,
)
from assistant.core.settings.mpd import PLAYER
from assistant.core.speakable import read_names
from assistant.skill.home import Area, Entity, Home
from skills.music.playing import NO_STATIONS
from skills.music.sentences import NO_MEDIA
from skills.registry import load_registry
from tests.support.house import replied, sent, thing
from tests.support.talking import Talk, command

PLAY = "HassMediaSearchAndPlay"
FOUR, CLASSIC = "https://example.com/4.mp3", "http://192.168.1.9/classic"
AREAS = (Area(name="Kitchen", id="kitchen"), Area(name="Bedroom", id="bedroom"))
MPD = thing(PLAYER, "Music Player", "kitchen", "off")
SPEAKER = thing("media_player.s", "Speaker", "kitchen", "idle", source_list=["Radio 4", "Jazz FM"])
SONOS = thing("media_player.b", "Bedside", "bedroom", "off", source_list=["Radio 4", "News"])
RADIO = thing("media_player.r", "Kitchen Radio", "kitchen", "off")
TV = thing("media_player.tv", "TV", "bedroom", "off", source_list=["Netflix"], device_class="tv")


@pytest.fixture
def begin(talks: Callable[..., Talk]) -> Callable[..., Talk]:
    """Begins talks in no known room, in a home of some players, with stations in the settings."""

    def begun(*players: Entity, stations: dict[str, str] | None = None, **more: Any) -> Talk:
        registry = load_registry(settings={"music": {"stations": stations or {}}})
        ends = {PLAYER: "player"} if MPD in players else {}
        home = Home(areas=AREAS, entities=players)
        given = {"area": "", "broker": True, "players": ends, **more}
        talk = talks(home=home, registry=registry, **given)
        for device in ("broker", "player"):
            talk.feed(DeviceChanged(device=device, present=True))
        return talk

    return begun


def orders(talk: Talk, text: str, **slots: str) -> tuple[str, list[HomeCommand]]:
    """The reply to a wish, and what players are told."""
    messages = talk.hear(text, command(PLAY, **slots))
    return replied(messages).text, sent(messages)


def said(talk: Talk, text: str, area: str = "", **what: Any) -> list[Message]:
    """What comes of an utterance as understanding may give it."""
    talk.count += 1
    name = f"u{talk.count}"
    talk.feed(Interpretation(utterance_id=name, revision=1, text=text, area=area, **what))
    return talk.feed(Commit(utterance_id=name, revision=1))


def test_a_station_of_the_settings_is_streamed_by_mpd(begin: Callable[..., Talk]) -> None:
    talk = begin(MPD, stations={"Radio Four": FOUR})
    reply, (order,) = orders(talk, "play radio 4", search_query="radio 4")
    assert reply == "I put on Radio Four on the music player."
    assert Music.read(order.command) == Music("station", "Radio Four", address=FOUR)
    messages = talk.hear("undo that", command("Undo"))
    assert [one.state for one in sent(messages)] == ["off"]


def test_a_source_of_a_player_is_selected(begin: Callable[..., Talk]) -> None:
    talk = begin(SPEAKER, SONOS, TV)
    reply, (order,) = orders(talk, "play jazz fm", search_query="jazz fm")
    assert reply == "I put on Jazz FM on the speaker."
    assert (order.entity_id, order.state, order.attributes) == (
        SPEAKER.id,
        "",
        {"source": "Jazz FM"},
    )
    reply, (order,) = orders(talk, "play news", search_query="news")
    assert (order.entity_id, order.state) == (SONOS.id, "on")


def test_the_sources_of_a_television_are_no_stations(begin: Callable[..., Talk]) -> None:
    talk = begin(SPEAKER, TV)
    assert orders(talk, "play netflix", search_query="netflix") == ("I have no netflix.", [])
    assert orders(begin(TV), "play netflix", search_query="netflix") == (NO_MEDIA, [])


def test_one_of_several_players_is_that_of_the_room_or_is_asked_for(
    begin: Callable[..., Talk],
) -> None:
    talk = begin(SPEAKER, SONOS)
    assert orders(talk, "play radio four", search_query="radio four") == ("On which player?", [])
    messages = talk.hear("Bedside")
    assert [one.entity_id for one in sent(messages)] == [SONOS.id]
    for area in AREAS:
        wish = command(PLAY, search_query="radio four")
        (order,) = sent(said(talk, "play radio four", area.id, commands=(wish,)))
        assert order.entity_id == {"kitchen": SPEAKER.id, "bedroom": SONOS.id}[area.id]


def test_the_radio_is_the_station_that_was_on_last(begin: Callable[..., Talk]) -> None:
    talk = begin(MPD, stations={"Four": FOUR, "Classic": CLASSIC})
    for text, name in (
        ("put the radio on", "Four"),
        ("next station", "Classic"),
        ("the radio please", "Classic"),
        ("another station", "Four"),
        ("switch to classic", "Classic"),
        ("put the radio on", "Classic"),
    ):
        reply, _ = orders(talk, text, media_class="station")
        assert reply == f"I put on {name} on the music player."


def test_without_stations_it_says_so(begin: Callable[..., Talk]) -> None:
    assert orders(begin(TV), "next station", media_class="station") == (NO_MEDIA, [])
    talk = begin(MPD)
    talk.feed(MusicLibrary(names={"genre": ("Jazz",)}))
    assert orders(talk, "next station", media_class="station") == (NO_STATIONS, [])
    assert talk.ask("MusicNames", kind="station") == "I have no radio stations."


def test_a_station_that_there_is_not_is_named(begin: Callable[..., Talk]) -> None:
    talk = begin(MPD, stations={"Four": FOUR})
    reply, sent_on = orders(talk, "tune in to abc", media_class="station", search_query="abc")
    assert (reply, sent_on) == ("I have no station called abc.", [])
    assert talk.ask("MusicNames", kind="station") == "I have one radio station: Four."


def test_an_address_that_is_none_counts_as_not_given() -> None:
    registry = load_registry(settings={"music": {"stations": {"Four": "file:///etc/passwd"}}})
    (bad,) = registry.setting_faults
    assert bad.setting == "skills.settings.music.stations"


def test_what_was_put_on_is_turned_off_by_a_pronoun(begin: Callable[..., Talk]) -> None:
    talk = begin(MPD, stations={"Four": FOUR})
    off = {"conditional": ((command("StopPlaying"),),)}
    assert sent(said(talk, "turn it off", **off)) == []
    orders(talk, "play four", search_query="four")
    assert [one.state for one in sent(said(talk, "turn it off", **off))] == ["off"]


def test_the_radio_that_plays_is_turned_off(begin: Callable[..., Talk]) -> None:
    off = {"conditional": ((command("StopPlaying"),),)}
    for players, ended in (((SPEAKER, SONOS), [SONOS.id]), ((SPEAKER, SONOS, RADIO), [])):
        talk = begin(*players)
        talk.feed(HomeStates(states={SPEAKER.id: "idle", SONOS.id: "playing"}))
        assert [m.entity_id for m in sent(said(talk, "turn the radio off", **off))] == ended


def test_the_names_are_told_to_recognition(begin: Callable[..., Talk], tmp_path: Path) -> None:
    file = tmp_path / "names.json"
    talk = begin(MPD, stations={"Radio Four": FOUR}, names=file)
    talk.feed(Tick())
    orders(talk, "play radio 4", search_query="radio 4")
    assert read_names(file)["music"]["search_query"] == ("Radio Four",)
