"""The bridge against the real MPD, where one is installed: what the stand-in is measured by."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.mpd.link import Mpd
from assistant.core.home.music import Music
from assistant.core.messages import MusicLibrary
from assistant.core.settings.mpd import PLAYER, MpdSettings
from tests.support.local_server import Files
from tests.support.mpd import SONGS
from tests.support.player_bench import PlayerBench
from tests.support.real_mpd import BINARY, RealMpd

pytestmark = pytest.mark.skipif(BINARY is None, reason="no mpd is installed")
ALL = {
    "playlist": ("Cooking",),
    "genre": ("Jazz", "Rock"),
    "artist": ("Miles Davis", "Queen"),
    "album": ("A Night at the Opera", "Kind of Blue"),
    "title": ("Blue in Green", "Bohemian Rhapsody", "So What"),
}


@pytest.fixture
def run(
    things: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[RealMpd, PlayerBench]]:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))

    def made(password: str = "", given: str = "") -> tuple[RealMpd, PlayerBench]:
        real = things.enter_context(closing(RealMpd(tmp_path, SONGS, password)))
        real.start()
        file = tmp_path / "password"
        file.write_text(given, "utf-8")
        file.chmod(0o600)
        settings = MpdSettings(
            host="127.0.0.1", port=real.port, password_file=str(file) if given else ""
        )
        return real, PlayerBench(things.enter_context(closing(Mpd(settings))), PLAYER)

    return made


@pytest.fixture
def stream(things: ExitStack, tmp_path: Path) -> str:
    """The address of what a radio station would send: a song, from a web server here."""
    there = things.enter_context(closing(Files(tmp_path / "music")))
    return f"{there.origin}/1.wav"


def test_it_plays_what_there_is(
    run: Callable[..., tuple[RealMpd, PlayerBench]], stream: str
) -> None:
    _, bench = run()
    bench.is_there()
    bench.hears(MusicLibrary, lambda m: m.names == ALL)
    assert bench.does("playing") == "failed"
    for music, told in (
        (Music("artist", "Queen"), "Bohemian Rhapsody"),
        (Music("album", "Kind of Blue"), "So What"),
        (Music("title", "Blue in Green", "Miles Davis"), "Blue in Green"),
        (Music("playlist", "Cooking"), "So What"),
    ):
        assert bench.does(command=music.command) == "sent"
        bench.tells("playing", media_title=told)
    for music in (Music("artist", "Abba"), Music("playlist", "Nap"), Music("title", "So", "Queen")):
        assert bench.does(command=music.command) == "failed"
    assert bench.does(command="next") == "sent"
    bench.tells("playing", media_title="Bohemian Rhapsody")
    assert bench.does(command="previous") == "sent"
    bench.tells("playing", media_title="So What", media_artist="Miles Davis")
    assert bench.does(command="again") == "sent"
    assert bench.does("paused") == "sent"
    bench.tells("paused", media_title="So What")
    assert bench.does("playing") == "sent"
    bench.tells("playing")
    assert bench.does(attributes={"volume_level": 0.25}) == "sent"
    bench.tells("playing", volume_level=0.25)
    assert bench.does(attributes={"is_volume_muted": True}) == "sent"
    bench.tells("playing", is_volume_muted=True)
    assert bench.does(attributes={"is_volume_muted": False}) == "sent"
    bench.tells("playing", volume_level=0.25)
    assert bench.does(attributes={"shuffle": True}) == "sent"
    bench.tells("playing", shuffle=True)
    assert bench.does("off") == "sent"
    bench.tells("off")
    assert bench.does(command="again") == "sent"
    bench.tells("playing")
    assert bench.does(command=Music("all").command) == "sent"
    assert bench.does("off") == "sent"
    bench.tells("off")
    assert bench.does(command=Music("station", "Hark FM", address=stream).command) == "sent"
    bench.tells("playing")


def test_one_that_starts_again_is_found_again(
    run: Callable[..., tuple[RealMpd, PlayerBench]],
) -> None:
    real, bench = run()
    bench.is_there()
    real.stop()
    assert bench.is_away()
    bench.tells("unavailable")
    assert bench.does(command="next") == "unsent"
    real.start()
    bench.is_there()


@pytest.mark.parametrize(
    ("given", "why"),
    [("", "asks for a password"), ("wrong\n", "refuses the password")],
)
def test_a_password_that_does_not_do_is_told(
    run: Callable[..., tuple[RealMpd, PlayerBench]], given: str, why: str
) -> None:
    _, bench = run("right", given)
    assert why in bench.is_away()


def test_the_password_proves_it(run: Callable[..., tuple[RealMpd, PlayerBench]]) -> None:
    _, bench = run("right", "right\n")
    bench.is_there()
    assert bench.does(attributes={"shuffle": True}) == "sent"
