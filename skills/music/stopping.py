"""Ending what was put on by its name: "turn it off", "turn the radio off"."""

from __future__ import annotations

from assistant.english.words import words
from assistant.skill import Context, Entity, Reply, Request, Skill, Traits
from skills.music.player import away, turn_off
from skills.music.stations import RADIO, has_radio

skill = Skill("music")


def _playing(request: Request, context: Context) -> Entity | None:
    """The player that is spoken of, or that plays "the radio"; None for none."""
    players = [one for one in context.home.entities if one.domain == "media_player"]
    if RADIO not in words(request.text):
        about = context.conversation.about
        return next((one for one in players if one.id in about), None)
    playing = [one for one in players if one.state == "playing"]
    own = [one for one in playing if context.area is not None and one.area == context.area.id]
    return None if has_radio(context) else next(iter(own or playing), None)


def _plays(request: Request, context: Context) -> bool:
    rings = context.timers.rung or context.alarms.rung  # then it is this that is to end
    return not rings and _playing(request, context) is not None


@skill.short(
    "StopPlaying",
    "[(okay|right|that is)] [enough] (turn|switch|shut|put) (it|that) off [again]",
    "(turn|switch|shut) off (it|that)",
    "(turn|switch|shut|put) the radio off",
    "(turn|switch|shut) off the radio",
    "radio off",
    "(stop|kill|end) (it|that|the radio)",
    holds=_plays,
    traits=Traits(about=("music", "radio"), only_now=True),
)
def stop_playing(request: Request, context: Context) -> Reply:
    """End what a player plays."""
    player = _playing(request, context)
    if player is None:
        return Reply("Nothing is playing.", done=False)
    return away(player) or turn_off(player, context)
