"""Wyoming's frames: valid, of absurd values, or mutated in any way."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Sequence
from typing import Any

from benchmarks.hostile.mutation import ABSURD

Form = tuple[str, dict[str, Any], int]
"""Type, data and length of the payload of an event."""

FORMAT = {"rate": 16_000, "width": 2, "channels": 1}
NUMBERS = (0, -1, 1, 2**31, 2**63 - 1, -(2**63), 1e308, -1e308, 5e-324)
"""What is read: the others of what is absurd are no JSON."""
TEXTS = ("", "\0", "../../../../tmp/x", "\ud7ff" * 3, "a" * 100)
"""What a name may be."""
KEPT = (*FORMAT, "start_stage", "end_stage")
"""Fields whose value is a choice of few: another ends the connection."""
DEEPEST = 1_000
"""Most levels of a nested value: about where Python's own encoder gives up."""


def frame(kind: str, data: dict[str, Any], payload: bytes = b"") -> bytes:
    """An event, whole."""
    told = {"type": kind, "version": "1.10", "data": data, "payload_length": len(payload)}
    return json.dumps(told).encode() + b"\n" + payload


def absurd(rng: random.Random, valid: Sequence[Form]) -> bytes:
    """A well-formed frame, of which half have values that are of the right type, and absurd."""
    kind, data, length = rng.choice(valid)
    if rng.random() < 0.5:
        data = {k: v if k in KEPT else _absurd(rng, v) for k, v in data.items()}
    return frame(kind, data, rng.randbytes(length))


def mutated(rng: random.Random, valid: Sequence[Form]) -> bytes:
    """A frame that is valid, or was."""
    kind, data, length = rng.choice(valid)
    data, header = dict(data), {"type": kind, "version": "1.10"}
    payload = rng.randbytes(length)
    way = rng.random()
    if way < 0.3 and data:
        data[rng.choice(list(data))] = _told(rng.choice(ABSURD))
    if way < 0.5:
        body = json.dumps(data).encode()
        told: dict[str, Any] = {**header, "data_length": len(body), "payload_length": length}
        if way > 0.45:
            told[rng.choice(("data_length", "payload_length", "type"))] = _told(rng.choice(ABSURD))
        whole = json.dumps(told).encode() + b"\n" + body + payload
    else:
        whole = frame(kind, data, payload)
    if way > 0.9:
        at = rng.randrange(len(whole))
        whole = rng.choice(
            (
                whole[:at],
                whole[:at] + rng.randbytes(4) + whole[at:],
                whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :],
                b"[" * 70_000 + b"\n",
                b"\n" * 1000,
                rng.randbytes(1000),
                nested(rng.randint(DEEPEST - 60, DEEPEST)),
            )
        )
    return whole


def nested(levels: int) -> bytes:
    """A ping whose text is a list in a list, and so on."""
    return b'{"type": "ping", "data": {"text": ' + b"[" * levels + b"]" * levels + b"}}\n"


def _absurd(rng: random.Random, value: Any) -> Any:
    """Another value of the same type, where that is easily made."""
    if isinstance(value, dict):
        return {key: _absurd(rng, one) for key, one in value.items()}
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.choice(NUMBERS)
    if isinstance(value, list):  # a tuple of the device's: clearness and imprint
        imprint = rng.randbytes(rng.choice((0, 1, 3, 100, 300, 301, 20_000)))
        return [rng.choice(NUMBERS), base64.b64encode(imprint).decode()]
    return rng.choice(TEXTS) if isinstance(value, str) else value


def _told(value: Any) -> Any:
    """A value as JSON can tell it."""
    return value.hex() if isinstance(value, bytes) else value
