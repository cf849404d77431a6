"""The players of a session, on a real D-Bus."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from assistant.bridge import kept
from assistant.bridge.mpris import link as link_module
from assistant.bridge.mpris import session as session_module
from assistant.bridge.mpris.link import Mpris
from assistant.core.messages import HomeStates
from assistant.core.settings.mpris import PLAYER
from tests.support.mpris import Player, SessionBus, in_session
from tests.support.player_bench import PlayerBench

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no dbus-daemon")
Join = Callable[..., Player]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    monkeypatch.setattr(link_module, "ALIVE_EVERY_S", 0.5)
    monkeypatch.setattr(session_module, "ANSWER_S", 60.0)  # players are slow on a busy machine


@pytest.fixture
def bus(things: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionBus:
    return things.enter_context(closing(in_session(tmp_path, monkeypatch)))


@pytest.fixture
def join(things: ExitStack, bus: SessionBus) -> Join:
    def made(name: str, **properties: Any) -> Player:
        return things.enter_context(closing(Player(bus, name, **properties)))

    return made


@pytest.fixture
def bench(things: ExitStack, bus: SessionBus) -> PlayerBench:
    made = PlayerBench(things.enter_context(closing(Mpris())), PLAYER)
    made.is_there()
    return made


# ── what it tells ───────────────────────────────────────────────────────────────────────────────


def test_without_a_player_it_is_off(bench: PlayerBench) -> None:
    bench.tells("off")
    assert bench.does("playing") == "failed"
    assert bench.does(command="next") == "failed"


def test_a_player_that_comes_plays_and_goes_is_told(bench: PlayerBench, join: Join) -> None:
    player = join("vlc")
    bench.tells("off", volume_level=0.5, is_volume_muted=False, shuffle=False)
    player.plays("So What", "Miles Davis", "John Coltrane")
    bench.tells("playing", media_title="So What", media_artist="Miles Davis")
    player.by_hand(PlaybackStatus=("s", "Paused"), Volume=("d", 0.0))
    bench.tells("paused", is_volume_muted=True, media_title="So What")
    player.close()
    bench.hears(HomeStates, lambda m: m.attributes.get(PLAYER) == {})


def test_one_that_plays_is_meant_then_the_last_one(bench: PlayerBench, join: Join) -> None:
    browser, vlc = join("a"), join("b")
    vlc.plays("So What")
    bench.tells("playing", media_title="So What")
    vlc.by_hand(PlaybackStatus=("s", "Paused"))
    browser.by_hand(PlaybackStatus=("s", "Paused"))
    bench.tells("paused", media_title="So What")
    assert bench.does("playing") == "sent"
    assert (vlc.did, browser.did) == ([("Play",)], [])
    vlc.by_hand(PlaybackStatus=("s", "Paused"))
    browser.plays("A film")
    bench.tells("playing", media_title="A film")


def test_what_has_no_title_is_called_by_its_file(bench: PlayerBench, join: Join) -> None:
    metadata = {"xesam:url": ("s", "file:///music/Blue%20in%20Green.flac")}
    join("vlc", PlaybackStatus=("s", "Playing"), Metadata=("a{sv}", metadata))
    bench.tells("playing", media_title="Blue in Green")


@pytest.mark.parametrize(
    "properties",
    [
        {"Volume": ("s", "loud"), "Shuffle": ("i", 3), "Metadata": ("as", ["?"])},
        {"Volume": ("d", 7.0), "Metadata": ("a{sv}", {"xesam:title": ("i", 3)})},
        {"Volume": ("d", math.nan), "Metadata": ("a{ss}", {"xesam:title": "So What"})},
        {"Volume": ("d", math.inf), "Metadata": ("a{si}", {"xesam:title": 3})},
        {"Metadata": ("a{sv}", {"xesam:title": ("s", "x" * 300), "xesam:artist": ("as", [])})},
        {"Metadata": ("a{si}", {"xesam:title": 3})},
        {"Metadata": ("a{sv}", {"xesam:title": ("s", "a\nb"), "xesam:artist": ("s", "")})},
    ],
)
def test_what_is_no_property_is_left_out(
    bench: PlayerBench, join: Join, properties: dict[str, Any]
) -> None:
    join("odd", PlaybackStatus=("s", "Playing"), **properties)
    told = bench.hears(HomeStates, lambda m: m.states.get(PLAYER) == "playing").attributes[PLAYER]
    assert "media_title" not in told
    assert told.get("volume_level", 1.0) in (0.5, 1.0)


@pytest.mark.parametrize(
    ("signature", "body"),
    [
        ("", ()),
        ("s", ("playing",)),
        ("ss", ("a", "b")),
        ("a{ss}", ({"PlaybackStatus": "Playing"},)),
        ("a{si}", ({"PlaybackStatus": 1},)),
    ],
)
def test_one_that_answers_in_other_types_is_no_player_and_hides_no_other(
    bench: PlayerBench, join: Join, signature: str, body: tuple[Any, ...]
) -> None:
    odd, other = join("odd"), join("vlc")
    odd.answers = signature, body
    other.plays("So What")
    bench.tells("playing", media_title="So What")
    odd.plays("Nothing")
    assert bench.does("paused") == "sent"
    assert other.did == [("Pause",)]


def test_one_that_says_no_state_is_no_player(bench: PlayerBench, join: Join) -> None:
    odd = join("odd", PlaybackStatus=("s", "Dancing"))
    odd.plays("So What")
    bench.tells("playing", media_title="So What")


# ── what it does ────────────────────────────────────────────────────────────────────────────────


def test_it_does_what_a_player_can(bench: PlayerBench, join: Join) -> None:
    player = join("vlc")
    player.plays("So What")
    bench.tells("playing", media_title="So What")
    assert bench.does("paused") == "sent"
    bench.tells("paused")
    assert bench.does(command="next") == "sent"
    assert bench.does(command="previous") == "sent"
    assert bench.does(command="again") == "sent"
    bench.tells("playing")
    assert bench.does(attributes={"volume_level": 0.25, "shuffle": True}) == "sent"
    bench.tells("playing", volume_level=0.25, shuffle=True)
    assert bench.does(attributes={"is_volume_muted": True}) == "sent"
    bench.tells("playing", is_volume_muted=True)
    assert bench.does(attributes={"is_volume_muted": False}) == "sent"
    bench.tells("playing", volume_level=0.25)
    assert bench.does("off") == "sent"
    bench.tells("off")
    calls = [("Pause",), ("Next",), ("Previous",), ("Seek", -(1 << 46)), ("Play",)]
    volume = [("Volume", 0.25), ("Shuffle", True), ("Volume", 0.0), ("Volume", 0.25)]
    assert player.did == [*calls, *volume, ("Stop",)]


def test_what_it_cannot_is_said(
    bench: PlayerBench, join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    player = join("vlc")
    player.plays("So What")
    bench.tells("playing")
    assert bench.does(command='play {"kind": "all"}') == "failed"
    assert "MPRIS has no call for" in caplog.text
    player.refuses = True
    caplog.clear()
    assert bench.does("paused") == "failed"


def test_a_player_that_hangs_holds_up_no_other(
    bench: PlayerBench, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "ANSWER_S", 1.0)
    hung, other = join("a"), join("b")
    hung.plays("A film")
    bench.tells("playing", media_title="A film")
    hung.silent = True
    other.plays("So What")
    bench.tells("playing", media_title="So What")
    assert bench.does("paused") == "sent"
    assert other.did == [("Pause",)]


def test_a_flood_of_changes_keeps_it_from_nothing(bench: PlayerBench, join: Join) -> None:
    player = join("vlc")
    for number in range(500):
        player.plays(f"Song {number}")
    bench.tells("playing", media_title="Song 499")
    assert bench.does("paused") == "sent"


# ── the session ─────────────────────────────────────────────────────────────────────────────────


def test_a_session_that_ends_and_begins_is_found_again(
    bus: SessionBus, bench: PlayerBench, join: Join
) -> None:
    bus.stop()
    assert "session" in bench.is_away()
    bench.tells("unavailable")
    assert bench.does(command="next") == "unsent"
    bus.start()
    bench.is_there()
    join("vlc").plays("So What")
    bench.tells("playing", media_title="So What")


def test_without_a_session_it_says_so(things: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    bench = PlayerBench(things.enter_context(closing(Mpris())), PLAYER)
    assert "there is no session here" in bench.is_away()
