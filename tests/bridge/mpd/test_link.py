"""The connection to MPD, against a stand-in of its protocol."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from assistant.bridge import kept
from assistant.bridge.mpd import library as library_module
from assistant.bridge.mpd import link as link_module
from assistant.bridge.mpd import session as session_module
from assistant.bridge.mpd.link import Mpd
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.home.music import Music
from assistant.core.messages import (
    HomeStates,
    MusicLibrary,
)
from assistant.core.settings.mpd import PLAYER, MpdSettings
from tests.support.mpd import GREETING, FakeMpd, Song
from tests.support.player_bench import PlayerBench
from tests.support.processes import until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    monkeypatch.setattr(kept, "LOOK_S", 0.05)
    monkeypatch.setattr(session_module, "ANSWER_S", 60.0)  # the fake is slow on a busy machine


@pytest.fixture
def there(things: ExitStack) -> FakeMpd:
    there = things.enter_context(closing(FakeMpd()))
    there.start()
    return there


@pytest.fixture
def join(things: ExitStack, there: FakeMpd) -> Callable[..., PlayerBench]:
    def made(**settings: Any) -> PlayerBench:
        given = MpdSettings(**{"host": "127.0.0.1", "port": there.port, **settings})
        return PlayerBench(things.enter_context(closing(Mpd(given))), PLAYER)

    return made


@pytest.fixture
def bench(join: Callable[..., PlayerBench]) -> PlayerBench:
    made = join()
    made.is_there()
    return made


def secret(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "password"
    file.write_text(text, "utf-8")
    file.chmod(mode)
    return file


# ── what it tells ───────────────────────────────────────────────────────────────────────────────


def test_its_state_is_that_of_a_media_player(there: FakeMpd, bench: PlayerBench) -> None:
    bench.tells("off", volume_level=0.4, is_volume_muted=False, shuffle=False)
    there.by_hand(queue=list(there.songs), state="play")
    told = {"media_title": "So What", "media_artist": "Miles Davis"}
    bench.tells("playing", media_album_name="Kind of Blue", **told)
    there.by_hand(state="pause", volume=0, random=True)
    bench.tells("paused", is_volume_muted=True, shuffle=True, **told)


@pytest.mark.parametrize("number", [b"9" * 5000, b"-3", "٣".encode(), b""])
def test_what_is_no_number_is_taken_for_none(
    there: FakeMpd, join: Callable[..., PlayerBench], number: bytes
) -> None:
    status = b"volume: %b\nplaylistlength: %b\nstate: stop\nOK\n"
    there.instead["status"] = status % (number, number)
    bench = join()
    bench.tells("off")
    bench.is_there()
    assert bench.does("playing") == "failed"  # its queue is taken for empty


def test_a_song_without_a_title_is_called_by_its_file(there: FakeMpd, bench: PlayerBench) -> None:
    there.by_hand(queue=[Song("", "", "", "")], state="play")
    bench.tells("playing", media_title=".flac")


def test_without_a_mixer_it_tells_no_volume(
    there: FakeMpd, join: Callable[..., PlayerBench]
) -> None:
    there.volume = -1
    bench = join()
    report = bench.hears(HomeStates)
    assert report.attributes[PLAYER] == {"shuffle": False}


class Endless(int):
    """A number that is written with very many digits."""

    def __format__(self, _: str) -> str:
        return "9" * 5_000


def test_a_number_of_very_many_digits_is_none(
    there: FakeMpd, join: Callable[..., PlayerBench]
) -> None:
    """Python refuses to read one of more than 4300."""
    there.volume = Endless()
    assert join().hears(HomeStates).attributes[PLAYER] == {"shuffle": False}


def test_what_music_there_is_is_told_and_told_again_when_it_changes(
    there: FakeMpd, bench: PlayerBench
) -> None:
    assert bench.hears(MusicLibrary).names == {
        "playlist": ("Cooking",),
        "genre": ("Jazz", "Rock"),
        "artist": ("Miles Davis", "Queen"),
        "album": ("A Night at the Opera", "Kind of Blue"),
        "title": ("Blue in Green", "Bohemian Rhapsody", "So What"),
    }
    there.songs = there.songs[:1]
    there.changed("database")
    assert bench.hears(MusicLibrary).names["artist"] == ("Miles Davis",)


def test_of_a_large_library_the_first_kinds_have_their_names(
    there: FakeMpd, join: Callable[..., PlayerBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "MOST_NAMES", 6)
    names = join().hears(MusicLibrary).names
    assert [len(found) for found in names.values()] == [1, 2, 2, 1, 0]


def test_names_that_nobody_can_say_are_left_out(
    there: FakeMpd, join: Callable[..., PlayerBench]
) -> None:
    there.songs = [Song("x" * 101, "", " edge", "bell\a"), Song("Fine", "Fine", "Fine", "Fine")]
    names = join().hears(MusicLibrary).names
    assert [names[kind] for kind in ("title", "artist", "album", "genre")] == [("Fine",)] * 4


def test_one_that_does_not_tell_its_music_plays_on(
    there: FakeMpd, join: Callable[..., PlayerBench], caplog: pytest.LogCaptureFixture
) -> None:
    there.refusing["list"] = "no database"
    bench = join()
    assert bench.hears(MusicLibrary).names == {"playlist": ("Cooking",)}
    assert "mpd: does not tell its music: no database (bridge.refused)" in caplog.messages
    assert bench.does(command=Music("playlist", "Cooking").command) == "sent"


# ── what it does ────────────────────────────────────────────────────────────────────────────────


def test_states_and_levels_are_set(there: FakeMpd, bench: PlayerBench) -> None:
    there.by_hand(queue=list(there.songs))
    for state, attributes, line, told in (
        ("playing", {}, "play", "playing"),
        ("paused", {}, "pause 1", "paused"),
        ("on", {}, "play", "playing"),
        ("", {"volume_level": 0.25}, "setvol 25", "playing"),
        ("", {"is_volume_muted": True}, "setvol 0", "playing"),
        ("", {"is_volume_muted": False}, "setvol 25", "playing"),
        ("", {"shuffle": True}, "random 1", "playing"),
        ("off", {}, "stop", "off"),
    ):
        assert bench.does(state, attributes=attributes) == "sent"
        assert there.next_heard() == line
        bench.tells(told)


@pytest.mark.parametrize(
    ("music", "lines"),
    [
        (Music("artist", "Queen"), ['findadd artist "Queen"', "shuffle"]),
        (Music("genre", "Jazz"), ['findadd genre "Jazz"', "shuffle"]),
        (Music("album", "Kind of Blue"), ['findadd album "Kind of Blue"']),
        (Music("playlist", "Cooking"), ['load "Cooking"']),
        (Music("title", "So What"), ['findadd title "So What"']),
        (
            Music("title", "So What", "Miles Davis"),
            ['findadd title "So What" artist "Miles Davis"'],
        ),
        (Music("all"), ['add ""', "shuffle"]),
        (Music("station", "Four", address="http://x/4"), ['add "http://x/4"']),
    ],
)
def test_music_takes_the_place_of_the_queue(
    there: FakeMpd, bench: PlayerBench, music: Music, lines: list[str]
) -> None:
    assert bench.does(command=music.command) == "sent"
    wanted = ["clear", *lines, "play"]
    assert [there.next_heard() for _ in wanted] == wanted
    bench.tells("playing")


@pytest.mark.parametrize("name", ['Say "Hi"', "back\\slash", "Sigur Rós", "a'b"])
def test_a_name_arrives_as_it_is(
    there: FakeMpd, join: Callable[..., PlayerBench], name: str
) -> None:
    there.songs = [Song("x", name, "y", "z")]
    bench = join()
    bench.is_there()
    assert bench.does(command=Music("artist", name).command) == "sent"
    assert there.queue == there.songs


def test_a_name_cannot_smuggle_a_command(there: FakeMpd, bench: PlayerBench) -> None:
    smuggled = Music("artist", 'Queen"\nstop\n')
    assert bench.does(command=smuggled.command) == "failed"
    assert there.heard.empty()


def test_music_that_is_gone_leaves_the_queue_as_it_is(there: FakeMpd, bench: PlayerBench) -> None:
    there.by_hand(queue=list(there.songs), state="play")
    for music in (Music("artist", "Abba"), Music("playlist", "Nap"), Music("title", "So", "Queen")):
        assert bench.does(command=music.command) == "failed"
    assert there.queue == there.songs
    assert there.heard.empty()


def test_an_empty_queue_cannot_be_played(
    bench: PlayerBench, caplog: pytest.LogCaptureFixture
) -> None:
    assert bench.does("playing") == "failed"
    assert any("there is nothing in its queue to play" in told for told in caplog.messages)


def test_again_begins_the_song_anew(there: FakeMpd, bench: PlayerBench) -> None:
    there.by_hand(queue=list(there.songs), state="pause")
    assert bench.does(command="again") == "sent"
    assert [there.next_heard(), there.next_heard()] == ["seekcur 0", "play"]
    there.by_hand(state="stop")
    assert bench.does(command="again") == "sent"
    assert there.next_heard() == "play"


def test_what_it_cannot_do_is_named(bench: PlayerBench, caplog: pytest.LogCaptureFixture) -> None:
    assert bench.does(command="dance") == "failed"
    assert bench.does(attributes={"source": "radio"}) == "failed"
    assert "mpd: MPD has no command for dance (bridge.service)" in caplog.messages


def test_a_command_of_long_ago_is_not_obeyed(there: FakeMpd, bench: PlayerBench) -> None:
    assert bench.does(command="next", given_at_s=boottime_s() - 6) == "unsent"
    assert bench.does(command="next") == "sent"
    assert there.next_heard() == "next"
    assert there.heard.empty()


# ── faults ──────────────────────────────────────────────────────────────────────────────────────


def test_one_that_is_away_is_told_and_nothing_waits_for_it(
    there: FakeMpd, bench: PlayerBench
) -> None:
    there.stop()
    assert bench.is_away() == "the connection was lost"
    bench.tells("unavailable")
    assert bench.does("playing") == "failed"
    assert bench.does(command="next") == "unsent"
    there.start()
    bench.is_there()
    bench.tells("off")
    assert there.heard.empty()


def test_one_that_falls_silent_is_noticed(
    there: FakeMpd, bench: PlayerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "ANSWER_S", 0.2)
    bench.hears(MusicLibrary)
    there.silent = {"status", "noidle"}
    change, command = bench.begins("paused"), bench.begins(command="next")
    assert bench.is_away().endswith("does not answer")
    assert bench.becomes(change) == "failed"
    assert bench.becomes(command) == "unsent"
    bench.tells("unavailable")


def test_a_command_that_gets_no_answer_is_in_doubt(
    there: FakeMpd, bench: PlayerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "ANSWER_S", 1.0)
    there.silent = {"next"}
    assert bench.does(command="next") == "unsure"
    there.silent = {"pause"}
    bench.is_there()
    assert bench.does("paused") == "failed"


def test_an_idle_connection_that_is_dead_is_noticed(
    there: FakeMpd, join: Callable[..., PlayerBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "ALIVE_EVERY_S", 0.1)
    monkeypatch.setattr(session_module, "ANSWER_S", 0.5)
    there.silent = {"noidle"}
    bench = join()
    bench.is_there()
    assert bench.is_away().endswith("does not answer")


@pytest.mark.parametrize(
    ("greeting", "why"),
    [
        (b"SSH-2.0-OpenSSH_9.2\n", "does not speak as MPD does; see mpd.host and mpd.port"),
        (b"\xff\xfe\n", "does not speak as MPD does; see mpd.host and mpd.port"),
        (b"x" * 20_000, "sends a line of more than 16384 bytes"),
    ],
)
def test_what_is_no_mpd_is_named(
    there: FakeMpd, join: Callable[..., PlayerBench], greeting: bytes, why: str
) -> None:
    there.greeting = greeting
    assert join().is_away() == f"MPD at 127.0.0.1:{there.port} {why}"


@pytest.mark.parametrize(
    "answer", [b"nonsense\n", b"state: play\nOK MPD\n", b"x: " + b"y" * 20_000, b"\0\n"]
)
def test_garbage_ends_the_connection_with_one_line(
    there: FakeMpd,
    join: Callable[..., PlayerBench],
    answer: bytes,
    caplog: pytest.LogCaptureFixture,
) -> None:
    there.instead["currentsong"] = answer
    bench = join()
    assert bench.is_away()
    until(lambda: there.connected >= 4)
    assert sum("(bridge.away)" in told for told in caplog.messages) == 1
    del there.instead["currentsong"]
    bench.is_there()


def test_an_answer_without_an_end_is_cut(
    there: FakeMpd, join: Callable[..., PlayerBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "LARGEST_ANSWER_BYTES", 1000)
    there.instead["currentsong"] = b"Title: again\n" * 1000
    assert join().is_away().endswith("answers more than 1000 bytes")


def test_of_long_names_no_more_is_kept_than_there_is_room_for(
    there: FakeMpd, join: Callable[..., PlayerBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MOST_LETTERS", 500)
    names = ["Jazz", "😀" + "x" * 500, *(letter * 90 for letter in "abcdefg"), "Rock"]
    there.instead["list"] = "".join(f"Genre: {name}\n" for name in names).encode() + b"OK\n"
    library = join().hears(MusicLibrary)
    assert library.names["genre"] == ("Jazz", *(letter * 90 for letter in "abcde"))


def test_a_server_that_is_not_at_home_is_not_asked(join: Callable[..., PlayerBench]) -> None:
    assert join(host="8.8.8.8").is_away().endswith("is not on the local network, where it must be")


def test_too_many_commands_are_refused(there: FakeMpd, bench: PlayerBench) -> None:
    bench.hears(MusicLibrary)
    there.silent = {"status"}

    def insist() -> None:
        while True:
            bench.begins("paused")

    with pytest.raises(BridgeError) as refused:
        insist()
    assert refused.value.code == "bridge.full"


# ── the password ────────────────────────────────────────────────────────────────────────────────


def test_the_password_proves_it(
    there: FakeMpd, join: Callable[..., PlayerBench], tmp_path: Path
) -> None:
    there.password = 'open "sesame"'
    bench = join(password_file=str(secret(tmp_path, 'open "sesame"\n')))
    bench.is_there()


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("wrong\n", 0o600, "refuses the password; see mpd.password_file"),
        ("right\n", 0o644, "others may read this secret; run: chmod 600"),
        ("", 0o600, "holds no password"),
        ("two\nlines\n", 0o600, "holds no password"),
    ],
)
def test_a_password_that_does_not_do_is_told_once_and_read_again(
    there: FakeMpd,
    join: Callable[..., PlayerBench],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    text: str,
    mode: int,
    why: str,
) -> None:
    there.password = "right"
    bench = join(password_file=str(secret(tmp_path, text, mode)))
    assert why in bench.is_away()
    time.sleep(0.3)
    assert there.connected <= 1
    secret(tmp_path, "right\n")
    bench.is_there()
    assert "right" not in "".join(caplog.messages)


def test_one_that_asks_for_a_password_is_told(
    there: FakeMpd, join: Callable[..., PlayerBench]
) -> None:
    there.password = "right"
    assert join().is_away().endswith("asks for a password; see mpd.password_file")


def test_it_greets_as_the_real_one_does() -> None:
    assert GREETING.startswith(b"OK MPD ")
