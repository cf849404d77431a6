"""What is said plays music by MPD, and pauses a player of the session over D-Bus."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.core.settings.mpd import PLAYER
from assistant.core.settings.mpris import PLAYER as SESSION
from tests.support.mpd import SONGS, FakeMpd
from tests.support.mpris import Player, in_session
from tests.support.real_mpd import BINARY, RealMpd
from tests.support.scenario import Daemon, Do, Expect, Say, Spoken, bridged, quiet, tell

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no dbus-daemon"),
]


class Household:
    """A daemon with its bridge, MPD (the real one where it is installed), and a player."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        session = things.enter_context(pytest.MonkeyPatch.context())
        bus = things.enter_context(closing(in_session(folder, session)))
        self.laptop = things.enter_context(closing(Player(bus, "vlc")))
        self.mpd = RealMpd(folder, SONGS) if BINARY is not None else FakeMpd()
        things.enter_context(closing(self.mpd))
        self.mpd.start()
        settings = (
            f'[mpd]\nhost = "127.0.0.1"\nport = {self.mpd.port}\narea = "kitchen"\n'
            '[mpris]\non = true\nname = "Laptop"\narea = "kitchen"\n[nlu]\nmodels = false\n'
        )
        (folder / "daemon").mkdir()
        started = things.enter_context(quiet(folder / "daemon", settings))
        self.daemon: Daemon = things.enter_context(bridged(started, "player"))


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with ExitStack() as things:
        yield Household(tmp_path_factory.mktemp("household"), things)


def test_music_is_played_and_paused(household: Household) -> None:
    tell(
        household.daemon,
        [
            Say("computer, play some jazz"),
            Expect("Reply", {"text": "I put on some jazz music.", "acted": True}),
            Expect("HomeStates", {"states": {PLAYER: "playing"}}),
            Spoken(),
            Say("computer, pause the music player"),
            Expect("Reply", {"text": "I paused the music player.", "acted": True}),
            Expect("HomeStates", {"states": {PLAYER: "paused"}}),
            Spoken(),
        ],
    )


def test_a_player_of_the_session_is_paused(household: Household) -> None:
    tell(
        household.daemon,
        [
            Do("play by hand", lambda _: household.laptop.plays("So What", "Miles Davis")),
            Expect("HomeStates", {"states": {SESSION: "playing"}}),
            Say("computer, pause the laptop"),
            Expect("Reply", {"text": "I paused the laptop.", "acted": True}),
            Expect("HomeStates", {"states": {SESSION: "paused"}}),
            Spoken(),
        ],
    )
    assert ("Pause",) in household.laptop.did


def test_music_that_is_away_is_told_and_comes_back(household: Household) -> None:
    tell(
        household.daemon,
        [
            Do("end MPD", lambda _: household.mpd.stop()),
            Expect("DeviceChanged", {"device": "player", "present": False}),
            Say("computer, play some jazz"),
            Expect("Reply", {"text": "I can't reach the music player now."}),
            Spoken(),
            Do("start MPD", lambda _: household.mpd.start()),
            Expect("DeviceChanged", {"device": "player", "present": True}, within_s=60),
            Say("computer, play some jazz"),
            Expect("Reply", {"text": "I put on some jazz music.", "acted": True}),
            Expect("HomeStates", {"states": {PLAYER: "playing"}}),
            Spoken(),
        ],
    )
