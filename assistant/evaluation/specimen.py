"""A made-up home with something for every sentence of the installed skills to name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.skill.home import Area, Entity, Floor, Home
from assistant.skill.manifest import SkillManifest, SlotSchema

_AREAS = ("Kitchen", "Study", "Bedroom")
_PLACES = ("Corner", "Window")
_FALLBACK_DOMAINS = ("light", "switch", "sensor")


def specimen_home(manifests: Iterable[SkillManifest]) -> Home:
    """Rooms, storeys, and two devices that fit each slot of `manifests` that names a device."""
    entities: dict[str, Entity] = {}
    for manifest in manifests:
        for schema in (*manifest.intents, *manifest.served):
            for slot in schema.slots:
                if slot.kind == "entity":
                    entities |= {entity.id: entity for entity in _fitting(slot)}
    floors = tuple(Floor(name=name, id=name.casefold()) for name in ("Upstairs", "Downstairs"))
    areas = tuple(
        Area(name=name, id=name.casefold(), floor=floors[n % 2].id) for n, name in enumerate(_AREAS)
    )
    return Home(floors=floors, areas=areas, entities=tuple(entities.values()))


def _fitting(slot: SlotSchema) -> Iterator[Entity]:
    """Two devices of each domain that a slot may name."""
    requires = dict(slot.requires)
    attributes = {name: values[0] for name, values in requires.items() if name != "domain"}
    for domain in slot.domains or requires.get("domain", _FALLBACK_DOMAINS):
        noun = str(attributes.get("device_class") or domain).replace("_", " ").title()
        for number, place in enumerate(_PLACES):
            name = f"{place} {noun}"
            entity = Entity(
                name=name,
                id=f"{domain}.{name.casefold().replace(' ', '_')}",
                area=_AREAS[number].casefold(),
                attributes=attributes,
            )
            if slot.fits(entity):
                yield entity
