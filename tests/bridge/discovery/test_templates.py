"""The templates that devices write are read as far as they name a value, and no further."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.bridge.discovery.templates import Template, variables

PAYLOAD = b'{"state": "ON", "on": true, "none": null, "temp": 21.46, "rooms": [{"hall way": 7}]}'


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ value_json.state }}", "ON"),
        ("{{ value_json['state'] | lower }}", "on"),
        ('{{value_json["state"]}}', "ON"),
        ("{{- value_json.on -}}", "True"),
        ("{{ value_json.none }}", "None"),
        ("{{ value_json.away }}", ""),
        ("{{ value_json.away | default('?') }}", "?"),
        ("{{ value_json.temp | round(1) }}", "21.5"),
        ("{{ value_json.temp | round }}", "21"),
        ("{{ value_json.temp | int }}", "21"),
        ("{{ value_json.state | float(0) }}", "0"),
        ("{{ value_json.state | int(-1) }}", "-1"),
        ("{{ value_json.on | lower }}", "true"),
        ("{{ value_json.rooms[0]['hall way'] }}", "7"),
        ("{{ value_json.rooms[9].x }}", ""),
        ('{"position": {{ value_json.temp | int }}}', '{"position": 21}'),
        ("plain", "plain"),
    ],
)
def test_values_are_named_by_paths_and_filters(template: str, text: str) -> None:
    assert Template.read(template).render(variables(PAYLOAD)) == text


@pytest.mark.parametrize(
    "template",
    [
        "{% for x in range(9999999) %}{% endfor %}",
        "{{ ''.__class__ }}",
        "{{ value ** 99999999 }}",
        "{{ values[value_json.state] }}",
        "{{ value | pprint }}",
        "{{ value | center(999999999) }}",
        "{{ value_json.state if value else 'off' }}",
        "{{ }}",
        "{# a remark #}",
        "x" * 1001,
    ],
)
def test_anything_more_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="template"):
        Template.read(template)


@pytest.mark.parametrize("path", ["__class__", "state.__class__", "rooms.append", "rooms.__len__"])
def test_a_path_leads_into_json_alone(path: str) -> None:
    assert Template.read(f"{{{{ value_json.{path} }}}}").render(variables(PAYLOAD)) == ""


@pytest.mark.parametrize("value", [b'"a"', b"1e999", b"nan"])
def test_what_is_no_number_is_refused_where_one_is_wanted(value: bytes) -> None:
    with pytest.raises(ValueError, match="number"):
        Template.read("{{ value | int }}").render(variables(value))


@pytest.mark.parametrize("filters", ["lower(1)", "round(none)", "round('x')", "float | int"])
def test_a_filter_that_cannot_be_applied_is_refused(filters: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Template.read(f"{{{{ value | {filters} }}}}").render(variables(b"x"))


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="long"):
        Template.read("{{ value }}").render(variables(b"x" * 256))


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        variables(b"\xff")


@given(st.text(), st.binary())
def test_any_template_is_read_or_refused(template: str, payload: bytes) -> None:
    try:
        given_ = variables(payload)
        rendered = Template.read(template).render(given_)
    except ValueError:
        return
    assert len(rendered) <= 255
