"""Media players: pause, resume, skip, mute, and volume."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated

import msgspec

from assistant.skill import (
    Choose,
    Confirm,
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    Traits,
    domains,
    prompt,
)
from skills.home.levels import volume
from skills.home.setting import LEFT, bring, commanded, out_of_reach
from skills.home.targets import Place, Target, TargetMention, find, one_of, the

Player = Annotated[str, domains("media_player")]
Level = Annotated[int, prompt("To how many percent?")]
Step = Annotated[str, prompt("Up or down?")]
STEP = 10
"""Percent by which "louder" raises the volume."""

UNREACHABLE = "unavailable"
"""State of a player that does not answer."""
AUDIBLE = ("playing", "on", "paused")
"""States of players of which people say how loud they are, the likeliest first."""
HEARD = ("playing", "paused")
"""States in which a player has a song."""
TITLE, ARTIST, ALBUM, KEEP = "title", "artist", "album", "keep"
SCREENS = ("music", "sound", "tv", "telly", "television", "radio")
MEDIA = Traits(about=(*SCREENS, "song", "track"))
VOLUME = Traits(about=(*SCREENS, "volume"))

skill = Skill("home")


def _going(*directions: str) -> Traits:
    return msgspec.structs.replace(MEDIA, directions=directions)


@skill.serve("HassMediaPause", traits=_going("pause", "stop", "off"))
def pause(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Pause what is playing."""
    target = players(TargetMention(name, place), request, context, ("playing",))
    if (yield from _refused(f"Shall I pause {target.words}?", name, target, place, context)):
        return LEFT
    return (yield from _switch(target, context, "paused", "I paused {}."))


