"""Which music is meant by which words."""

from __future__ import annotations

import pytest

from assistant.core.home.music import KINDS, Music
from skills.music.matching import MusicMention, alike, is_named, matches, mentioned, named_in

THERE = (
    Music("playlist", "Cooking"),
    Music("genre", "Jazz"),
    Music("artist", "Jazz"),
    Music("artist", "The Beatles"),
    Music("artist", "Miles Davis"),
    Music("artist", "Miles Kane"),
    Music("artist", "Simon & Garfunkel"),
    Music("album", "A Night at the Opera"),
    Music("title", "Let It Be"),
    Music("title", "Music"),
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("some jazz", MusicMention("jazz")),
        ("the album kind of blue", MusicMention("kind of blue", "album")),
        ("my cooking playlist", MusicMention("cooking", "playlist")),
        ("songs by queen", MusicMention("queen", "artist")),
        ("a song by the beatles", MusicMention("the beatles", "artist")),
        ("something from abba", MusicMention("abba", "artist")),
        ("so what by miles davis", MusicMention("so what", None, "miles davis")),
        ("the song let it be by the beatles", MusicMention("let it be", "title", "the beatles")),
        ("rock music for the kids", MusicMention("rock")),
        ("some music", MusicMention("")),
        ("a song", MusicMention("")),
        ("", MusicMention("")),
    ],
)
def test_words_say_name_kind_and_artist(said: str, meant: MusicMention) -> None:
    assert mentioned(said) == meant


def test_the_kind_may_be_said_elsewhere() -> None:
    assert mentioned("abbey road", "album") == MusicMention("abbey road", "album")
    assert mentioned("serial", "podcast") == MusicMention("serial")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("jazz", [Music("genre", "Jazz")]),
        ("the artist jazz", [Music("artist", "Jazz")]),
        ("beatles", [Music("artist", "The Beatles")]),
        ("simon and garfunkel", [Music("artist", "Simon & Garfunkel")]),
        ("night at the opera", [Music("album", "A Night at the Opera")]),
        ("opera", [Music("album", "A Night at the Opera")]),
        ("miles", [Music("artist", "Miles Davis"), Music("artist", "Miles Kane")]),
        ("let it be by the beatles", [Music("title", "Let It Be", "the beatles")]),
        ("the playlist jazz", []),
        ("abba", []),
    ],
)
def test_names_are_those_that_are_there(said: str, found: list[Music]) -> None:
    assert list(matches(mentioned(said), THERE)) == found


def test_a_name_that_was_misheard_is_near() -> None:
    assert alike(mentioned("the beetles"), THERE) == Music("artist", "The Beatles")
    assert alike(mentioned("abba"), THERE) is None


def test_only_a_whole_name_is_named() -> None:
    assert is_named(mentioned("miles davis"), THERE)
    assert not is_named(mentioned("miles"), THERE)
    assert not is_named(mentioned("music"), THERE)


def test_the_longest_name_in_a_text_is_meant() -> None:
    there = (*THERE, Music("genre", "Night"))
    text = "get a night at the opera going"
    assert named_in(text, there) == MusicMention("A Night at the Opera", "album")
    assert named_in("let it be", there) == MusicMention("")  # titles are words of every day


@pytest.mark.parametrize("kind", KINDS)
def test_a_command_says_what_it_plays(kind: str) -> None:
    name = "" if kind == "all" else 'AC/DC "Live" {1}'
    address = "http://x/1" if kind == "station" else ""
    music = Music(kind, name, address=address)  # type: ignore[arg-type]
    assert Music.read(music.command) == music


@pytest.mark.parametrize(
    "command",
    [
        "next",
        "play",
        "play {}",
        'play {"kind":"artist"}',
        'play {"kind":"all","name":"x"}',
        'play {"kind":"station","name":"x","address":"file:///x"}',
        'play {"kind":"artist","name":"x","address":"http://x"}',
        "play x",
    ],
)
def test_another_command_plays_nothing(command: str) -> None:
    assert Music.read(command) is None
