"""Playing music by its name, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.home.music import Music
from assistant.core.messages import (
    Command,
    DeviceChanged,
    HomeReceipt,
    MusicLibrary,
    Slot,
    SpokenReply,
)
from assistant.core.settings.mpd import PLAYER
from assistant.skill.home import Entity, Home
from skills.music.asking import NO_SONGS
from skills.music.sentences import NO_MEDIA
from tests.skills.music.conftest import HOME, tells
from tests.support.house import replied, sent
from tests.support.talking import HOME as NO_PLAYER
from tests.support.talking import Talk, command

PLAY = "HassMediaSearchAndPlay"
AWAY = "I can't reach the music player now."


def plays(talk: Talk, what: str, **slots: str) -> tuple[str, Music | None]:
    """The reply to a wish for music, and what is played."""
    messages = talk.hear("play", command(PLAY, search_query=what, **slots))
    orders = [one.command for one in sent(messages)]
    return replied(messages).text, Music.read(orders[0]) if orders else None


@pytest.mark.parametrize(
    ("what", "reply", "music"),
    [
        ("jazz", "I put on some jazz music.", Music("genre", "Jazz")),
        ("queen", "I put on Queen.", Music("artist", "Queen")),
        ("kind of blue", "I put on the album Kind of Blue.", Music("album", "Kind of Blue")),
        ("cooking", "I put on the playlist Cooking.", Music("playlist", "Cooking")),
        (
            "so what by miles davis",
            "I put on So What by Miles Davis.",
            Music("title", "So What", "Miles Davis"),
        ),
        ("some music", "I put on some music.", Music("all")),
        ("abba", "I have no abba.", None),
        ("songs by abba", "I have nothing by abba.", None),
        ("so what by abba", "I have nothing by abba.", None),
        ("the album thriller", "I have no album called thriller.", None),
    ],
)
def test_what_is_there_is_played_and_what_is_not_is_named(
    talk: Talk, what: str, reply: str, music: Music | None
) -> None:
    assert plays(talk, what) == (reply, music)


def test_of_several_one_is_asked_for(talk: Talk) -> None:
    assert plays(talk, "miles") == ("Which one: Miles Davis, Miles Kane?", None)
    messages = talk.hear("Miles Kane")
    assert [one.command for one in sent(messages)] == [Music("artist", "Miles Kane").command]


def test_what_was_misheard_is_asked_about(talk: Talk) -> None:
    assert plays(talk, "bohemian rapsody")[0] == "Do you mean Bohemian Rhapsody?"
    assert talk.say("no") == "Okay, I left it as it is."
    plays(talk, "bohemian rapsody")
    assert talk.say("yes") == "I put on Bohemian Rhapsody."


def test_music_without_a_name_goes_on_with_what_is_paused(talk: Talk) -> None:
    tells(talk, "paused", media_title="So What")
    messages = talk.hear("play music", command(PLAY))
    assert replied(messages).text == "I let the music player go on."
    assert [one.state for one in sent(messages)] == ["playing"]


def test_another_song_is_the_next_one(talk: Talk) -> None:
    tells(talk, "playing", media_title="So What")
    messages = talk.hear("play another song", command(PLAY))
    assert [one.command for one in sent(messages)] == ["next"]


def test_in_a_room_without_loudspeakers_nothing_is_played(talk: Talk) -> None:
    told = "I can't play music in the bedroom. The music player is in the kitchen."
    assert plays(talk, "jazz", area="Bedroom") == (told, None)
    assert plays(talk, "jazz", area="Kitchen")[1] == Music("genre", "Jazz")


def test_the_speakers_own_room_was_not_named(talk: Talk) -> None:
    slots = (
        Slot(name="search_query", value="jazz", raw="jazz"),
        Slot(name="area", value="Bedroom", raw=""),
    )
    messages = talk.hear("play jazz", Command(intent=PLAY, slots=slots))
    assert replied(messages).text == "I put on some jazz music."


def test_another_player_has_no_names(talk: Talk) -> None:
    told = "I can't play music by name on the radio."
    assert plays(talk, "jazz", name="Radio") == (told, None)
    assert plays(talk, "jazz", name="Music Player")[1] == Music("genre", "Jazz")


def test_undone_it_is_silent_again(talk: Talk) -> None:
    plays(talk, "jazz")
    talk.say("undo", command("Undo"))
    assert talk.state(PLAYER) == "off"


def test_without_a_player_it_is_declined_as_before(talks: Callable[..., Talk]) -> None:
    talk = talks(home=NO_PLAYER)
    assert plays(talk, "jazz") == (NO_MEDIA, None)
    assert talk.ask("WhatIsPlaying") == "I don't know the songs that are playing."
    assert talk.ask("MusicNames", kind="album") == NO_SONGS
    assert talk.ask("PlayAgain") == talk.ask("ShuffleMusic") == "I have no player for music."


def test_films_are_declined(talk: Talk) -> None:
    for kind in ("else", "podcast", "movie", "tv_show"):
        assert plays(talk, "", media_class=kind) == (NO_MEDIA, None)


# ── what it tells ───────────────────────────────────────────────────────────────────────────────


def test_what_is_playing_is_told(talk: Talk) -> None:
    assert talk.ask("WhatIsPlaying", fact="title") == "Nothing is playing."
    tells(talk, "playing", media_title="So What", media_artist="Miles Davis")
    assert talk.ask("WhatIsPlaying", fact="title") == "It's So What by Miles Davis."
    assert talk.ask("WhatIsPlaying", fact="artist") == "It's Miles Davis."
    assert talk.ask("WhatIsPlaying", fact="album") == "I don't know the album; it's So What."
    tells(talk, "paused", media_title="News", media_album_name="Today")
    assert talk.ask("WhatIsPlaying", fact="title") == "It's News, which is paused."
    assert talk.ask("WhatIsPlaying", fact="artist") == "I don't know who it is; it's News."
    assert talk.ask("WhatIsPlaying", fact="album") == "It's from Today."


def test_what_there_is_is_told(talk: Talk) -> None:
    assert talk.ask("MusicThere", search_query="queen") == "Yes, I have Queen."
    assert talk.ask("MusicThere", search_query="abba") == "No, I have no abba."
    assert talk.ask("MusicNames", kind="genre") == "I have two genres: Jazz and Rock."
    talk.feed(MusicLibrary(names={"title": tuple(f"Song {n}" for n in range(7))}))
    told = "I have seven songs: Song 0, Song 1, Song 2, Song 3, Song 4 and more."
    assert talk.ask("MusicNames", kind="title") == told
    assert talk.ask("MusicNames", kind="genre") == "I have no genres."


# ── faults ──────────────────────────────────────────────────────────────────────────────────────


def test_one_that_is_away_is_told_and_nothing_is_kept_for_later(talk: Talk) -> None:
    tells(talk, "unavailable")
    talk.feed(DeviceChanged(device="player", present=False))
    assert plays(talk, "jazz") == (AWAY, None)
    for intent in ("PlayAgain", "ShuffleMusic", "HassMediaNext"):
        assert talk.ask(intent) == AWAY
    for intent in ("HassMediaPause", "HassMediaUnpause", "HassMediaPlayerMute"):
        assert talk.ask(intent, name="Music Player") == AWAY
    assert talk.ask("HassSetVolume", name="Music Player", volume_level=30) == AWAY
    assert talk.ask("HassSetVolumeRelative", name="Music Player", volume_step="up") == AWAY
    assert talk.ask("WhatIsPlaying") == AWAY
    assert talk.database.execute("SELECT id FROM outbox") == []


def test_the_home_may_be_away_and_music_plays(talks: Callable[..., Talk]) -> None:
    talk = talks(home=HOME, players={PLAYER: "player"}, broker=True)
    talk.feed(DeviceChanged(device="broker", present=False))
    talk.feed(DeviceChanged(device="player", present=True))
    assert [one.state for one in sent(talk.hear("on", command("HassTurnOn", name="Radio")))] == []
    assert len(sent(talk.hear("again", command("PlayAgain")))) == 1
    (late,) = sent(talk.feed(DeviceChanged(device="broker", present=True)))
    assert (late.entity_id, late.state) == ("media_player.radio", "on")


def test_the_player_may_be_away_and_the_home_is_reached(talks: Callable[..., Talk]) -> None:
    talk = talks(home=HOME, players={PLAYER: "player"}, broker=True)
    talk.feed(DeviceChanged(device="player", present=False))
    assert talk.ask("PlayAgain") == AWAY
    assert len(sent(talk.hear("on", command("HassTurnOn", name="Radio")))) == 1


def test_without_a_broker_other_devices_are_not_sent_on(talk: Talk) -> None:
    assert sent(talk.hear("on", command("HassTurnOn", name="Radio"))) == []
    assert talk.state("media_player.radio") == "on"


@pytest.mark.parametrize(
    ("became", "told"),
    [
        ("unsent", "The music player was not asked to play that in time."),
        ("unsure", "I don't know whether the music player was asked to play that."),
        ("failed", "I asked the music player, but that failed."),
    ],
)
def test_what_became_of_it_is_told(talk: Talk, became: str, told: str) -> None:
    messages = talk.hear("play", command(PLAY, search_query="jazz"))
    talk.play(replied(messages))
    (order,) = sent(messages)
    said = talk.feed(HomeReceipt(**{became: order.ids})) + talk.wait(5.0)
    assert [one.text for one in said if isinstance(one, SpokenReply)] == [told]


def test_what_is_turned_on_while_it_plays_has_answered(talk: Talk) -> None:
    tells(talk, "playing", media_title="So What")
    messages = talk.hear("on", command("HassTurnOn", name="Music Player"))
    talk.play(replied(messages))
    talk.feed(HomeReceipt(sent=tuple(i for one in sent(messages) for i in one.ids)))
    assert [one for one in talk.wait(30.0) if isinstance(one, SpokenReply)] == []


# ── the names ───────────────────────────────────────────────────────────────────────────────────


def test_the_names_outlast_a_restart_and_are_replaced(talk: Talk) -> None:
    talk.restart()
    assert talk.ask("MusicNames", kind="playlist") == "I have one playlist: Cooking."
    talk.feed(MusicLibrary(names={"playlist": ("Nap",)}))
    assert talk.ask("MusicNames", kind="playlist") == "I have one playlist: Nap."
    assert talk.ask("MusicThere", search_query="queen") == "No, I have no queen."


def test_a_home_without_names_has_no_music(talks: Callable[..., Talk]) -> None:
    talk = talks(home=Home(entities=HOME.entities), players={PLAYER: "player"})
    assert plays(talk, "jazz") == ("I have no jazz.", None)


@pytest.mark.parametrize(
    ("library", "genres", "warned"),
    [
        ({"genre": ["Jazz"]}, "I have one genre: Jazz.", 0),
        ({"jazz": ["Genre"]}, "I have no genres.", 1),
        ("jazz", "I have no genres.", 1),
    ],
)
def test_the_homes_file_may_give_the_names_until_mpd_does(
    talks: Callable[..., Talk],
    caplog: pytest.LogCaptureFixture,
    library: object,
    genres: str,
    warned: int,
) -> None:
    player = Entity(name="Music Player", id=PLAYER, attributes={"library": library})
    talk = talks(home=Home(entities=(player,)), players={PLAYER: "player"})
    assert talk.ask("MusicNames", kind="genre") == genres
    assert sum("(home.library)" in told for told in caplog.messages) == warned
