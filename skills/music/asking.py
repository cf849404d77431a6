"""Questions about what is playing, and about what music there is."""

from __future__ import annotations

from assistant.skill import Context, Entity, Reply, Skill, Traits, count
from skills.music.matching import alike, matches, mentioned
from skills.music.player import away, player_of, told
from skills.music.sentences import KEEP_SONG, NO_SONGS, WHAT_PLAYS, WHO_SINGS

TITLE, ARTIST, ALBUM, KEEP = "title", "artist", "album", "keep"
HEARD = ("playing", "paused")
"""States in which a player has a song."""
FEW = 5
"""Most names that are told."""
ASKS = Traits(asks=True, about=("music", "song", "track", "album", "band"))

skill = Skill("music")
skill.rule("have", "(do we have|do you have|have you got|have we got|is there)")
skill.rule("there", "(do we have|do you have|have you got|have we got|are there)")


@skill.intent(
    "WhatIsPlaying",
    *WHAT_PLAYS,
    "what is (playing|on) [right now|now|at the moment]",
    "what (am i|are we) (listening to|hearing)",
    "what are you playing",
    "(what is|tell me) the (name|title) of (this|the|that) (song|track|tune)",
    fixed={"fact": TITLE},
    traits=ASKS,
)
@skill.intent(
    "WhatIsPlaying",
    *WHO_SINGS,
    "who (is it|is this|is that) by",
    "who is the (artist|singer|band)",
    "(what|which) band is (this|that|it)",
    fixed={"fact": ARTIST},
)
@skill.intent(
    "WhatIsPlaying",
    "(what|which) album is (this|that|it) [(from|on)]",
    "(what|which) album is (this|that|the) (song|track) (from|on)",
    fixed={"fact": ALBUM},
)
@skill.intent("WhatIsPlaying", *KEEP_SONG, fixed={"fact": KEEP})
def what_is_playing(context: Context, fact: str = TITLE) -> Reply:
    """Tell the song that is playing, who sings it, or what album it is from."""
    player = _sounding(context)
    if fact == KEEP:
        return Reply("I can't keep songs or change playlists yet.", done=False)
    if player is None:
        library = player_of(context)
        if library is None:
            return Reply(NO_SONGS, done=False)
        return away(library) or Reply("Nothing is playing.")
    title, artist = player.fact("media_title"), player.fact("media_artist")
    album, about = player.fact("media_album_name"), (player.id,)
    if fact == ARTIST:
        text = f"It's {artist}." if artist else f"I don't know who it is; it's {title}."
    elif fact == ALBUM:
        text = f"It's from {album}." if album else f"I don't know the album; it's {title}."
    else:
        by = f" by {artist}" if artist else ""
        text = f"It's {title}{by}{', which is paused' if player.state == 'paused' else ''}."
    return Reply(text, about=about)


@skill.intent(
    "MusicThere",
    "<have> (any|anything|something|some) [music] by {search_query}",
    "<have> any {search_query} music",
    "<have> the (album|song) {search_query}",
    traits=ASKS,
)
def music_there(search_query: str, context: Context) -> Reply:
    """Tell whether there is such music."""
    if player_of(context) is None:
        return Reply(NO_SONGS, done=False)
    wanted, music = mentioned(search_query), context.music.all()
    found = matches(wanted, music) or tuple(filter(None, (alike(wanted, music),)))
    if not found:
        return Reply(f"No, I have {wanted.described}.")
    return Reply(f"Yes, I have {told(found[0])}.")


@skill.intent(
    "MusicNames",
    "(what|which) (artists|bands|singers) <there>",
    fixed={"kind": "artist"},
    traits=ASKS,
)
@skill.intent("MusicNames", "(what|which) albums <there>", fixed={"kind": "album"})
@skill.intent("MusicNames", "(what|which) playlists <there>", fixed={"kind": "playlist"})
@skill.intent("MusicNames", "(what|which) (genres|kinds of music) <there>", fixed={"kind": "genre"})
@skill.intent("MusicNames", "(what|which) songs <there>", fixed={"kind": "title"})
def music_names(context: Context, kind: str) -> Reply:
    """Tell the names of a kind of music, where they are few."""
    if player_of(context) is None:
        return Reply(NO_SONGS, done=False)
    names = [one.name for one in context.music.all() if one.kind == kind]
    noun = "song" if kind == "title" else kind
    if not names:
        return Reply(f"I have no {noun}s.")
    if len(names) > FEW:
        return Reply(f"I have {count(len(names), noun)}: {', '.join(names[:FEW])} and more.")
    return Reply(f"I have {count(len(names), noun)}: {context.say(names)}.")


def _sounding(context: Context) -> Entity | None:
    """The player whose song is meant: one that plays comes first, then one in the same room."""
    here = context.area.id if context.area is not None else None
    players = [
        one
        for one in context.home.entities
        if one.domain == "media_player" and one.state in HEARD and one.fact("media_title")
    ]
    return min(players, key=lambda one: (HEARD.index(one.state), one.area != here), default=None)
