"""On and off are also open and closed, locked and unlocked, started and sent home."""

from __future__ import annotations

import msgspec
import pytest

from assistant.core.messages import DeviceChanged, Slot, SlotValue
from tests.support.house import replied, sent
from tests.support.talking import Talk, command, directed, unsure

Slots = dict[str, SlotValue]


@pytest.mark.parametrize(
    ("slots", "told", "states"),
    [
        (
            {"domain": "cover", "device_class": "curtain", "area": "Living Room"},
            "I opened two curtains in the living room.",
            {"cover.left": "open", "cover.right": "open"},
        ),
        (
            {"domain": "cover", "device_class": "shade", "floor": "Upstairs"},
            "I opened the shade.",
            {"cover.shade": "open"},
        ),
        (
            {"name": "Curtain Right", "domain": "cover"},
            "I opened the curtain right.",
            {"cover.right": "open"},
        ),
        (
            {"domain": "cover", "device_class": "garage"},
            "I opened the garage door.",
            {"cover.garage": "open"},
        ),
        (
            {"name": "Garden Valve", "domain": "valve"},
            "I opened the garden valve.",
            {"valve.garden": "open"},
        ),
        (
            {"name": "Back Door", "domain": "lock"},
            "I locked the back door.",
            {"lock.back": "locked"},
        ),
        ({"domain": "lock"}, "I locked two locks.", {"lock.back": "locked"}),
        ({"name": "Rover"}, "I started Rover.", {"vacuum.rover": "cleaning"}),
        ({"name": "Party Mode", "domain": "scene"}, "I activated the party mode.", {}),
        ({"name": "Leaving", "domain": "script"}, "I ran the leaving.", {}),
        (
            {"domain": "light", "floor": "Upstairs"},
            "I turned on the bed light.",
            {"light.bed": "on"},
        ),
        ({"name": "all", "domain": "fan"}, "I turned on the ceiling fan.", {"fan.ceiling": "on"}),
    ],
)
def test_on(house: Talk, slots: Slots, told: str, states: dict[str, str]) -> None:
    reply = replied(house.hear("words", command("HassTurnOn", **slots)))
    assert (reply.text, reply.done, reply.acted) == (told, True, True)
    assert {entity_id: house.state(entity_id) for entity_id in states} == states


@pytest.mark.parametrize(
    ("slots", "told", "states"),
    [
        ({"name": "Shade", "domain": "cover"}, "I closed the shade.", {"cover.shade": "closed"}),
        ({"name": "Rover"}, "I sent Rover home.", {"vacuum.rover": "returning"}),
        ({"name": "all"}, "I turned off five devices.", {"light.counter": "off"}),
    ],
)
def test_off(house: Talk, slots: Slots, told: str, states: dict[str, str]) -> None:
    assert house.say("words", command("HassTurnOff", **slots)) == told
    assert {entity_id: house.state(entity_id) for entity_id in states} == states


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"name": "Garden Temperature"}, "I can't turn on the garden temperature."),
        ({"name": "Sauna"}, "I don't know of any device called sauna."),
        ({"name": "Garage Door", "domain": "lock"}, "I don't know of any lock called garage door."),
        (
            {"domain": "cover", "device_class": "curtain", "area": "Bedroom"},
            "I don't know of any curtain in the bedroom.",
        ),
        (
            {"domain": "switch", "floor": "Ground Floor"},
            "I don't know of any switch on the ground floor.",
        ),
        (
            {"name": "Counter", "area": "Bedroom"},
            "I don't know of any device called counter in the bedroom.",
        ),
    ],
)
def test_what_cannot_be_is_told(house: Talk, slots: Slots, told: str) -> None:
    reply = replied(house.hear("words", command("HassTurnOn", **slots)))
    assert (reply.text, reply.done, reply.acted) == (told, False, False)


