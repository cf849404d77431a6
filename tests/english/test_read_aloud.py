"""Text as written in, text as it is said out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.read_aloud import read_aloud


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is 20 °C outside.", "It is 20 degrees Celsius outside."),
        ("Set to 1°.", "Set to 1 degree."),
        ("It is -5 °C.", "It is minus 5 degrees Celsius."),
        ("68°F now", "68 degrees Fahrenheit now"),
        ("120 km/h, 3 kWh", "120 kilometres per hour, 3 kilowatt hours"),
        ("1 kg at 60 dB", "1 kilogram at 60 decibels"),
        ("flat 5 A", "flat 5 A"),
        ("That costs €5.50.", "That costs 5.50 euros."),
        ("in 3–5 minutes", "in 3 to 5 minutes"),
        ("on 2026-11-20", "on November 20, 2026"),
        ("part 2026-99-20", "part 2026-99-20"),
        ("Tom & Jerry", "Tom and Jerry"),
        ("½ cup", "a half cup"),
        ("**Done**: the `lamp` is _on_", "Done: the lamp is on"),
        ("- milk\n- eggs", "milk eggs"),
        ("See [the page](https://x.org/a?b=c).", "See the page."),
        ("See https://www.example.org/a/b?c=d now", "See example.org now"),
        ("Good 😀 morning", "Good morning"),
        ("a\x00b\x1b[0m", "a b 0m"),
        ("3:30 pm, 50 %, 1,000", "3:30 pm, 50 %, 1,000"),
        ("Zürich is fine.", "Zürich is fine."),
        ("well-known 555-1234", "well-known 555-1234"),
    ],
)
def test_signs_and_units_become_words(written: str, said: str) -> None:
    assert read_aloud(written) == said


@given(st.text(max_size=200))
def test_whatever_comes_the_voice_gets_one_printable_line(text: str) -> None:
    said = read_aloud(text)
    assert said.isprintable()
    assert said == " ".join(said.split())
