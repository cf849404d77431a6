"""What sensors publish becomes a number or nothing, whatever it is."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES
from assistant.bridge.sensors.payloads import LARGEST_NUMBER, LONGEST_NUMBER, number, read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("payload", "value"),
    [
        (b"21.5", 21.5),
        (b" -3\n", -3.0),
        (b"+.5", 0.5),
        (b"1e3", 1000.0),
        (b'"21.5"', 21.5),
        (b"ON", 1.0),
        (b"off", 0.0),
        (b"true", 1.0),
        (b"False", 0.0),
        (b"1e15", LARGEST_NUMBER),
    ],
)
def test_a_plain_payload_is_a_number(payload: bytes, value: float) -> None:
    assert number(read(payload)) == value


@pytest.mark.parametrize(
    ("payload", "field", "value"),
    [
        (b'{"temperature": 21.5, "humidity": "40"}', "humidity", 40.0),
        (b'{"contact": true, "battery": 97}', "contact", 1.0),
        (b'{"state": "OFF", "power": 0}', "state", 0.0),
        (b'{"ENERGY": {"Power": {"L1": -12}}}', "ENERGY.Power.L1", -12.0),
        (b'{"n": 12345678901}', "n", 12345678901.0),
    ],
)
def test_a_field_of_json_is_a_number(payload: bytes, field: str, value: float) -> None:
    assert number(read(payload), field.split(".")) == value


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b" ", b"unavailable", b"unknown", b"null", b"None", b"nan", b"inf", b"-Infinity"),
        *(b"1_000", b"0x10", b"21,5", b"21.5 C", b"1e16", b"1e999", b"1e9999", b"--1", b"e3", b"."),
        *(b"\xff\xfe", b"\x00", "٣".encode(), "１".encode(), b"{", b'{"a": NaN}', b'"', b"[1]"),
        *(b"{}", b'{"value": 3}', b'"' + b"1" * 65 + b'"', b"1" * (LONGEST_NUMBER + 1)),
        *(b"[" * 16_000, b'{"a":' * 3000, b" " * LARGEST_PAYLOAD_BYTES + b"1"),
    ],
)
def test_what_is_no_number_is_none(payload: bytes) -> None:
    assert number(read(payload)) is None


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (b'{"a": null}', "a"),
        (b'{"a": {"b": 1}}', "a"),
        (b'{"a": [1]}', "a"),
        (b'{"a": 1}', "a.b"),
        (b'{"a": 1e300}', "a"),
        (b'{"a": ' + b"9" * 400 + b"}", "a"),
        (b'{"a": "unavailable"}', "a"),
        (b'{"b": 1}', "a"),
        (b"21.5", "a"),
    ],
)
def test_a_field_without_a_number_is_none(payload: bytes, field: str) -> None:
    assert number(read(payload), field.split(".")) is None


def test_as_long_as_allowed_and_no_longer() -> None:
    assert number(read(b"1".rjust(LARGEST_PAYLOAD_BYTES))) == 1.0
    assert number(read(b"1".rjust(LARGEST_PAYLOAD_BYTES + 1))) is None
    assert number(read(b"0" * (LONGEST_NUMBER - 1) + b"7")) == 7.0


@given(st.binary() | JSON.map(lambda told: json.dumps(told).encode()), st.sampled_from(["", "a"]))
def test_whatever_comes_is_a_finite_number_or_none(payload: bytes, field: str) -> None:
    found = number(read(payload), (field,) if field else ())
    assert found is None or (math.isfinite(found) and abs(found) <= LARGEST_NUMBER)


@given(st.floats(-LARGEST_NUMBER, LARGEST_NUMBER))
def test_every_number_comes_through_plain_quoted_and_in_json(value: float) -> None:
    text = repr(value)
    assert number(read(text.encode())) == value
    assert number(read(f'"{text}"'.encode())) == value
    assert number(read(json.dumps({"a": {"b": value}}).encode()), ("a", "b")) == value
