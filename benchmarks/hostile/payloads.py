"""What devices of Home Assistant and zigbee2mqtt publish, changed by an attacker; its meaning."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, NoReturn

LARGE_BYTES = 40_000
LARGEST_BYTES = 16_384
LONGEST_STATE = 255
FULL_BRIGHTNESS = 255

_WORDS = (
    *("ON", "OFF", "on", "Off", "OPEN", "CLOSE", "opening", "closed", "LOCK", "UNLOCK", "locked"),
    *("playing", "paused", "idle", "heat_cool", "docked", "cleaning", "not_home", "21.5", "-3"),
    *("40%", "0%", "100%", "101%", "-1%", "unavailable", "unknown", "None", "null", "online"),
    *("offline", "true", "False", "NaN", "nan%", "", " ", "\n", '"ON"', "ON\n"),
)
_LIGHTS = (
    '{"state":"ON","brightness":200,"color":{"x":0.4599,"y":0.4106},"color_mode":"color_temp",'
    '"color_temp":370,"linkquality":120,"update":{"installed_version":65554,"state":"idle"}}',
    '{"state":"OFF","brightness":0,"color":{"r":255,"g":0,"b":0},"effect":null}',
    '{"state":"ON","brightness":255,"color_mode":"rgb","color":{"r":0,"g":255,"b":0,"w":1}}',
    '{"brightness":120,"linkquality":90}',
    '{"state":null,"linkquality":0}',
)
_OTHERS = (
    '{"position":40,"state":"OPEN","motor_reversal":"OFF","moving":"STOP"}',
    '{"state":"CLOSE","position":0,"options":{"invert_cover":false}}',
    '{"state":"LOCK","lock_state":"locked","battery":87.5}',
    '{"state":"UNLOCK","lock_state":"unlocked","pin_code":{"user":1,"pin_code":null}}',
    '{"system_mode":"heat","current_heating_setpoint":21.5,"local_temperature":19.8}',
    '{"state":"on","power":12.4,"energy":1e3,"voltage":231,"child_lock":"UNLOCK"}',
    '{"state":"online"}',
    '{"state":"offline"}',
    '{"contact":true,"battery":100,"tamper":false,"last_seen":"2026-01-05T18:30:00+01:00"}',
    '{"occupancy":false,"illuminance":4,"device":{"friendlyName":"hall","ieeeAddr":"0x00"}}',
    '{"fan_state":"ON","fan_mode":"auto","percentage":33,"oscillation":"oscillate_off"}',
    '{"state":"docked","battery_level":61,"fan_speed":"max"}',
)
_KINDS = tuple(text.encode() for text in (*_WORDS, *_LIGHTS, *_LIGHTS, *_OTHERS))
_NUMBERS = (
    *(
        "1e308",
        "-1e308",
        "1e999",
        "NaN",
        "Infinity",
        "-Infinity",
        "256",
        "-1",
        "0",
        "-0.0",
        "1e-320",
    ),
    *("9" * 400, "9223372036854775808", "0x10", "1.", ".5", "01", "true", "null", '"255"', "[]"),
)
_STRINGS = (
    *(
        '"\\ud800"',
        '"o\\u0000n"',
        '"\\u202eON"',
        '"ON "',
        '"oN"',
        '""',
        "0",
        "true",
        "{}",
        '["ON"]',
    ),
    *(
        '"' + "x" * 300 + '"',
        '"1000%"',
        '"²%"',
        '"40.5%"',
        '"İ"',
        '"on\\u001b[2J"',
        '{"state":"ON"}',
    ),
)

Payload = bytes
Mutation = Callable[[random.Random, Payload], Payload]


def payload(rng: random.Random) -> Payload:
    """One of the kinds, usually changed."""
    made = rng.choice(_KINDS)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        made = rng.choice(_MUTATIONS)(rng, made)
    return made


def meaning(made: Payload) -> str:
    """The single state that a payload gives, "" for none, read by other means than the bridge's.

    Its words are those that the bridge documents: see `assistant.bridge.payloads`.
    """
    if len(made) > LARGEST_BYTES:
        return ""
    try:
        text = made.decode().strip()
        plain = json.loads(text, parse_constant=_refuse) if text[:1] in ("{", "[", '"') else text
    except (ValueError, RecursionError):
        return ""
    return _state(plain)


def _state(plain: Any) -> str:
    brightness = None
    if isinstance(plain, dict):
        brightness, plain = plain.get("brightness"), plain.get("state")
        number = type(brightness) in (int, float) and 0 <= brightness <= FULL_BRIGHTNESS
        if brightness is not None and not number:
            return ""
    if not isinstance(plain, str):
        return ""
    word = plain.strip().lower()
    if len(plain.strip()) > LONGEST_STATE or not word.isprintable() or word in ("true", "false"):
        return ""
    share = word.removesuffix("%")
    if share != word and share not in map(str, range(101)):
        return ""
    if word == "on" and brightness is not None:
        return f"{max(1, round(brightness / FULL_BRIGHTNESS * 100))}%"
    return _MEANT.get(word, word)


_MEANT = {
    **{"close": "closed", "lock": "locked", "unlock": "unlocked"},
    **{"offline": "unavailable", "online": "", "none": "unknown", "null": "unknown"},
}


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _bit(rng: random.Random, made: Payload) -> Payload:
    if not made:
        return rng.randbytes(1)
    at = rng.randrange(len(made))
    return made[:at] + bytes([made[at] ^ 1 << rng.randrange(8)]) + made[at + 1 :]


def _cut(rng: random.Random, made: Payload) -> Payload:
    return made[: rng.randrange(len(made) + 1)]


def _inserted(rng: random.Random, made: Payload) -> Payload:
    at = rng.randrange(len(made) + 1)
    return made[:at] + rng.choice(_INSERTS) + made[at:]


_INSERTS = (
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\x1b[31m", b'"', b"{", b"%"),
    "\u202e".encode(),
    "é".encode(),
)


def _number(rng: random.Random, made: Payload) -> Payload:
    return _replaced(rng, made, b'"brightness":', rng.choice(_NUMBERS).encode())


def _string(rng: random.Random, made: Payload) -> Payload:
    return _replaced(rng, made, b'"state":', rng.choice(_STRINGS).encode())


def _replaced(rng: random.Random, made: Payload, key: bytes, value: bytes) -> Payload:
    """Replace the value of `key`, or write the key twice."""
    before, found, after = made.partition(key)
    if not found:
        return b"{" + key + value + b"," + made.lstrip(b"{")
    rest = after if rng.random() < 0.2 else b"".join(after.partition(b",")[1:])
    return before + key + value + (b"," + key if rest is after else b"") + rest


def _nested(rng: random.Random, made: Payload) -> Payload:
    deep = rng.choice((3, 500, 3_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"state":', b"}")))
    return opening * deep + made + closing * rng.choice((0, deep))


def _long(rng: random.Random, made: Payload) -> Payload:
    return rng.choice((made * 50, made + b" " * LARGE_BYTES, made[:1] * LARGE_BYTES))


def _spliced(rng: random.Random, made: Payload) -> Payload:
    return _cut(rng, made) + rng.choice(_KINDS)[rng.randrange(4) :]


def _other_case(_: random.Random, made: Payload) -> Payload:
    return made.swapcase()


_MUTATIONS: tuple[Mutation, ...] = (
    *(_bit, _bit, _cut, _inserted, _number, _number, _string, _string, _spliced, _other_case),
    *(_nested, _long),
)
