"""The contestants in understanding: each is prepared for a home and an area."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from types import SimpleNamespace
from typing import Any

from hassil import Intents, recognize_best
from hassil.intents import TextSlotList
from home_assistant_intents import get_intents

from assistant.composition import Composition
from assistant.core.config import Config, StorageSettings
from assistant.core.messages import Command, Slot, SlotValue
from assistant.evaluation.sentences import Prepare, Understand, reader
from assistant.skill.home import Home
from benchmarks.understanding.sentences import sentences, slot_templates
from nlu.classifier.examples import IntentLabel

_CACHE = tempfile.gettempdir() + "/hark-benchmarks"


def composition() -> Composition:
    """Everything built in, as the daemon runs it, without a home."""
    return Composition(Config(storage=StorageSettings(cache=_CACHE)))


def hark() -> Prepare:
    """This assistant: its sentences, its models, and the code that combines them."""
    ours = composition()
    return reader(ours.understanding.templates_of, ours.understanding.interpreter, ours.now())


def home_assistant() -> Prepare:
    """hassil's `recognize_best` over home-assistant-intents, as Home Assistant calls it."""
    intents = Intents.from_dict(_english())

    def prepare(home: Home, area: str) -> Understand:
        lists = _slot_lists(home)
        context = {"area": area} if area else None

        def understand(text: str) -> Sequence[Command]:
            best = recognize_best(
                text,
                intents,
                slot_lists=lists,
                intent_context=context,
                language="en",
                best_metadata_key="is_custom_sentence",
                best_slot_name="name",
            )
            return [command(best.intent.name, _values(best))] if best else []

        return understand

    return prepare


def padacioso() -> Prepare:
    """Open Voice OS' matcher of examples, given our examples with their slots."""
    # A benchmark's own requirement, imported only here.
    import padacioso as package

    # It starts four processes for every text: half a second; in a thread it takes milliseconds.
    threads = SimpleNamespace(ProcessPoolExecutor=ThreadPoolExecutor, as_completed=as_completed)
    package.concurrent = SimpleNamespace(futures=threads)
    logging.getLogger("padacioso").setLevel(logging.ERROR)
    ours = composition()

    def container(home: Home) -> Any:
        texts: dict[str, list[str]] = {}
        for template in slot_templates(ours.understanding.templates_of(home)):
            texts.setdefault(template.label.text, []).append(template.text)
        made = package.IntentContainer(n_workers=1)
        for label, lines in texts.items():
            made.add_intent(label, lines)
        return made

    def prepare(home: Home, area: str) -> Understand:
        made = _by_home(home, container)

        def understand(text: str) -> Sequence[Command]:
            found = made.calc_intent(text.casefold())
            if not found.get("name"):
                return []
            label = IntentLabel.read(found["name"])
            return [command(label.intent, {**dict(label.fixed), **found["entities"]})]

        return understand

    return prepare


def tfidf_svc() -> Prepare:
    """TF-IDF of words and characters with a linear SVC; no slots except those an intent fixes."""
    from benchmarks.understanding.classifiers import svc

    ours = composition()

    def prepare(home: Home, area: str) -> Understand:
        classify = _by_home(home, lambda h: svc(sentences(ours.understanding.templates_of(h))))

        def understand(text: str) -> Sequence[Command]:
            label = classify(text)
            return [command(label.intent, dict(label.fixed))] if label else []

        return understand

    return prepare


CONTESTANTS: dict[str, Callable[[], Prepare]] = {
    "hark": hark,
    "hassil + home-assistant-intents": home_assistant,
    "padacioso": padacioso,
    "TF-IDF + linear SVC": tfidf_svc,
}

_made: list[tuple[Home, Any]] = []


def _by_home(home: Home, make: Callable[[Home], Any]) -> Any:
    """What is prepared for a home, cached for one home at a time."""
    if not _made or _made[0][0] != home:
        _made[:] = [(home, make(home))]
    return _made[0][1]


def _english() -> dict[str, Any]:
    found = get_intents("en")
    if found is None:
        raise SystemExit("home-assistant-intents holds no English sentences")
    return found


def _slot_lists(home: Home) -> dict[str, Any]:
    devices = [
        (name, entity.name, {**entity.attributes, "domain": entity.domain})
        for entity in home.entities
        for name in (entity.name, *entity.aliases)
    ]
    areas = [(n, area.name) for area in home.areas for n in (area.name, *area.aliases)]
    floors = [(n, floor.name) for floor in home.floors for n in (floor.name, *floor.aliases)]
    return {
        "name": TextSlotList.from_tuples(devices, name="name"),
        "area": TextSlotList.from_tuples(areas, name="area"),
        "floor": TextSlotList.from_tuples(floors, name="floor"),
    }


def _values(result: Any) -> dict[str, SlotValue]:
    return {entity.name: entity.value for entity in result.entities_list}


def command(intent: str, slots: Mapping[str, SlotValue]) -> Command:
    """A command with these slots."""
    filled = (Slot(name=name, value=value, raw=str(value)) for name, value in slots.items())
    return Command(intent=intent, slots=tuple(filled))
