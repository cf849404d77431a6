"""The player of the home that has a library: MPD."""

from __future__ import annotations

from assistant.core.home.music import Music
from assistant.core.settings.mpd import PLAYER
from assistant.english.spoken import in_place
from assistant.skill import Area, Context, Entity, Reply, Undo
from skills.home.media import UNREACHABLE
from skills.home.setting import LEFT, bring, commanded, out_of_reach
from skills.home.targets import capital, the


def player_of(context: Context) -> Entity | None:
    """The player; None in a home without MPD."""
    return next((one for one in context.home.entities if one.id == PLAYER), None)


def named(entity: Entity) -> str:
    """A device with its article."""
    return the(entity)


def away(player: Entity) -> Reply | None:
    """The reply where the player does not answer; None where it does."""
    return out_of_reach(player) if player.state == UNREACHABLE else None


def left() -> Reply:
    """The reply where nothing is done after all."""
    return LEFT


def go_on(player: Entity, context: Context) -> Reply:
    """Go on with what was paused."""
    undo = bring(context, player, "playing")
    return Reply(f"I let {the(player)} go on.", undo=tuple(undo), about=(player.id,))


def turn_off(player: Entity, context: Context) -> Reply:
    """End what a player plays."""
    undo = bring(context, player, "off")
    return Reply(f"I turned off {the(player)}.", undo=tuple(undo), about=(player.id,))


def skip(player: Entity, context: Context) -> Reply:
    """Skip to the next song."""
    return commanded(context, player, "next", f"I skipped to the next one on {the(player)}.")


def mix(player: Entity, mixed: bool, context: Context) -> Reply:
    """Play songs in any order, or in their own."""
    undo = bring(context, player, "", shuffle=mixed)
    way = "any" if mixed else "their own"
    return Reply(f"I play the songs in {way} order.", undo=tuple(undo), about=(player.id,))


def put_on(music: Music, player: Entity, context: Context) -> Reply:
    """Have music played, in place of what is."""
    return told_player(music.command, player, f"I put on {told(music)}.", context)


def told_player(command: str, player: Entity, done: str, context: Context) -> Reply:
    """Send the player a command, which ends what it plays now; undone, it is silent again."""
    if player.state == UNREACHABLE or not context.home.command(player.id, command):
        return out_of_reach(player)
    before = "paused" if player.state == "paused" else "off"
    return Reply(done, undo=Undo("home.set", player.id, before), about=(player.id,))


def told(music: Music) -> str:
    """Music in words."""
    by = f" by {music.by}" if music.by else ""
    match music.kind:
        case "album" | "playlist":
            return f"the {music.kind} {music.name}{by}"
        case "genre":
            return f"some {music.name.casefold()} music"
        case "all":
            return "some music"
    return f"{music.name}{by}"


def not_there(player: Entity, area: Area, context: Context) -> Reply:
    """The reply to a wish for music in a room where its loudspeakers do not stand."""
    own = next((one for one in context.home.areas if one.id == player.area), None)
    only = f" {capital(the(player))} is {in_place(own.name)}." if own else ""
    return Reply(f"I can't play music {in_place(area.name)}.{only}", done=False)
