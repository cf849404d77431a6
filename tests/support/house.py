"""A house with one of nearly everything, and talks in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assistant.core.messages import HomeCommand, Message, SpokenReply
from assistant.skill.home import Area, Entity, Floor, Home
from tests.support.talking import Talk


def thing(entity_id: str, name: str, area: str | None, state: str, /, **attributes: Any) -> Entity:
    return Entity(id=entity_id, name=name, area=area, state=state, attributes=attributes)


HOUSE = Home(
    floors=(Floor(name="Upstairs", id="up"), Floor(name="Ground Floor", id="ground")),
    areas=(
        Area(name="Kitchen", id="kitchen", floor="ground"),
        Area(name="Living Room", id="living", floor="ground"),
        Area(name="Bedroom", id="bedroom", floor="up"),
    ),
    entities=(
        thing("light.counter", "Counter", "kitchen", "on", supported_color_modes=["brightness"]),
        thing("light.bed", "Bed Light", "bedroom", "off"),
        thing("fan.ceiling", "Ceiling Fan", "living", "off"),
        thing("cover.left", "Curtain Left", "living", "open", device_class="curtain"),
        thing("cover.right", "Curtain Right", "living", "closed", device_class="curtain"),
        thing("cover.shade", "Shade", "bedroom", "open", device_class="shade"),
        thing("cover.garage", "Garage Door", None, "closed", device_class="garage"),
        thing("valve.garden", "Garden Valve", None, "closed"),
        thing("lock.front", "Front Door", None, "locked"),
        thing("lock.back", "Back Door", None, "unlocked"),
        thing("binary_sensor.front", "Front Door", None, "off", device_class="door"),
        thing("scene.party", "Party Mode", None, "unknown"),
        thing("script.away", "Leaving", None, "unknown"),
        thing("climate.living", "Thermostat", "living", "heat", current_temperature=21.5),
        thing(
            "climate.bedroom", "Radiator", "bedroom", "heat", current_temperature=17, max_temp=28
        ),
        thing(
            "sensor.garden",
            "Garden Temperature",
            None,
            "12",
            unit_of_measurement="°C",
            device_class="temperature",
        ),
        thing("binary_sensor.phone", "Phone", None, "on", device_class="battery_charging"),
        thing("binary_sensor.phone_low", "Phone", None, "off", device_class="battery"),
        thing("person.alice", "Alice", None, "not_home"),
        thing("media_player.tv", "TV", "living", "playing", volume_level=0.4),
        thing("media_player.radio", "Radio", "kitchen", "paused"),
        thing("vacuum.rover", "Rover", None, "docked"),
        thing("lawn_mower.moe", "Moe", None, "docked"),
        thing("todo.shopping", "Shopping List", None, "2"),
        thing("todo.chores", "Chores", None, "0"),
    ),
)


def in_house(talks: Callable[..., Talk], **settings: Any) -> Talk:
    """A talk in the kitchen of the house."""
    return talks(home=HOUSE, **settings)


def attribute(talk: Talk, entity_id: str, name: str) -> Any:
    entities = {entity.id: entity for entity in talk.stage._devices.entities}
    return entities[entity_id].attributes.get(name)


def sent(messages: list[Message]) -> list[HomeCommand]:
    return [message for message in messages if isinstance(message, HomeCommand)]


def replied(messages: list[Message]) -> SpokenReply:
    (reply,) = (message for message in messages if isinstance(message, SpokenReply))
    return reply