@skill.serve("HassMediaUnpause", traits=_going("resume", "start", "on"))
def unpause(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Go on with what was paused."""
    target = players(TargetMention(name, place), request, context, ("paused",))
    if (yield from _refused(f"Shall I let {target.words} go on?", name, target, place, context)):
        return LEFT
    return (yield from _switch(target, context, "playing", "I let {} go on."))


@skill.serve("HassMediaNext", traits=_going("next"))
def skip(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Skip to the next track."""
    target = players(TargetMention(name, place), request, context, ("playing", "paused"))
    return (yield from _jump(target, context, "next", "I skipped to the next one on {}."))


@skill.serve("HassMediaPrevious", traits=_going("previous"))
def go_back(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Go back to the track before."""
    target = players(TargetMention(name, place), request, context, ("playing", "paused"))
    return (yield from _jump(target, context, "previous", "I went back to the one before on {}."))


@skill.serve("HassMediaPlayerMute", traits=_going("mute", "off", "down"))
def mute(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Make a player silent."""
    return (yield from _mute(TargetMention(name, place), request, context, True))


@skill.serve("HassMediaPlayerUnmute", traits=_going("unmute", "on", "up"))
def unmute(request: Request, context: Context, place: Place, name: Player | None = None) -> Dialog:
    """Let a player sound again."""
    return (yield from _mute(TargetMention(name, place), request, context, False))


@skill.serve("HassSetVolume", traits=VOLUME)
def set_volume(
    request: Request,
    volume_level: Level,
    context: Context,
    place: Place,
    name: Player | None = None,
) -> Dialog:
    """Set how loud a player is."""
    if not 0 <= volume_level <= 100:
        return Reply("A volume is from zero to 100 percent.", done=False)
    target = players(TargetMention(name, place), request, context, AUDIBLE)
    question = f"Shall I set {target.words} to {volume_level} percent?"
    if (yield from _refused(question, name, target, place, context)):
        return LEFT
    player = yield from _reachable(target, context)
    return player if isinstance(player, Reply) else _loud(player, volume_level, context)


@skill.serve("HassSetVolumeRelative", traits=VOLUME)
def change_volume(
    request: Request, volume_step: Step, context: Context, place: Place, name: Player | None = None
) -> Dialog:
    """Make a player louder or softer."""
    step = _percent(volume_step)
    if step is None:
        return Reply("I can turn the volume up or down.", done=False)
    target = players(TargetMention(name, place), request, context, AUDIBLE)
    player = yield from _reachable(target, context)
    if isinstance(player, Reply):
        return player
    level = volume(player)
    if level is not None:
        return _loud(player, max(0, min(100, round(level + step))), context)
    way = "up" if step > 0 else "down"
    return commanded(context, player, f"volume_{way}", f"I turned {the(player)} {way}.")


@skill.intent(
    "WhatIsPlaying",
    "(what|which) (song|tune|track|band) is (this|that|it|playing)",
    "(what is|name) (this|that) (song|tune|track) [called]",
    "what is (playing|on) [right now|now|at the moment]",
    "what (am i|are we) (listening to|hearing)",
    "what are you playing",
    "(what is|tell me) the (name|title) of (this|the|that) (song|track|tune)",
    fixed={"fact": TITLE},
    traits=Traits(asks=True, about=("music", "song", "track", "album", "band")),
)
@skill.intent(
    "WhatIsPlaying",
    "(who is|who) (singing|playing|sings|wrote) (this|that|it) [song]",
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
@skill.intent(
    "WhatIsPlaying",
    "(like|save|remember) this (song|track|tune)",
    "(add|save) this [song] to (my|the) (playlist|favourites|favorites|library)",
    fixed={"fact": KEEP},
)
def what_is_playing(context: Context, fact: str = TITLE) -> Reply:
    """Tell the song that is playing, who sings it, or what album it is from."""
    if fact == KEEP:
        return Reply("I can't keep songs or change playlists yet.", done=False)
    player = _sounding(context)
    if player is None:
        those = [one for one in context.home.entities if one.domain == "media_player"]
        if not those:
            return Reply("I don't know the songs that are playing.", done=False)
        away = next((one for one in those if one.state == UNREACHABLE), None)
        return out_of_reach(away) if away is not None else Reply("Nothing is playing.")
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


def _sounding(context: Context) -> Entity | None:
    """The player whose song is meant: one in the same room, or one that plays, comes first."""
    here = context.area.id if context.area is not None else None
    players = [
        one
        for one in context.home.entities
        if one.domain == "media_player" and one.state in HEARD and one.fact("media_title")
    ]
    return min(players, key=lambda one: (HEARD.index(one.state), one.area != here), default=None)


def players(
    wanted: TargetMention, request: Request, context: Context, states: tuple[str, ...]
) -> Target:
    """The players that are meant; without a name, those in the first of `states` that any has.

    Where none of the room is in any, how loud is said of the one spoken of last, else of one of the
    others, so that the user is asked which.
    """
    only = TargetMention(wanted.name, wanted.place, "media_player")
    target = find(only, request, context)
    if wanted.name is not None:
        return target
    whole = only if wanted.place.said else TargetMention(name="all", domain="media_player")
    about = tuple(e for e in target.entities if e.id in context.conversation.about)
    spoken = [entity for entity in about if entity.state in states]
    if len(spoken) == 1 and not wanted.place.said:
        return Target(tuple(spoken), target.kind, target.where)
    for group in (target, find(whole, request, context)):
        if group is not target and states == AUDIBLE and len(about) == 1:
            return Target(about, target.kind, target.where)
        for state in states:
            if those := tuple(e for e in group.entities if e.state == state):
                other = group is not target and len(those) > 1
                return Target(those, target.kind, group.where, only_one=other)
    return target


def _refused(
    question: str, name: str | None, target: Target, place: Place, context: Context
) -> Generator[Confirm, bool, bool]:
    """Whether players of other rooms, which were not named, are asked about and not meant."""
    asked = name is None and _elsewhere(target, place, context)
    return asked and not (yield Confirm(question))


def _elsewhere(target: Target, place: Place, context: Context) -> bool:
    """Whether players of other rooms are meant, unsaid, though the speaker's room has one, too."""
    here = context.area.id if context.area and not place.said else None
    players_here = (e for e in context.home.entities if e.domain == "media_player")
    own = here is not None and any(e.area == here for e in players_here)
    return own and all(e.area != here for e in target.entities)


def _reachable(target: Target, context: Context) -> Generator[Choose, str, Entity | Reply]:
    """The one player that is meant, or why it cannot be told anything."""
    player = yield from one_of(target, context)
    if player is None:
        return target.unknown
    return out_of_reach(player) if player.state == UNREACHABLE else player


def _switch(target: Target, context: Context, state: str, told: str) -> Dialog:
    player = yield from _reachable(target, context)
    if isinstance(player, Reply):
        return player
    undo = bring(context, player, state)
    return Reply(told.format(the(player)), undo=tuple(undo))


def _jump(target: Target, context: Context, command: str, told: str) -> Dialog:
    player = yield from _reachable(target, context)
    if isinstance(player, Reply):
        return player
    return commanded(context, player, command, told.format(the(player)))


def _mute(wanted: TargetMention, request: Request, context: Context, muted: bool) -> Dialog:
    target = players(wanted, request, context, AUDIBLE)
    player = yield from _reachable(target, context)
    if isinstance(player, Reply):
        return player
    undo = bring(context, player, "", is_volume_muted=muted)
    return Reply(f"I {'muted' if muted else 'unmuted'} {the(player)}.", undo=tuple(undo))


def _loud(player: Entity, level: int, context: Context) -> Reply:
    undo = bring(context, player, "", volume_level=level / 100)
    told = f"I set {the(player)} to {level} percent."
    return Reply(told, undo=tuple(undo), about=(player.id,))


def _percent(step: str) -> float | None:
    """ "up", "down" or a signed number as percent; None for anything else."""
    if step in ("up", "down"):
        return STEP if step == "up" else -STEP
    try:
        return float(step)
    except ValueError:
        return None
