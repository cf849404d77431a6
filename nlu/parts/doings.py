"""What can be done to which devices, and the intents of Home Assistant that do it."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.english.commands.kinds import OF_PROPERTY
from nlu.parts.frames import Frame

PROPERTY_OF = {d: what for what, kind in OF_PROPERTY.items() for d in kind.domains}
"""Domain → the property of its devices that is usually meant."""
LEVELS = {
    "brightness": ("HassLightSet", "brightness"),
    "volume": ("HassSetVolume", "volume_level"),
    "temperature": ("HassClimateSetTemperature", "temperature"),
    "position": ("HassSetPosition", "position"),
    "speed": ("HassFanSetSpeed", "percentage"),
    "humidity": ("HassHumidifierSetpoint", "humidity"),
}
"""Property → the intent that sets it, and its slot."""
SWITCHED = (
    *("light", "switch", "fan", "media_player", "climate", "scene", "script", "vacuum"),
    *("humidifier", "water_heater"),
)
OPENED = ("light", "fan", "media_player", "climate")
"""Domains of what some people open and close to turn it on and off: "open the light"."""
SWITCHING = ("HassTurnOn", "HassTurnOff")
"""Intents for devices of any kind."""
DOINGS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "on": ((SWITCHED, "HassTurnOn"),),
    "off": ((SWITCHED, "HassTurnOff"),),
    "open": ((("cover", "valve", "lock", *OPENED), "HassTurnOn"),),
    "close": ((("cover", "valve", "lock", *OPENED), "HassTurnOff"),),
    "lock": ((("lock",), "HassTurnOn"),),
    "unlock": ((("lock",), "HassTurnOff"),),
    "start": (
        (("vacuum",), "HassVacuumStart"),
        (("lawn_mower",), "HassLawnMowerStartMowing"),
        (("scene", "script", "fan", "switch"), "HassTurnOn"),
        (("media_player",), "HassMediaUnpause"),
    ),
    "stop": (
        (("cover", "valve"), "HassStopMoving"),
        (("vacuum",), "HassVacuumReturnToBase"),
        (("lawn_mower",), "HassLawnMowerDock"),
        (("media_player",), "HassMediaPause"),
        (("script", "fan", "switch"), "HassTurnOff"),
    ),
    "dock": (
        (("vacuum",), "HassVacuumReturnToBase"),
        (("lawn_mower",), "HassLawnMowerDock"),
    ),
    "round": (
        (("vacuum",), "HassVacuumStart"),
        (("lawn_mower",), "HassLawnMowerStartMowing"),
    ),
    "pause": ((("media_player",), "HassMediaPause"), (("vacuum",), "PauseVacuum")),
    "resume": ((("media_player",), "HassMediaUnpause"), (("vacuum",), "HassVacuumStart")),
    "next": ((("media_player",), "HassMediaNext"),),
    "previous": ((("media_player",), "HassMediaPrevious"),),
    "mute": ((("media_player",), "HassMediaPlayerMute"),),
    "unmute": ((("media_player",), "HassMediaPlayerUnmute"),),
}
"""Action → the domains that can do it, each with the intent."""
SENT = {"HassVacuumStart": "HassVacuumCleanArea"}
"""Intent → the one by which a device is sent to a place."""
SHUTTING = {
    "cover": ("HassTurnOff", "HassStopMoving"),
    "valve": ("HassTurnOff", "HassStopMoving"),
    "lock": ("HassTurnOn",),
}
"""Domain of devices that open a way in → the intents that do not open it."""
OPEN_TO_ANYTHING = ("scene", "script")
"""Domains whose devices may do whatever the household has put into them."""
OF_PLAYERS = ("next", "previous", "mute", "unmute", "pause", "resume")
"""Actions of players alone, which need no device."""


def harmless(intent: str, domains: Sequence[str]) -> bool:
    """Whether an intent for devices of these domains opens nothing and is easily taken back."""
    safe = (
        intent in SHUTTING[domain] if domain in SHUTTING else domain not in OPEN_TO_ANYTHING
        for domain in domains
    )
    return bool(domains) and all(safe)


def able(frame: Frame, domains: Sequence[str]) -> tuple[str, ...]:
    """The given domains whose devices can do what a frame says."""
    if frame.action and not frame.levels:
        rows = DOINGS.get(frame.action, ())
        able = {d for those, _ in rows for d in those}
        found = tuple(d for d in domains if d in able)
        shut = tuple(d for d in found if d in SHUTTING and frame.action in ("open", "close"))
        return shut or found  # "close everything" puts out no light
    if frame.relative is not None or frame.levels:
        return tuple(d for d in domains if d in PROPERTY_OF)
    return tuple(d for d in domains if d not in ("binary_sensor", "sensor"))
