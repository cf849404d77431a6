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
from skills.music.sentences import NO_MEDIA, PLAY_ELSE, PLAY_MUSIC

PLAY = "HassMediaSearchAndPlay"
ELSE = "else"
"""Kind of what is no music."""
NO_MUSIC = (ELSE, "podcast", "movie", "tv_show")
OTHER = frozenset(("another", "other", "else", "different"))
"""Words for any song but the one that plays."""
NO_PLAYER = "I have no player for music."
PLAYING = Traits(
    about=("music", "song", "track", "sound", "tv", "telly", "television", "radio"),
    by_name=True,
)

skill = Skill("music")
skill.rule("hear", "(play|put on|let us hear|(i want|i would like) to hear)")


def _is_there(request: Request, context: Context) -> bool:
    """Whether there is music of this very name, so that "put on" means it and no kettle."""
    said = request.slot("search_query")
    return said is not None and is_named(mentioned(str(said.value)), context.music.all())


@skill.intent(PLAY, *PLAY_ELSE, fixed={"media_class": ELSE}, traits=PLAYING)
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
@skill.short(PLAY, "(play|(put|stick|pop) on) {search_query}", holds=_is_there)
def play(
    request: Request,
    context: Context,
    search_query: str = "",
    media_class: str = "",
    name: Entity | None = None,
    area: Area | None = None,
) -> Dialog:
    """Play an artist, an album, a playlist, a genre, a song, or any music."""
    player = player_of(context)
    if player is None or media_class in NO_MUSIC:
        return Reply(NO_MEDIA, done=False)
    if name is not None and name.id != player.id:
        return Reply(f"I can't play music by name on {named(name)}.", done=False)
    said = request.slot("area")
    heard = said is not None and bool(said.raw)  # not the speaker's own room, which nobody named
    if area is not None and heard and area.id != player.area:
        return not_there(player, area, context)
    if (gone := away(player)) is not None:
        return gone
    wanted, music = mentioned(search_query, media_class), context.music.all()
    if wanted.anything and request.confidence < 1:
        wanted = named_in(request.text, music)
    if wanted.anything:
        return _anything(request, player, context)
    found = yield from _meant(wanted, music)
    return found if isinstance(found, Reply) else put_on(found, player, context)


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