def test_a_room_without_curtains_does_not_mean_those_of_another(house: Talk) -> None:
    told = house.ask("HassTurnOn", domain="cover", device_class="curtain")
    assert told == "I don't know of any curtain in the kitchen."


# ── what opens the way in ───────────────────────────────────────────────────────────────────

UNLOCK = directed(command("HassTurnOff", domain="lock", name="Front Door"), "unlock")
GARAGE = command("HassTurnOn", domain="cover", device_class="garage")
HALF_OPEN = command("HassSetPosition", name="Garage Door", position=50)


@pytest.mark.parametrize(
    ("asked", "question", "entity_id", "before", "after"),
    [
        (UNLOCK, "Shall I unlock the front door?", "lock.front", "locked", "unlocked"),
        (GARAGE, "Shall I open the garage door?", "cover.garage", "closed", "open"),
        (
            HALF_OPEN,
            "Shall I open the garage door to 50 percent?",
            "cover.garage",
            "closed",
            "open",
        ),
    ],
)
def test_what_was_not_heard_well_opens_nothing_unasked(
    house: Talk, asked: object, question: str, entity_id: str, before: str, after: str
) -> None:
    doubtful = unsure(0.84, asked)  # type: ignore[arg-type]
    reply = replied(house.hear("words", doubtful))
    assert (reply.text, reply.listen, reply.acted) == (question, True, False)
    assert house.state(entity_id) == before
    assert house.say("no") == "Okay, I left it as it is."
    assert house.state(entity_id) == before
    house.hear("words", doubtful)
    house.say("yes")
    assert house.state(entity_id) == after


def test_nor_does_silence(house: Talk) -> None:
    house.hear("words", unsure(0.5, UNLOCK))
    assert house.say("") == "Okay, never mind."
    assert house.state("lock.front") == "locked"


def test_one_slot_that_was_not_heard_well_is_enough_to_ask(house: Talk) -> None:
    slots = tuple(msgspec.structs.replace(slot, confidence=0.6) for slot in UNLOCK.slots)
    told = house.say("words", msgspec.structs.replace(UNLOCK, slots=slots))
    assert told == "Shall I unlock the front door?"


def test_what_closes_is_done_at_once(house: Talk) -> None:
    lock = unsure(0.4, command("HassTurnOn", domain="lock", name="Back Door"))
    assert house.say("words", lock) == "I locked the back door."


def test_a_curtain_is_no_way_in(house: Talk) -> None:
    curtain = unsure(0.4, command("HassTurnOn", domain="cover", name="Curtain Right"))
    assert house.say("words", curtain) == "I opened the curtain right."


NO_DOOR = "I can't do that with the front door; I can {} it or {} it."


@pytest.mark.parametrize(
    ("intent", "said", "told", "state"),
    [
        ("HassTurnOff", "unlock", "I unlocked the front door.", "unlocked"),
        ("HassTurnOn", "lock", "I locked the front door.", "locked"),
        (
            "HassTurnOff",
            "close",
            "I can't do that with the front door; I can unlock it or lock it.",
            "",
        ),
        (
            "HassTurnOff",
            "off",
            "I can't do that with the front door; I can unlock it or lock it.",
            "",
        ),
        (
            "HassTurnOn",
            "open",
            "I can't do that with the front door; I can lock it or unlock it.",
            "",
        ),
        ("HassTurnOff", "", "Shall I unlock the front door?", ""),
    ],
)
def test_a_lock_obeys_its_own_words_alone(
    house: Talk, intent: str, said: str, told: str, state: str
) -> None:
    before = house.state("lock.front")
    heard = directed(command(intent, name="Front Door"), *([said] if said else []))
    assert house.say("words", heard) == told
    assert house.state("lock.front") == (state or before)


