"""The names of the library are told to recognition, which expects them in the skill's sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assistant.core.messages import MusicLibrary, Reload, Tick
from assistant.core.settings.mpd import PLAYER
from assistant.core.speakable import read_names
from skills.music import heard
from tests.skills.music.conftest import HOME, LIBRARY
from tests.support.grammars import speakable_of
from tests.support.talking import Talk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "names.json"


@pytest.fixture
def talk(talks: Callable[..., Talk], file: Path) -> Talk:
    return talks(home=HOME, players={PLAYER: "player"}, names=file)


def told(talk: Talk, library: MusicLibrary) -> list[Reload]:
    """What recognition is asked for by the next message after a library."""
    messages = [*talk.feed(library), *talk.feed(Tick())]
    return [message for message in messages if isinstance(message, Reload)]


def test_a_library_is_told_once_and_a_new_name_again(talk: Talk, file: Path) -> None:
    assert [one.stage for one in told(talk, LIBRARY)] == ["asr"]
    names = read_names(file)["music"]["search_query"]
    assert names[:3] == ("Cooking", "Jazz", "Rock")
    assert set(names) == {name for kind in LIBRARY.names.values() for name in kind}
    assert told(talk, LIBRARY) == []
    more = msgspec.structs.replace(LIBRARY, names={**LIBRARY.names, "genre": ("Blues",)})
    assert [one.stage for one in told(talk, more)] == ["asr"]
    assert "Blues" in read_names(file)["music"]["search_query"]


def test_of_many_names_those_of_songs_are_left_out(
    talk: Talk, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heard, "MOST_NAMES", 3)
    told(talk, LIBRARY)
    assert read_names(file)["music"]["search_query"] == ("Cooking", "Jazz", "Rock")


def test_sentences_with_them_are_expected() -> None:
    names = {"music": {"search_query": ("Zebra Crossing", "Simon & Garfunkel", "Nap", "Yoga")}}
    expected = speakable_of({"music"}, HOME, names=names)
    classes = {word: set(phrases) for word, phrases in expected.classes.items()}
    (of_music,) = [word for word, phrases in classes.items() if "zebra crossing" in phrases]
    assert classes[of_music] == {"zebra crossing", "simon and garfunkel", "nap", "yoga"}
    assert any(of_music in sentence for sentence in expected.sentences)
