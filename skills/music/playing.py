"""Playing music by its name."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from assistant.english.words import words
from assistant.skill import (
    Area,
    Choose,
    Confirm,
    Context,
    Dialog,
    Entity,
    Music,
    Reply,
    Request,
    Skill,
    Traits,
)
from skills.music.matching import (
    MOST_OFFERED,
    MusicMention,
    alike,
    artist_of,
    is_named,
    matches,
    mentioned,
    named_in,
)
from skills.music.player import (
    away,
    go_on,
    left,
    mix,
    named,
    not_there,
    player_of,
    put_on,
    skip,
    told,
    told_player,
)
from skills.music.sentences import NO_MEDIA, PLAY_ELSE, PLAY_MUSIC, PLAY_STATION
from skills.music.stations import all_music, has_radio, put_on_station, stations, the_radio

PLAY = "HassMediaSearchAndPlay"
ELSE = "else"
"""Kind of what is no music."""
STATION = "station"
NO_MUSIC = (ELSE, "podcast", "movie", "tv_show")
OTHER = frozenset(("another", "other", "else", "different", "next", "change"))
"""Words for any song or station but the one that plays."""
NO_PLAYER = "I have no player for music."
NO_STATIONS = "I know no radio stations."
PLAYING = Traits(
    about=("music", "song", "track", "sound", "tv", "telly", "television", "radio"),
    by_name=True,
)

skill = Skill("music")
skill.rule("hear", "(play|put on|let us hear|(i want|i would like) to hear)")


def _is_there(request: Request, context: Context) -> bool:
    """Whether there is music of this very name, so that "put on" means it and no kettle."""
    said = request.slot("search_query")
    return said is not None and is_named(mentioned(str(said.value)), all_music(context))


def _is_radio(request: Request, context: Context) -> bool:
    """Whether "the radio" is a station, and no device."""
    named = request.slot("search_query") is not None
    return not named and bool(stations(context)) and not has_radio(context)


@skill.intent(PLAY, *PLAY_ELSE, fixed={"media_class": ELSE}, traits=PLAYING)
@skill.intent(PLAY, *PLAY_STATION, fixed={"media_class": STATION})
@skill.short(
    PLAY,
    "(turn|put|switch) (on the radio|the radio on)",
    "(play|put on|start|listen to) [the] radio",
    "radio on",
    fixed={"media_class": STATION},
    holds=_is_radio,
)
@skill.intent(PLAY, "<hear> (the|an) album {search_query}", fixed={"media_class": "album"})
@skill.intent(
    PLAY,
    "<hear> (the|my|our) playlist {search_query}",
    "<hear> (the|my|our) {search_query} playlist",
    fixed={"media_class": "playlist"},
)
@skill.intent(
    PLAY,
    "<hear> (the artist|the band|the singer) {search_query}",
    "<hear> (songs|music|something|anything|tracks|the music|the songs) (by|from) {search_query}",
    fixed={"media_class": "artist"},
)
@skill.intent(PLAY, "<hear> the (song|track|tune) {search_query}", fixed={"media_class": "track"})
@skill.intent(
    PLAY,
    *PLAY_MUSIC,
    "<hear> some {search_query} music",
    "<hear> (my|our|the) music",
    "play (another|a different) (song|track|tune|one)",
    "play something (else|different)",
    "(put|turn|switch) (on the music|the music on|some music on|on some music)",
)
@skill.short(
    PLAY,
    "(play|(put|stick|pop) on) {search_query} [in [the] {area}]",
    "(put|stick|pop) {search_query} on [in [the] {area}]",
    "(tune|switch|turn|change|go) [the (station|channel)] [in|over] to {search_query}",
    holds=_is_there,
)
def play(
    request: Request,
    context: Context,
    search_query: str = "",
    media_class: str = "",
    name: Entity | None = None,
    area: Area | None = None,
) -> Dialog:
    """Play a station, an artist, an album, a playlist, a genre, a song, or any music."""
    player, music = player_of(context), all_music(context)
    if media_class in NO_MUSIC or (player is None and not music):
        return Reply(NO_MEDIA, done=False)
    said = request.slot("area")
    heard = said is not None and bool(said.raw)  # not the speaker's own room, which nobody named
    there = area if heard else None
    wanted = mentioned(search_query, media_class)
    if wanted.anything and (request.confidence < 1 or media_class == STATION):
        wanted = named_in(request.text, music)
    if wanted.anything and media_class == STATION:
        other = not OTHER.isdisjoint(words(request.text))
        found: Music | Reply | None = the_radio(context, another=other)
    elif wanted.anything and player is not None:
        refused = _out_of_place(player, name, there, context)
        return refused or _anything(request, player, context)
    elif wanted.anything:
        return Reply(NO_MEDIA, done=False)
    else:
        found = yield from _meant(wanted, music)
    if isinstance(found, Music) and found.kind == STATION:
        return (yield from put_on_station(found, name, there, context))
    if player is None or found is None:
        return found if isinstance(found, Reply) else Reply(NO_STATIONS, done=False)
    refused = _out_of_place(player, name, there, context)
    return refused or (found if isinstance(found, Reply) else put_on(found, player, context))


def _out_of_place(
    player: Entity, name: Entity | None, area: Area | None, context: Context
) -> Reply | None:
    """Why the player of the library does not play there; None where it does."""
    if name is not None and name.id != player.id:
        return Reply(f"I can't play music by name on {named(name)}.", done=False)
    if area is not None and area.id != player.area:
        return not_there(player, area, context)
    return away(player)


@skill.intent(
    "PlayAgain",
    "play (it|that|this|the song|this song|that song|the track) (again|once more|one more time)",
    "play (it|that|this|the song|this song|that song) [again] from the (start|beginning|top)",
    "start (it|the song|this song|the track) (again|over|from the beginning)",
    "(repeat|replay) (this|that|the) (song|track|one)",
    traits=Traits(about=("music", "song", "track"), only_now=True),
)
def play_again(context: Context) -> Reply:
    """Play the song from its start."""
    player = player_of(context)
    if player is None:
        return Reply(NO_PLAYER, done=False)
    return told_player("again", player, "I play it again.", context)


@skill.intent(
    "ShuffleMusic",
    "shuffle [(the|my|our|all the) (music|songs|queue|playlist)]",
    "(turn|switch) (on shuffle|shuffle on|shuffle mode on|on shuffle mode)",
    "(mix|shuffle) (it|them|the songs|everything) [up]",
    "play (it|them|the songs|everything|the album|the playlist) (in any order|in random order"
    "|shuffled|at random|mixed up)",
    fixed={"order": "any"},
    traits=Traits(about=("music", "song", "track", "shuffle")),
)
@skill.intent(
    "ShuffleMusic",
    "(turn|switch) (off shuffle|shuffle off|shuffle mode off|off shuffle mode)",
    "(stop shuffling|do not shuffle|no shuffle) [(the|my) (music|songs)]",
    "play (it|them|the songs|everything|the album|the playlist) in order",
    fixed={"order": "own"},
)
def shuffle(context: Context, order: str = "any") -> Reply:
    """Play songs in any order, or in their own."""
    player = player_of(context)
    if player is None:
        return Reply(NO_PLAYER, done=False)
    return away(player) or mix(player, order == "any", context)


def _anything(request: Request, player: Entity, context: Context) -> Reply:
    """Go on with what was paused, skip what plays for another song, else play all there is."""
    if player.state == "playing" and not OTHER.isdisjoint(words(request.text)):
        return skip(player, context)
    if player.state == "paused":
        return go_on(player, context)
    return put_on(Music("all"), player, context)


def _meant(
    wanted: MusicMention, music: Sequence[Music]
) -> Generator[Confirm | Choose, Any, Music | Reply]:
    """The music that is meant, which the user may be asked for, or why there is none."""
    if wanted.by:
        by = artist_of(wanted, music)
        if by is None:
            return Reply(f"I have nothing by {wanted.by}.", done=False)
        wanted = MusicMention(wanted.name, wanted.kind, by)
    found = matches(wanted, music)
    if not found and (near := alike(wanted, music)) is not None:
        if not (yield Confirm(f"Do you mean {told(near)}?")):
            return left()
        found = (near,)
    if not found:
        return Reply(f"I have {wanted.described}.", done=False)
    return (yield from _one_of(found)) if len(found) > 1 else found[0]


def _one_of(found: Sequence[Music]) -> Generator[Choose, Any, Music]:
    """The one of several that the user names, of the first few."""
    labels = {one.name: one for one in found[:MOST_OFFERED]}
    chosen = yield Choose(f"Which one: {', '.join(labels)}?", tuple(labels))
    return labels[str(chosen)]
