"""Messages of the bus, and how an attacker changes them."""

from __future__ import annotations

import random
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from assistant.core import messages
from assistant.core.calendar.messages import CollectedEvent, EventChange
from assistant.core.codec import decode, encode
from assistant.core.errors import CodecError
from assistant.core.home.forecast import ForecastDay
from assistant.core.home.lists import ListChange, ListedItem
from assistant.core.messages import Message, concrete
from assistant.core.parts import (
    Choice,
    Command,
    Fact,
    FindFreeTime,
    FindNextEvent,
    ListedDocument,
    ListEvents,
    ListNotes,
    NameCalendar,
    NameSource,
    OpenQuestion,
    Period,
    RepeatAnswer,
    Slot,
    Summarise,
    Word,
    WordFacts,
)

Frames = list[bytes]

LARGE_BYTES = 3_900_000
"""Bytes just below the most that the bus takes in one frame."""
DEEP = 200_000
ABSURD: tuple[Any, ...] = (
    *(0, -1, 1, 2**31, 2**63 - 1, -(2**63), 2**64 - 1),
    *(1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"), -0.0),
    *("", "\0", "../../../../tmp/x", "\ud7ff" * 3, "a" * 10_000, "light.nobody"),
    *(b"", b"\0" * 7, b"\xff" * 4097, None, True, False, [], {}, [[]], {"": None}),
)
"""Values that no part of the assistant ever sends, most of the right type somewhere."""
COSTLY = (
    messages.Transcript,
    messages.Question,
    messages.SpokenReply,
    messages.Speech,
    messages.AudioChunk,
    messages.Utterance,
    messages.StageFailed,
)
"""Messages of which a valid one keeps a stage busy for long: a few of them are enough."""
COMMANDS = (messages.Reload, messages.Replace)
"""Messages that are commands: a valid one is no attack, since it is carried out."""
KEPT_COSTLY = 0.004
_NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
_LIGHT = Slot(name="name", value="Window Light", raw="window light")
_COMMAND = Command(intent="HassTurnOn", slots=(_LIGHT,))
_PERIOD = Period(since=_NOON, until=_NOON)
TASKS = (
    OpenQuestion(nearest="turn on the light", period=_PERIOD, persons=("Alice",)),
    WordFacts(facts=(Fact(name="temperature", value="21 degrees"),)),
    NameSource(),
    RepeatAnswer(),
    Summarise(name="kettle"),
    ListEvents(period=_PERIOD, said="today"),
    FindNextEvent(person="Alice"),
    FindFreeTime(period=_PERIOD, said="today"),
    NameCalendar(event="dentist"),
    ListNotes(period=_PERIOD, said="today", topic="boiler"),
)
"""One task of each kind that a question can have."""
_FULL: dict[str, Any] = {
    "words": (Word(text="on", start_s=0.1, end_s=0.3, confidence=0.9),),
    "alternatives": ("turn off the window light",),
    "commands": (_COMMAND,),
    "choices": (Choice(sentence="turn on the window light", command=_COMMAND),),
    "unclaimed": TASKS[0],
    "task": TASKS[0],
    "sentences": ("It is small.",),
    "facts": (messages.Fact(name="minutes", value="5"),),
    "documents": (ListedDocument(title="A", kind="text", path="/a", passages=1, unencoded=0),),
    "attributes": {"brightness": 40},
    "text": "turn on the window light",
    "samples": bytes(3200),
    "rate_hz": 22_050,
    "entity_id": "light.nobody",
    "states": {"light.nobody": "on"},
    "action": "list",
    "stage": "nlu",
    "anomaly": messages.Anomaly(id="1", sensor="s", fault="high", began=_NOON, score=2.0),
}
"""A non-default value for each field, in whatever message it occurs."""
_FULL_OF: dict[tuple[type[Message], str], Any] = {
    (messages.HomeStates, "attributes"): {"light.nobody": {"brightness": 40}},
    (messages.MusicLibrary, "names"): {"artist": ["Queen"]},
    (messages.HomeForecasts, "forecasts"): {"weather.home": [ForecastDay(at="2026-01-06")]},
    (messages.HomeLists, "lists"): {"todo.shopping": [ListedItem("1", "milk")]},
    (messages.CalendarCommand, "changes"): (EventChange("1", "/1.ics", '"1"', "x"),),
    (messages.CalendarReport, "events"): (CollectedEvent("/1.ics", '"1"', "x"),),
    (messages.HomeCommand, "items"): (ListChange("1", "milk", "done"),),
    (messages.SensorValues, "values"): (messages.SensorValue("s", 1.0, 1.0),),
    (messages.SensorValues, "unusable"): {"s": 1},
    (messages.SensorsReport, "readings"): (
        messages.SensorReading("s", "well", 1.0, 0.0, 1.0, 0.0, 2.0),
    ),
    (messages.SensorsReport, "counts"): {"values": 1},
    (messages.SensorsRequest, "what"): "learn",
    (messages.SensorsRequest, "anomaly"): "1",
    (messages.Question, "wording"): "late",
    (messages.Simplify, "why"): "slow",
    (messages.ModelsUsed, "models"): (
        messages.ModelUse(model="ner", version="1", cpu_s=1.0, runs=1),
    ),
    (messages.HomeDescribed, "text"): '{"areas": [{"name": "Kitchen", "id": "kitchen"}]}',
}
"""The same for fields that are other ones than those of their name elsewhere."""
_OF_TYPE: dict[Any, Any] = {str: "x", int: 1, float: 1.0, bool: True, bytes: bytes(64)} | {
    tuple: (),
    dict: {"light.nobody": "on"},
}


def samples() -> list[Message]:
    """One message of every type, with every field filled, and a Question of each task.

    Their ids never coincide.
    """
    asked = [
        messages.Question(utterance_id=f"attack-{type(task).__name__}", text="x", task=task)
        for task in TASKS
    ]
    return [*map(_sample, concrete(Message)), *asked]


def _sample(kind: type[Message]) -> Message:
    values = {}
    for field in msgspec.structs.fields(kind):
        if field.name == "utterance_id":
            values[field.name] = f"attack-{kind.__name__}"
        elif (kind, field.name) in _FULL_OF:
            values[field.name] = _FULL_OF[kind, field.name]
        elif field.name in _FULL and (kind, field.name) != (messages.DocumentsDone, "documents"):
            values[field.name] = _FULL[field.name]
        elif field.required:
            values[field.name] = _OF_TYPE.get(typing.get_origin(field.type) or field.type, "x")
    return msgspec.convert(values, kind)


_SAMPLES = samples()
_ENCODED = [encode(message) for message in _SAMPLES]
_PLAIN = [msgspec.to_builtins(m, builtin_types=(bytes,)) for m in _SAMPLES]


def mutated(rng: random.Random) -> Frames:
    """A message that is wrong in some way, or absurd."""
    (make,) = rng.choices(_MAKERS, _WEIGHTS)
    frames = make(rng)
    return frames if _may_be_sent(frames, rng) else _broken(frames)


def _may_be_sent(frames: Frames, rng: random.Random) -> bool:
    if len(frames) != 2:
        return True
    try:
        message = decode(frames)
    except (CodecError, RecursionError):
        return True
    if isinstance(message, COMMANDS):
        return False
    return not isinstance(message, COSTLY) or rng.random() < KEPT_COSTLY


def _broken(frames: Frames) -> Frames:
    return [frames[0], frames[1][:-1]]


def _any(rng: random.Random) -> Frames:
    return list(rng.choice(_ENCODED))


def _bits(rng: random.Random) -> Frames:
    frames = _any(rng)
    where = rng.random() < 0.1
    changed = bytearray(frames[not where])
    for _ in range(rng.choice((1, 1, 2, 3, 8, 40))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    frames[not where] = bytes(changed)
    return frames


def _truncated(rng: random.Random) -> Frames:
    head, body = _any(rng)
    return [head, body[: rng.randrange(len(body))] + rng.randbytes(rng.choice((0, 0, 1, 9)))]


def _spliced(rng: random.Random) -> Frames:
    (head, one), (_, other) = _any(rng), _any(rng)
    return [head, one[: rng.randrange(len(one))] + other[rng.randrange(len(other)) :]]


def _confused(rng: random.Random) -> Frames:
    """Replace one value, at any depth, by another."""
    number = rng.randrange(len(_PLAIN))
    plain = replaced(_PLAIN[number], rng.choice(ABSURD), rng)
    return [_ENCODED[number][0], msgspec.msgpack.encode(plain)]


def _absurd(rng: random.Random) -> Frames:
    """As `_confused`, but every top-level value that can be is absurd, and the message is valid."""
    number = rng.randrange(len(_PLAIN))
    kind, plain = type(_SAMPLES[number]), dict(_PLAIN[number])
    for name in plain:
        if name in ("type", "entity_id", "utterance_id"):
            continue
        value = rng.choice(ABSURD)
        try:
            msgspec.convert({**plain, name: value}, kind)
        except (msgspec.ValidationError, OverflowError):
            continue
        plain[name] = value
    return [_ENCODED[number][0], msgspec.msgpack.encode(plain)]


def replaced(value: Any, by: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        action = rng.random()
        if action < 0.1:
            return {k: v for k, v in value.items() if k != name}
        if action < 0.2:
            return {**value, rng.choice(("extra", "", "type", "at_s")): by}
        return {**value, name: replaced(value[name], by, rng)}
    if isinstance(value, list | tuple) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return [*value[:place], replaced(value[place], by, rng), *value[place + 1 :]]
    return by


def _framed(rng: random.Random) -> Frames:
    head, body = _any(rng)
    return rng.choice(
        (
            [body],
            [head],
            [b""],
            [b"", b""],
            [b"", head, body],
            [head, body, b""],
            [body, head],
            [head, head],
            [head[:-1], body],
            [head + b"x", body],
            [rng.choice(_ENCODED)[0], body],
            [head, body] * rng.choice((2, 50, 1000)),
            [b"\0" * rng.choice((1, 70_000)), body],
        )
    )


def _nested(rng: random.Random) -> Frames:
    """Arrays in arrays, or maps in maps, with or without an end, as a message or in one."""
    deep = rng.choice((100, 1_500, DEEP))
    opening = rng.choice((b"\x91", b"\x81\xa1a", b"\x92\xc0", b"\xdc\x00\x01"))
    body = opening * deep + rng.choice((b"", b"\xc0"))
    head, whole = _any(rng)
    inside = b"\x82\xa4type" + msgspec.msgpack.encode(head[:-1].decode()) + b"\xa7utterances" + body
    return [head, rng.choice((body, inside, whole[:-1] + body))]


def _noise(rng: random.Random) -> Frames:
    return [rng.choice((*(e[0] for e in _ENCODED), b"x")), rng.randbytes(rng.choice((1, 40, 4000)))]


def _lying(rng: random.Random) -> Frames:
    """A length that is not true: a reader that believes it takes all memory."""
    head = rng.choice(_ENCODED)[0]
    length = rng.choice((b"\xdd", b"\xdf", b"\xc6", b"\xdb")) + b"\xff\xff\xff\xff"
    return [head, rng.choice((length, b"\x81" + length, b"\x82\xa4type" + length)) + b"\0" * 9]


def _huge(rng: random.Random) -> Frames:
    number = rng.randrange(len(_PLAIN))
    texts = [k for k, v in _PLAIN[number].items() if isinstance(v, str) and k != "type"] or ["x"]
    plain = {**_PLAIN[number], rng.choice(texts): "a " * (LARGE_BYTES // 2)}
    return [_ENCODED[number][0], msgspec.msgpack.encode(plain)]


def _long(rng: random.Random) -> Frames:
    """A text of a length that nobody says."""
    number = rng.choice([n for n, plain in enumerate(_PLAIN) if "text" in plain])
    text = rng.choice(("a ", "one ", "turn on the light and ", "x"))
    plain = {**_PLAIN[number], "text": text * (rng.choice((4_000, 40_000, 400_000)) // len(text))}
    return [_ENCODED[number][0], msgspec.msgpack.encode(plain)]


def _larger_than_allowed(rng: random.Random) -> Frames:
    return [_any(rng)[0], bytes(LARGE_BYTES + rng.choice((200_000, 5_000_000)))]


def _many_large(rng: random.Random) -> Frames:
    return [_any(rng)[0], *[bytes(LARGE_BYTES)] * rng.choice((3, 20, 250))]


def _many_small(rng: random.Random) -> Frames:
    return [*_any(rng), *[b""] * rng.choice((1_000, 100_000))]


_KINDS: dict[Callable[[random.Random], Frames], float] = {
    _bits: 30,
    _confused: 25,
    _truncated: 10,
    _framed: 10,
    _spliced: 8,
    _absurd: 8,
    _noise: 5,
    _lying: 2,
    _nested: 1,
    _long: 0.1,
    _huge: 0.02,
    _larger_than_allowed: 0.02,
    _many_small: 0.01,
    _many_large: 0.003,
}
"""Functions that make a message → their shares in hundredths."""
_MAKERS, _WEIGHTS = tuple(_KINDS), tuple(_KINDS.values())


def absurd_command(rng: random.Random, utterance_id: str) -> list[Frames]:
    """An interpretation that nobody could have meant, and the commit to it."""
    intent, name, values = rng.choice(_IMPOSSIBLE)
    slots = [Slot(name=name, value=rng.choice(values), raw="x")]
    if rng.random() < 0.3:
        slots *= rng.choice((2, 300))
    if intent == "HassLightSet":
        slots.append(_LIGHT)
    command = Command(intent=intent, slots=tuple(slots), confidence=1.0)
    meant = messages.Interpretation(
        utterance_id=utterance_id, revision=0, text="x", commands=(command,)
    )
    return [encode(meant), encode(messages.Commit(utterance_id=utterance_id, revision=0))]


_NUMBERS = (float("nan"), float("inf"), -1.0, -1e308, 1e308, 2**63 - 1, "many", "")
_IMPOSSIBLE = (
    ("HassStartTimer", "duration", _NUMBERS),
    ("HassTurnOn", "name", ("nobody's lamp", "", 7, -1.0, "\0", "light.window_light' --")),
    ("HassLightSet", "brightness", (*_NUMBERS, 101, -1)),
    ("HassClimateSetTemperature", "temperature", (*_NUMBERS, 1e9)),
    ("HassShoppingListAddItem", "item", ("", "  ")),
    ("HassIncreaseTimer", "duration", _NUMBERS),
    ("Hass\0", "name", ("x",)),
    ("__class__", "__init__", ("x",)),
)
"""Intents that act, a slot, and values for which they must not; without the slot they would ask."""
