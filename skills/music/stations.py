"""Radio stations: those that the settings name, and the sources that a player has."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Annotated, Any

import msgspec

from assistant.core.home.music import ADDRESSES, Music
from assistant.core.settings.mpd import PLAYER
from assistant.core.settings.mpris import PLAYER as SESSION
from assistant.skill import Area, Choose, Context, Entity, Reply
from skills.home.setting import bring
from skills.home.targets import the
from skills.music.player import away, not_there, told_player

Address = Annotated[str, msgspec.Meta(pattern=f"^({'|'.join(ADDRESSES)})", max_length=1000)]
LAST = "station"
"""Key of the station that was put on last."""
SOURCES = "source_list"
RADIO = "radio"


class Settings(msgspec.Struct, frozen=True):
    """What the user says of music."""

    stations: dict[Annotated[str, msgspec.Meta(min_length=1, max_length=100)], Address] = {}
    """Name of a radio station → the address of its stream, which the player reads."""


def stations(context: Context) -> tuple[Music, ...]:
    """All stations, those of the settings first."""
    settings: Settings = context.settings
    named = [Music("station", name, address=at) for name, at in settings.stations.items()]
    sources = (source for player in receivers(context.home.entities) for source in _sources(player))
    own = {one.name.casefold() for one in named}
    others = dict.fromkeys(source for source in sources if source.casefold() not in own)
    return (*named, *(Music("station", source) for source in others))


def all_music(context: Context) -> tuple[Music, ...]:
    """All that can be played by its name: the stations, and the music of the library."""
    return (*stations(context), *context.music.all())


def receivers(entities: Iterable[Entity]) -> list[Entity]:
    """The players with sources, but for televisions: theirs are sockets and apps."""
    return [one for one in _players(entities) if _sources(one)]


def the_radio(context: Context, another: bool = False) -> Music | None:
    """The station that was put on last, or else the first; `another` is the one after it."""
    there = stations(context)
    names = [one.name for one in there]
    last = context.storage.get(LAST, str, "")
    at = names.index(last) + another if last in names else 0
    return there[at % len(there)] if there else None


def has_radio(context: Context) -> bool:
    """Whether "the radio" is a device of the home."""
    names = ((one.name, *one.aliases) for one in context.home.entities)
    return any(RADIO in name.casefold().split() for every in names for name in every)


def put_on_station(
    station: Music, name: Entity | None, area: Area | None, context: Context
) -> Generator[Choose, Any, Reply]:
    """Have a station played by the player that is named, that of the room, or the only one."""
    able = _able(station, context)
    if name is not None and name not in able:
        return Reply(f"I can't play {station.name} on {the(name)}.", done=False)
    near = [one for one in able if area is not None and one.area == area.id]
    if area is not None and able and not near:
        return not_there(able[0], area, context)
    own = [one for one in able if context.area is not None and one.area == context.area.id]
    usual = [one for one in able if one.id == PLAYER]
    among = next(found for found in (near, own, usual, able) if found or found is able)
    if name is None and not among:
        return Reply("I have no player for the radio.", done=False)
    player = name or (yield from _one_of(among))
    if (gone := away(player)) is not None:
        return gone
    context.storage.set(LAST, station.name)
    done = f"I put on {station.name} on {the(player)}."
    if station.address:
        return told_player(station.command, player, done, context)
    state = "on" if player.state == "off" else ""
    undo = bring(context, player, state, source=station.name)
    return Reply(done, undo=tuple(undo), about=(player.id,))


def _able(station: Music, context: Context) -> list[Entity]:
    """The players that can play a station."""
    if not station.address:
        return [one for one in receivers(context.home.entities) if station.name in _sources(one)]
    return [one for one in _players(context.home.entities) if one.id != SESSION]


def _players(entities: Iterable[Entity]) -> list[Entity]:
    """The media players but for televisions."""
    players = (one for one in entities if one.domain == "media_player")
    return [one for one in players if one.fact("device_class") != "tv"]


def _one_of(players: list[Entity]) -> Generator[Choose, Any, Entity]:
    if len(players) == 1:
        return players[0]
    labels = {one.name: one for one in players}
    chosen = yield Choose("On which player?", tuple(labels))
    return labels[str(chosen)]


def _sources(player: Entity) -> list[str]:
    told = player.attributes.get(SOURCES)
    return [one for one in told if isinstance(one, str)] if isinstance(told, list | tuple) else []