def test_undo_locks_again_and_asks_before_it_unlocks(house: Talk) -> None:
    house.say("words", UNLOCK)
    assert house.ask("Undo") == "I took that back."
    assert house.state("lock.front") == "locked"
    house.ask("HassTurnOn", domain="lock", name="Back Door")
    assert house.ask("Undo") == "Shall I unlock the back door again?"
    assert house.say("no") == "Okay, I left it as it is."
    assert house.state("lock.back") == "locked"
    assert house.ask("Undo") == "Shall I unlock the back door again?"
    assert house.say("yes") == "I took that back."
    assert house.state("lock.back") == "unlocked"


def test_a_cover_is_set_back(house: Talk) -> None:
    house.ask("HassTurnOn", domain="cover", device_class="curtain", area="Living Room")
    assert house.ask("Undo") == "I took that back."
    assert [house.state(f"cover.{side}") for side in ("left", "right")] == ["open", "closed"]


def test_a_reply_is_said_again(house: Talk) -> None:
    told = house.ask("HassTurnOn", name="Curtain Right", domain="cover")
    assert house.ask("Repeat") == told


@pytest.mark.parametrize(
    ("name", "question", "entity_id", "state"),
    [
        ("Counter", "Shall I turn off the counter?", "light.counter", "off"),
        ("Bed Light", "Shall I turn on the bed light in the bedroom?", "light.bed", "on"),
        ("Shade", "Shall I close the shade in the bedroom?", "cover.shade", "closed"),
        ("Back Door", "Shall I lock the back door?", "lock.back", "locked"),
    ],
)
def test_a_device_that_is_only_named_is_asked_about(
    house: Talk, name: str, question: str, entity_id: str, state: str
) -> None:
    before = house.state(entity_id)
    assert house.ask("NameDevice", name=name) == question
    assert house.state(entity_id) == before
    house.say("yes")
    assert house.state(entity_id) == state


def test_a_name_alone_unlocks_nothing(house: Talk) -> None:
    assert house.ask("NameDevice", name="Front Door") == "The front door is locked."
    assert house.state("lock.front") == "locked"


def test_one_of_several_devices_is_asked_for(house: Talk) -> None:
    which = Slot(name="name", value="Bed Light", raw="light", others=("Counter",))
    heard = msgspec.structs.replace(command("HassTurnOn"), slots=(which,))
    assert house.say("words", heard) == "Do you mean Bed Light or Counter?"
    assert house.state("light.bed") == "off"
    house.say("the bed one")
    assert house.state("light.bed") == "on"


# ── the broker ──────────────────────────────────────────────────────────────────────────────


def test_states_and_commands_are_sent(bridged: Talk) -> None:
    (lock,) = sent(bridged.hear("words", command("HassTurnOn", domain="lock", name="Back Door")))
    assert (lock.entity_id, lock.state, lock.command) == ("lock.back", "locked", "")
    (scene,) = sent(bridged.hear("words", command("HassTurnOn", domain="scene", name="Party Mode")))
    assert (scene.entity_id, scene.state, scene.command) == ("scene.party", "", "on")


def test_a_command_does_not_wait_for_the_broker_and_that_is_told(bridged: Talk) -> None:
    bridged.feed(DeviceChanged(device="broker", present=False))
    reply = replied(bridged.hear("words", command("HassTurnOn", domain="scene", name="Party Mode")))
    assert (reply.text, reply.done) == ("I can't reach the party mode now.", False)
    assert bridged.feed(DeviceChanged(device="broker", present=True)) == []


@pytest.mark.parametrize("intent", ["HassTurnOn", "HassTurnOff"])
def test_a_door_that_only_has_a_lock_is_told_apart_from_its_lock(house: Talk, intent: str) -> None:
    way = "open" if intent == "HassTurnOn" else "close"
    door = directed(command(intent, domain="cover", device_class="door"), way)
    reply = replied(house.hear(f"{way} the door", door))
    assert reply.text.startswith("I can't do that with two locks; I can lock it or unlock it") or (
        reply.text == "I can't do that with two locks; I can unlock it or lock it."
    )
    assert not reply.acted
