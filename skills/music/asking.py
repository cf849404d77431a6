"""Questions about what music there is."""

from __future__ import annotations

import msgspec

from assistant.skill import Context, Reply, Skill, Traits, count
from skills.music.matching import alike, matches, mentioned
from skills.music.player import player_of, told
from skills.music.stations import all_music

NO_SONGS = "I don't know what music there is."
FEW = 5
"""Most names that are told."""
NOUNS = {"title": "song", "station": "radio station"}
ASKS = Traits(asks=True, about=("music", "song", "track", "album", "band"))

skill = Skill("music")
skill.rule("own", "(do we have|do you have|have you got|have we got)")
skill.rule("have", "(<own>|is there)")
skill.rule("there", "(do we have|do you have|have you got|have we got|are there)")


@skill.intent(
    "MusicThere",
    "<own> (any|anything|something|some) [music|songs] (by|from) {search_query}",
    "<have> (any|some) (songs|albums|records|tracks|tunes) (by|from) {search_query}",
    "<have> (songs|albums|music) by {search_query}",
    "<have> any {search_query} music",
    "<have> the (album|song) {search_query}",
    traits=msgspec.structs.replace(ASKS, unmistakable=True),
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
@skill.intent(
    "MusicNames",
    "(what|which) [radio] stations <there>",
    "(what|which) [radio] stations can (you|i|we) (play|listen to|hear|get)",
    fixed={"kind": "station"},
)
def music_names(context: Context, kind: str) -> Reply:
    """Tell the names of a kind of music, where they are few."""
    music = all_music(context)
    if player_of(context) is None and not music:
        return Reply(NO_SONGS, done=False)
    names = [one.name for one in music if one.kind == kind]
    noun = NOUNS.get(kind, kind)
    if not names:
        return Reply(f"I have no {noun}s.")
    if len(names) > FEW:
        return Reply(f"I have {count(len(names), noun)}: {', '.join(names[:FEW])} and more.")
    return Reply(f"I have {count(len(names), noun)}: {context.say(names)}.")
