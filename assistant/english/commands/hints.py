"""Plain commands and questions that are offered to a user whose words were not understood."""

from __future__ import annotations

from assistant.english.lists import phrase_list

HINTS = phrase_list(
    "set a timer for ten minutes, add five minutes to the timer, take two minutes off the timer,"
    " cancel the timer, cancel all timers, pause the timer, resume the timer,"
    " how much time is left on the timer, what time is it, what is the date, what is on tomorrow,"
    " when is my next appointment, which lights are on, turn off all the lights,"
    " what is the temperature, where did you get that from"
)
HINTS_OF_AREA = phrase_list("turn on the lights in the {}, turn off the lights in the {}")
"""The same about a room with lights."""
HINTS_OF_DOMAIN = {
    "light": phrase_list(
        "turn on the {}, turn off the {}, set the {} to fifty percent, is the {} on"
    ),
    "switch": phrase_list("turn on the {}, turn off the {}, is the {} on"),
    "fan": phrase_list("turn on the {}, turn off the {}, is the {} on"),
    "cover": phrase_list("open the {}, close the {}, is the {} open"),
    "lock": phrase_list("lock the {}, unlock the {}, is the {} locked"),
    "climate": phrase_list("set the {} to twenty degrees"),
    "media_player": phrase_list(
        "turn on the {}, turn off the {}, pause the {}, set the {} volume to thirty percent"
    ),
    "vacuum": phrase_list("start {}, return {} to base"),
    "scene": phrase_list("activate {}"),
    "script": phrase_list("run {}"),
}
"""The same about a device of a domain, by its name."""

SWITCHING = {
    "HassTurnOn": {
        "": "turn on",
        "cover": "open",
        "valve": "open",
        "lock": "lock",
        "scene": "activate",
        "script": "run",
        "vacuum": "start",
        "lawn_mower": "start",
    },
    "HassTurnOff": {
        "": "turn off",
        "cover": "close",
        "valve": "close",
        "lock": "unlock",
        "script": "stop",
        "vacuum": "stop",
        "lawn_mower": "stop",
    },
}
"""Intent → the verb for a device of a domain, "" for any other."""
KINDS_SWITCHED = {"light": "lights", "fan": "fans"}
"""Domain → the word for several of its devices."""
