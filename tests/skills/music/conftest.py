"""A home with MPD, and talks in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import DeviceChanged, HomeStates, MusicLibrary
from assistant.core.settings.mpd import PLAYER
from assistant.skill.home import Area, Entity, Home
from tests.support.talking import Talk

HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Bedroom", id="bedroom")),
    entities=(
        Entity(name="Music Player", id=PLAYER, area="kitchen", state="off"),
        Entity(name="Radio", id="media_player.radio", area="bedroom", state="off"),
    ),
)
LIBRARY = MusicLibrary(
    names={
        "playlist": ("Cooking",),
        "genre": ("Jazz", "Rock"),
        "artist": ("Miles Davis", "Miles Kane", "Queen"),
        "album": ("A Night at the Opera", "Kind of Blue"),
        "title": ("Bohemian Rhapsody", "So What"),
    }
)


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    talk = talks(home=HOME, players={PLAYER: "player"})
    talk.feed(DeviceChanged(device="player", present=True))
    talk.feed(LIBRARY)
    return talk


def tells(talk: Talk, state: str, **attributes: str | float) -> None:
    """MPD tells its state."""
    talk.feed(HomeStates(states={PLAYER: state}, attributes={PLAYER: dict(attributes)}))
