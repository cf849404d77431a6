"""Which devices a question about states is about, of all kinds that can be in the state."""

from __future__ import annotations

from dataclasses import replace

from assistant.english.commands.states import EVERYTHING, LEFT
from assistant.english.words import words
from assistant.skill import Context, Entity, Request
from skills.home.targets import ALL, SWITCHED, Place, Target, TargetMention, find

_ON_OFF = (*SWITCHED, "humidifier", "vacuum", "lawn_mower")
_OPENINGS = ("cover", "valve", "binary_sensor")
_SENSED = ("binary_sensor",)
_OF_STATE = {
    "open": _OPENINGS,
    "closed": _OPENINGS,
    "locked": ("lock", *_SENSED),
    "unlocked": ("lock", *_SENSED),
    "running": tuple(d for d in _ON_OFF if d != "light"),
    "playing": ("media_player",),
    "paused": ("media_player",),
    "cleaning": ("vacuum",),
}
"""State → the domains whose devices can be in it; any other is one of what can be switched."""
_CLASSES_OF_STATE = {
    "open": ("door", "window", "garage_door", "opening"),
    "closed": ("door", "window", "garage_door", "opening"),
    "locked": ("lock",),
    "unlocked": ("lock",),
}
"""State → the classes of the sensors that notice it."""
_OPENED_CLASSES = {
    "window": ("window",),
    "door": ("door", "garage_door", "garage"),
    "garage": ("garage", "garage_door"),
    "garage_door": ("garage", "garage_door"),
    "gate": ("gate",),
}
"""Class of what opens → the classes of covers, and of sensors on them."""
_PRESENCE = ("motion", "occupancy", "presence")
_NAMELESS = ("", "opening")
"""Classes that do not say what opens: the name does."""


def asked_of(
    place: Place,
    state: str | None,
    domain: str | None,
    device_class: str | None,
    request: Request,
    context: Context,
) -> Target:
    """The devices that a question is about, none when there are no such.

    Lights and what else is switched are asked about in the speaker's room, unless the question is
    for the whole home, or for what was left; doors, locks and sensors are those of the whole home.
    """
    domains, classes = _kinds(state, domain, device_class)
    whole = not (EVERYTHING | LEFT).isdisjoint(words(request.text))
    everywhere = ALL if whole or not set(domains) <= set(_ON_OFF) else None
    named = request.slot("name")
    if named is not None:
        everywhere = ALL
    kind = TargetMention(domain=domain, device_class=device_class).kind
    kind = _KINDS.get(device_class or "", kind)

    def found(name: str | None) -> Target:
        target = find(TargetMention(name, place, likely=domains), request, context)
        those = (e for e in target.entities if _counts(e, state, domain, device_class, classes))
        return replace(target, entities=tuple(those), kind=kind)

    near = found(everywhere)
    if near.entities or place.said or everywhere:
        return near
    elsewhere = found(ALL)
    return elsewhere if elsewhere.entities and domain is not None else near


def stands_in(entity: Entity, place: Place, context: Context) -> bool:
    """Whether a device may stand in the place that was said; one of no room may stand anywhere."""
    if entity.area is None or not place.said:
        return True
    if place.area is not None:
        return entity.area == place.area.id
    floor = place.floor.id if place.floor is not None else ""
    return entity.area in {area.id for area in context.home.areas if area.floor == floor}


_KINDS = {
    "garage": "garage door",
    "garage_door": "garage door",
    "motion": "motion sensor",
    "occupancy": "occupancy sensor",
    "presence": "presence sensor",
    "moisture": "water sensor",
    "smoke": "smoke detector",
    "gas": "gas detector",
    "carbon_monoxide": "carbon monoxide detector",
    "vibration": "vibration sensor",
    "sound": "sound sensor",
    "battery": "battery",
    "problem": "sensor for problems",
}
"""Class → one such device in words, where the class is no word for it."""


def _kinds(
    state: str | None, domain: str | None, device_class: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The domains that are asked about, and the classes where only some count."""
    if device_class in _OPENED_CLASSES and domain in ("cover", "binary_sensor"):
        return ("cover", "binary_sensor"), _OPENED_CLASSES[device_class]
    if device_class in _PRESENCE and domain == "binary_sensor":
        return _SENSED, _PRESENCE
    if device_class == "battery":
        return ("binary_sensor", "sensor"), ("battery",)
    if device_class is not None and domain is not None:
        return (domain,), (device_class,)
    if domain == "lock":
        return ("lock", *_SENSED), ()
    if domain is not None:
        return (domain,), ()
    return _OF_STATE.get(state or "on", _ON_OFF), ()


def _counts(
    entity: Entity,
    state: str | None,
    domain: str | None,
    device_class: str | None,
    classes: tuple[str, ...],
) -> bool:
    own = entity.fact("device_class")
    if device_class:
        by_name = own in _NAMELESS and device_class in entity.name.casefold()
        return own in classes or by_name
    if entity.domain == "binary_sensor" and domain != "binary_sensor":
        return own in _CLASSES_OF_STATE.get("locked" if domain == "lock" else state or "", ())
    return True
