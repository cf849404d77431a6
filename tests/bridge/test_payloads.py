"""What devices say becomes a state or is refused, whatever it is; and what they are told."""

from __future__ import annotations

import contextlib
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bridge.payloads import (
    command_payload,
    command_topic,
    presence_topic,
    read_state,
    state_topic,
)
from assistant.core.errors import BridgeError
from assistant.core.messages import SlotValue


@pytest.mark.parametrize(
    ("state", "payload"),
    [("on", b"ON"), ("off", b"OFF"), ("locked", b"LOCK"), ("closed", b"CLOSE"), ("heat", b"heat")],
)
def test_states_become_the_payloads_that_devices_know(state: str, payload: bytes) -> None:
    assert command_payload(state) == payload


@pytest.mark.parametrize(
    ("state", "attributes", "payload"),
    [
        ("open", {"position": 40}, b'{"position":40}'),
        ("on", {"color": "red"}, b'{"state":"ON","color":{"r":255,"g":0,"b":0}}'),
        ("", {"color_temp_kelvin": 2700}, b'{"color_temp":370}'),
        ("", {"color_temp_kelvin": 0}, b'{"color_temp":1000000}'),
        (
            "40%",
            {"color": "lime"},
            b'{"state":"ON","brightness":102,"color":{"r":0,"g":255,"b":0}}',
        ),
        ("", {"color": "2700 K"}, b'{"color":{"r":255,"g":255,"b":255}}'),
        ("", {"volume_level": 30}, b'{"volume_level":30}'),
        ("heat", {"temperature": 21}, b'{"state":"heat","temperature":21}'),
        ("cleaning", {}, b"start"),
        ("next", {}, b"next"),
    ],
)
def test_attributes_are_told_in_json(
    state: str, attributes: dict[str, SlotValue], payload: bytes
) -> None:
    assert command_payload(state, attributes) == payload


@pytest.mark.parametrize("entity_id", ["light", ".x", "light.", "light.a/b", "light.#", "a+.b"])
def test_a_name_that_is_no_topic_is_refused(entity_id: str) -> None:
    for topic in (command_topic, state_topic):
        with pytest.raises(BridgeError, match="topic"):
            topic("hark", entity_id)


def test_all_but_four_characters_may_stand_in_a_name() -> None:
    name = "".join(character for character in string.printable if character not in "/+#")
    assert state_topic("hark", f"light.{name}") == f"hark/light/{name}/state"


@pytest.mark.parametrize(
    ("payload", "state"),
    [
        ("ON", "on"),
        (" Off\n", "off"),
        ('"ON"', "on"),
        ("40%", "40%"),
        ("heat_cool", "heat_cool"),
        ("21.5", "21.5"),
        ('{"state":"ON","brightness":254,"color":{"x":0.4,"y":0.3},"linkquality":90}', "100%"),
        ('{"state":"on","brightness":0}', "1%"),
        ('{"state":"OFF","brightness":128,"color_mode":"rgb","color":{"r":1}}', "off"),
        ('{"state":"CLOSE","position":0}', "closed"),
        ('{"state":"LOCK","lock_state":"locked"}', "locked"),
        ("UNLOCK", "unlocked"),
        ("Unavailable", "unavailable"),
        ("offline", "unavailable"),
        ('{"state":"offline"}', "unavailable"),
        ("None", "unknown"),
    ],
)
def test_what_devices_say_of_their_state(payload: str, state: str) -> None:
    assert read_state(payload.encode()) == state


@pytest.mark.parametrize(
    "payload", ["", "  ", "online", '{"state":null}', "{}", '{"brightness":3}', '{"update":{}}']
)
def test_what_says_nothing_of_the_state(payload: str) -> None:
    assert read_state(payload.encode()) == ""


