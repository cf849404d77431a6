"""What devices publish over MQTT: what they are, and their states."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec

from assistant.bridge.described import described_text
from assistant.bridge.discovery.announcements import LARGEST_BYTES
from assistant.bridge.discovery.devices import described
from assistant.bridge.discovery.registry import Registry
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES, read_state
from assistant.bridge.sensors.alarms import Alarms
from assistant.core.codec import encode
from assistant.core.errors import BridgeError
from assistant.core.messages import HomeDescribed, HomeStates
from assistant.skill.home import read_home
from benchmarks.hostile.parsers.parser import Parser
from benchmarks.hostile.payloads import payload

SEPARATOR = b"\n"
"""Between a topic, what is announced there, and what its device then tells, one a line."""


def _read_state(content: bytes) -> bool:
    _ALARMS.remember(content)
    encode(HomeStates(states={"light.x": read_state(content)}))
    return True


def _plain(size: int) -> bytes:
    return b'{"state":"ON","note":"%s"}' % (b"x" * max(0, size - 24))


_ALARMS = Alarms("hark")
MQTT_STATES = Parser(
    read=_read_state,
    refusals=(ValueError,),
    samples=(b"ON", b"40%", b'{"state":"ON","brightness":200}', b'{"id":"1","state":null}'),
    honest=_plain,
    pieces=(b'"state":', b'"brightness":', b'"id":"', b"%", b"ON", b'"ON"'),
    nests=((b"[", b"]"), (b'{"state":', b"}")),
    attacks=(payload,),
    largest=LARGEST_PAYLOAD_BYTES + 1,
    room_mb=80,
)


def _read_announcement(content: bytes) -> bool:
    topic, _, rest = content.partition(SEPARATOR)
    announced, *told = rest.split(SEPARATOR)
    registry = Registry("homeassistant")
    name = topic.decode("utf-8", "replace")
    if not registry.is_announcement(name) or not registry.announces(name, announced):
        return False
    settled = registry.settle()
    text = described_text(described(settled.devices))
    encode(HomeDescribed(text=text))
    read_home(msgspec.json.decode(text), "it")
    for one in told[:20]:
        for there in sorted({t for device in settled.devices.values() for t in device.topics}):
            for entity_id, report in registry.tells(there, one):
                if report is not None:
                    state, attributes = report
                    encode(
                        HomeStates(states={entity_id: state}, attributes={entity_id: attributes})
                    )
    return True


def _announcement(options: dict[str, Any], component: str = "light", *told: str) -> bytes:
    topic = f"homeassistant/{component}/one/config"
    return "\n".join((topic, json.dumps(options), *told)).encode()


def _templates(rng: random.Random) -> bytes:
    """A light with a template of parts that may go together or not."""
    steps = "".join(rng.choices(_STEPS, k=rng.choice((1, 3, 30))))
    template = rng.choice(("{{ value_json%s }}", "{{value%s}}", "a{{ value_json%s }}{{ value }}"))
    changed = {
        **_LIGHT,
        rng.choice(("state_value_template", "brightness_value_template")): template % steps,
    }
    return _announcement(changed, "light", rng.choice(_VALUES), rng.choice(_VALUES))


_STEPS = (
    *(
        ".a",
        "['a']",
        "[0]",
        "[9999]",
        " | float",
        " | int(0)",
        " | round(12)",
        " | round(999999999)",
    ),
    *(
        " | default('x')",
        " | upper",
        " | string",
        " | trim",
        " | is_defined",
        "|lower",
        ".b",
        '["b"]',
    ),
    *(" | float(1e9)", " | round(-5)", " | nothing", " + 1", " if x", "|"),
)
_VALUES = (
    *('{"a":1}', '{"a":[{"b":"1e308"}]}', "1e999", "NaN", "9" * 5_000, '{"a":1e400}', '"\\ud800"'),
    *('{"a":{"a":{"b":null}}}', "[" * 2_000, "x" * 300, '{"a":"\\u0000"}', "-0.0", "1e308", "true"),
)
_LIGHT: dict[str, Any] = {
    "name": "Lamp",
    "unique_id": "1",
    "~": "z/lamp",
    "stat_t": "~/state",
    "cmd_t": "~/set",
    "bri_stat_t": "~/state",
    "bri_cmd_t": "~/set",
    "bri_scl": 254,
    "stat_val_tpl": "{{ value_json.state }}",
    "bri_val_tpl": "{{ value_json.brightness | int }}",
    "avty": [{"t": "z/status"}, {"t": "~/there", "val_tpl": "{{ value_json.a }}"}],
    "dev": {"ids": ["1"], "name": "Desk", "sa": "Living room"},
    "o": {"name": "zigbee2mqtt"},
}
_JSON_LIGHT = {**_LIGHT, "schema": "json", "brightness": True, "sup_clrm": ["rgb", "color_temp"]}
_SENSOR = {
    "name": None,
    "stat_t": "z/t",
    "val_tpl": "{{ value_json.t | float(0) | round(1) }}",
    "dev_cla": "temperature",
    "unit_of_meas": "°C",
    "dev": {"name": "Hall"},
}
_CLIMATE = {
    "name": "Heating",
    "mode_stat_t": "z/m",
    "mode_cmd_t": "z/m/set",
    "modes": ["heat", "off"],
    "temp_stat_t": "z/x",
    "temp_cmd_t": "z/x/set",
    "min_temp": 5,
    "max_temp": 30,
    "curr_temp_t": "z/c",
}
_COVER = {"name": "Blind", "cmd_t": "z/b", "pos_t": "z/p", "set_pos_t": "z/sp", "pos_open": 100}
_DEVICE = {
    "dev": {"ids": "2", "name": "Plug"},
    "o": {"name": "x"},
    "stat_t": "z/plug",
    "cmps": {
        "a": {"p": "switch", "cmd_t": "z/plug/set", "unique_id": "a"},
        "b": {"p": "sensor", "val_tpl": "{{ value_json.power }}", "unique_id": "b"},
        "c": {"p": "fan", "cmd_t": "z/f", "pct_cmd_t": "z/f/p", "pct_stat_t": "z/f/s"},
    },
}


def _components(size: int) -> bytes:
    each = {"p": "switch", "cmd_t": "z/plug/set", "unique_id": "a"}
    count = max(1, min(200, size // len(json.dumps(each))))
    cmps = {str(n): {**each, "name": f"Plug {n}"} for n in range(count)}
    made = _announcement({**_DEVICE, "cmps": cmps}, "device", '{"state":"ON"}')
    return made + b" " * max(0, size - len(made))


MQTT_DISCOVERY = Parser(
    read=_read_announcement,
    refusals=(ValueError, BridgeError),
    samples=(
        _announcement(_LIGHT, "light", '{"state":"ON","brightness":9}', "online"),
        _announcement(_JSON_LIGHT, "light", '{"state":"ON","color":{"r":1,"g":2,"b":3}}'),
        _announcement(_SENSOR, "sensor", '{"t":21.5}'),
        _announcement(_CLIMATE, "climate", "heat", "21.5"),
        _announcement(_COVER, "cover", "40", "open"),
        _announcement(_DEVICE, "device", '{"state":"ON","power":4}'),
    ),
    honest=_components,
    pieces=(
        *(
            b'"stat_t":"~/x",',
            b'"val_tpl":"{{ value }}",',
            b'"~":"~",',
            b'"cmps":{',
            b'"p":"light",',
        ),
        *(
            b"{{ value_json.a.b[0] }}",
            b"{{",
            b"}}",
            b"| float ",
            b"| round(9) ",
            b"{% x %}",
            b"light",
        ),
        *(
            b'"name":null,',
            b'"name":"",',
            b'"dev":{',
            b'"avty":[',
            b'"min_temp":',
            b'"options":[',
            b"/",
        ),
        *(
            b"switch",
            b"climate",
            b"cover",
            b"lock",
            b"fan",
            b"scene",
            b"button",
            b"binary_sensor",
            b"device",
        ),
    ),
    nests=((b"[", b"]"), (b'{"dev":', b"}"), (b"{{", b"}}")),
    attacks=(_templates,),
    largest=LARGEST_BYTES + 1,
    room_mb=80,
)
