"""Replies to commands that cannot be carried out, which say how the command was understood."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.core.messages import Slot, When
from assistant.english.people import said_back
from assistant.skill import Dialog, Reply, Request

ACTIONS = {
    "HassBroadcast": "make an announcement",
    "HassCancelAllTimers": "cancel all timers",
    "HassCancelTimer": "cancel a timer",
    "HassClimateGetTemperature": "know the temperature",
    "HassClimateSetTemperature": "set the temperature",
    "HassCloseCover": "close something",
    "HassDecreaseTimer": "shorten a timer",
    "HassFanSetSpeed": "set the speed of a fan",
    "HassGetCurrentDate": "know the date",
    "HassGetCurrentTime": "know the time",
    "HassGetState": "know the state of something",
    "HassGetWeather": "know the weather",
    "HassHumidifierMode": "set the mode of a humidifier",
    "HassHumidifierSetpoint": "set the humidity",
    "HassIncreaseTimer": "lengthen a timer",
    "HassLawnMowerDock": "send the lawn mower home",
    "HassLawnMowerStartMowing": "mow the lawn",
    "HassLightSet": "adjust a light",
    "HassListAddItem": "put something on a list",
    "HassListCompleteItem": "check something off a list",
    "HassListRemoveItem": "take something off a list",
    "HassMediaNext": "skip to the next track",
    "HassMediaPause": "pause what is playing",
    "HassMediaPlayerMute": "mute a player",
    "HassMediaPlayerUnmute": "unmute a player",
    "HassMediaPrevious": "go back to the track before",
    "HassMediaSearchAndPlay": "play something",
    "HassMediaUnpause": "go on playing",
    "HassNevermind": "stop",
    "HassOpenCover": "open something",
    "HassPauseTimer": "pause a timer",
    "HassRespond": "talk",
    "HassSetPosition": "open something part of the way",
    "HassSetVolume": "set the volume",
    "HassSetVolumeRelative": "change the volume",
    "HassShoppingListAddItem": "put something on the shopping list",
    "HassShoppingListCompleteItem": "check something off the shopping list",
    "HassShoppingListRemoveItem": "take something off the shopping list",
    "HassStartTimer": "start a timer",
    "HassStopMoving": "stop something that is moving",
    "HassTimerStatus": "know how much time is left",
    "HassToggle": "switch something over",
    "HassTurnOff": "turn something off",
    "HassTurnOn": "turn something on",
    "HassUnpauseTimer": "let a timer go on",
    "HassVacuumCleanArea": "clean a room",
    "HassVacuumReturnToBase": "send the vacuum cleaner home",
    "HassVacuumStart": "start the vacuum cleaner",
}
"""Intent of Home Assistant → a phrase that fits "you want to …"."""

UNFIT = " with what you named"
"""Key for a slot whose value the skill cannot use."""

UNTIMED = " without a time"
"""Key for what tells no time, where a time would do."""

LIMITS = {
    UNFIT: UNFIT,
    "area": " for one room alone",
    "floor": " for one floor alone",
    "device_class": " for one kind of device",
    "domain": " for one kind of device",
    "name": " by name",
    "state": " for that state",
    "lasting": " for a while, and then no longer",
    "conversation_command": " with a command that is to follow",
}
"""Slot that the skill does not take → a phrase that fits "I can't do that … yet"."""


def declined(request: Request, untaken: str = "") -> Reply:
    """The reply to a request that no skill serves, or not with `untaken`: a slot, or "when".

    `UNTIMED` is for what could be done at a time, where something else than one was said.
    """
    if untaken in ("when", UNTIMED) and request.when is not None:
        return Reply(_not_then(request.when, untaken == UNTIMED), done=False)
    place = next((slot for slot in request.slots if slot.name in ("area", "floor")), None)
    if untaken == UNFIT and place is not None:
        return Reply(f"I don't know of any {str(place.value).casefold()}.", done=False)
    if untaken == "excluded":
        return Reply(_not_without(request.excluded), done=False)
    action = ACTIONS.get(request.intent)
    understood = f"that you want to {action}" if action else f'"{_spelt(request.intent)}"'
    limit = LIMITS.get(untaken, f" with a {untaken.replace('_', ' ')}" if untaken else "")
    return Reply(f"I understood {understood}, but I can't do that{limit} yet.", done=False)


def _not_then(when: When, needs_time: bool) -> str:
    remedy = "; I need a time" if needs_time else ", only at once"
    return f"I can't do that {said_back(when.said.casefold())} yet{remedy}."


def _not_without(excluded: Sequence[Slot]) -> str:
    return f"I can't do that with an exception for {said_back(excluded[0].raw.casefold())} yet."


def action_of(intent: str) -> str:
    """What an intent does, as a phrase that fits "you can't …"."""
    return ACTIONS.get(intent) or _spelt(intent)


def _spelt(intent: str) -> str:
    """ "OpenTheGate" → "open the gate"."""
    return " ".join(re.findall(r"[A-Z]*[^A-Z_]+|[A-Z]+", intent)).casefold()


def not_understood(words: str) -> Dialog:
    """Tell the words beside the commands that were not understood."""
    yield from ()
    return Reply(f'I didn\'t understand "{words}".', done=False)