@pytest.mark.parametrize(
    "payload",
    [
        b"\xff",
        b"\xed\xa0\x80",
        b"O\0N",
        b"on\x1b[2J",
        b"on\noff",
        "\u202eno".encode(),
        b"x" * 256,
        b"x" * 20_000,
        b"{",
        b"[]",
        b'["ON"]',
        b"true",
        b"1000%",
        b"-1%",
        b"NaN%",
        "²%".encode(),
        b'{"state":3}',
        b'{"state":true}',
        b'{"state":{"state":"ON"}}',
        b'{"state":"\\ud800"}',
        b'{"state":"o\\u0000n"}',
        b'{"state":"ON","brightness":"255"}',
        b'{"state":"ON","brightness":true}',
        b'{"state":"ON","brightness":-1}',
        b'{"state":"ON","brightness":256}',
        b'{"state":"ON","brightness":1e308}',
        b'{"state":"ON","brightness":1e999}',
        b'{"state":"ON","brightness":-1e308}',
        b'{"state":"ON","brightness":NaN}',
        b'{"state":"ON","brightness":Infinity}',
        b'{"state":"ON","brightness":' + b"9" * 4000 + b"}",
        b'{"x":' + b"[" * 9000,
        b"[" * 9000,
        b'{"state":"ON"}{"state":"OFF"}',
    ],
)
def test_what_is_no_state_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        read_state(payload)


@given(st.integers(1, 100))
def test_a_brightness_survives_the_way_there_and_back(percent: int) -> None:
    assert read_state(command_payload(f"{percent}%")) == f"{percent}%"


NUMBERS = st.floats().map(repr) | st.integers().map(str)
WORDS = st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass"))
LIGHTS = NUMBERS.map(lambda number: b'{"state":"ON","brightness":%s}' % number.encode())


@given(st.binary(max_size=64) | WORDS | LIGHTS)
def test_any_payload_is_a_state_that_can_be_sent_back_or_refused(payload: bytes) -> None:
    with contextlib.suppress(ValueError):
        state = read_state(payload)
        assert state == state.lower()
        assert state.isprintable()
        assert command_payload(state) is not None


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"true", "it is neither a word nor a percentage"),
        (b"False", "it is neither a word nor a percentage"),
        (b"101%", "it is neither a word nor a percentage"),
        (b"x" * 256, "it is too long or not printable"),
        (b"x" * 16_385, "16385 bytes are too many"),
    ],
)
def test_why_it_is_no_state_is_one_line(payload: bytes, why: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - its message is compared
        read_state(payload)
    assert str(refused.value) == why


def test_a_payload_and_a_state_may_be_so_long_and_no_longer() -> None:
    padded = b'{"state":"on","padding":"' + b"x" * 20_000
    assert read_state(padded[:16_382] + b'"}') == "on"
    with pytest.raises(ValueError, match="16385 bytes are too many"):
        read_state(padded[:16_383] + b'"}')
    assert read_state(b"x" * 255) == "x" * 255


def test_a_device_that_commands_its_own_topic_is_read_by_the_state_it_means() -> None:
    meant = {"CLOSE": "closed", "LOCK": "locked", "UNLOCK": "unlocked", "online": ""}
    lost = {"offline": "unavailable", "None": "unknown", "null": "unknown"}
    for payload, state in (meant | lost).items():
        assert read_state(payload.encode()) == state


def test_each_state_has_its_payload() -> None:
    states = ("off", "open", "unlocked", "playing", "paused", "mowing", "returning", "docked")
    payloads = [command_payload(state).decode() for state in states]
    wanted = ["OFF", "OPEN", "UNLOCK", "play", "pause", "start_mowing", "return_to_base", "dock"]
    assert payloads == wanted
    assert command_payload("100%") == b'{"state":"ON","brightness":255}'


def test_topics_are_named_after_the_device_and_what_names_none_has_a_code() -> None:
    assert command_topic("home", "light.kitchen") == "home/light/kitchen/set"
    assert state_topic("home", "light.kitchen") == "home/light/kitchen/state"
    assert presence_topic("home") == "home/bridge/state"
    with pytest.raises(BridgeError, match="rename it in the home file") as fault:
        command_topic("home", "kitchen")
    assert fault.value.code == "bridge.topic"
