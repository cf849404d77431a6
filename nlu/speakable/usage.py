"""How often people want what an intent is for: what the recogniser expects before it hears a word.

The numbers are estimates of ours for a household, relative to each other. They only weigh
sentences; none is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

USUAL = 1.0
"""The weight of an intent that is not listed."""
ONLY_TALK = 0.3
"""The weight of one that is only replied to, such as small talk, where it is not listed."""

WEIGHTS: Mapping[str, float] = {
    "HassTurnOn": 6.0,
    "HassTurnOff": 6.0,
    "HassLightSet": 4.0,
    "HassStartTimer": 4.0,
    "HassGetState": 4.0,
    "HassGetCurrentTime": 5.0,
    "HassGetWeather": 3.0,
    "HassClimateGetTemperature": 3.0,
    "HassClimateSetTemperature": 3.0,
    "HassGetCurrentDate": 3.0,
    "HassNevermind": 2.0,
    "HassSetVolume": 2.0,
    "HassSetVolumeRelative": 2.0,
    "HassMediaPause": 2.0,
    "HassMediaNext": 2.0,
    "HassMediaSearchAndPlay": 2.0,
    "HassTimerStatus": 2.0,
    "HassCancelTimer": 2.0,
    "HassShoppingListAddItem": 2.0,
    "HassListAddItem": 2.0,
    "MoreOfIt": 2.0,
    "AnotherInstead": 2.0,
    "ChangeOfIt": 2.0,
    "DoneInAWhile": 6.0,
    "DoneLater": 2.0,
    "SetAlarm": 2.0,
    "SetReminder": 2.0,
    "GetForecast": 2.0,
    "GetNews": 2.0,
    "TalkThanks": 1.0,
    "HassDecreaseTimer": 0.5,
    "AddEvent": 0.2,
    "MoveEvent": 0.05,
    "CancelEvent": 0.05,
    "FindFreeTime": 0.05,
    "IsTimeFree": 0.05,
    "Calculate": 0.3,
    "ConvertUnits": 0.3,
    "SpellWord": 0.3,
    "TellJoke": 0.3,
    "WhatIsPlaying": 0.3,
    "PlayAgain": 0.3,
    "ShuffleMusic": 0.3,
    "MusicThere": 0.2,
    "MusicNames": 0.2,
}

_ROUND = 4.0
_SMALL = 3.0
_LARGEST_SMALL = 12


def of_intent(intent: str, only_talk: bool) -> float:
    """How often people want what an intent is for."""
    return WEIGHTS.get(intent, ONLY_TALK if only_talk else USUAL)


def of_value(text: str) -> float:
    """How often a value of a list is said: round and small numbers more than others."""
    if not text.isdecimal():
        return 1.0
    number = int(text)
    if number % 10 == 0:
        return _ROUND
    return _SMALL if number % 5 == 0 or number <= _LARGEST_SMALL else 1.0
