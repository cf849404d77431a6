"""Units of measure by the names that people say, and what each is worth."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from assistant.english.stems import singular

IMPERIAL_ZONES = ("Europe/London", "Europe/Dublin", "Europe/Belfast", "Australia/", "Pacific/")
"""Time zones in which pints and gallons are those of the British Empire."""


class Unit(NamedTuple):
    """A unit of a `kind`; `worth` so many of the kind's first unit, from `zero` on."""

    one: str
    many: str
    kind: str
    worth: Decimal
    zero: Decimal = Decimal(0)


_TABLE = """
length   | metre, meter | 1
length   | millimetre, millimeter | 0.001
length   | centimetre, centimeter | 0.01
length   | kilometre, kilometer | 1000
length   | inch | 0.0254
length   | foot | 0.3048
length   | yard | 0.9144
length   | mile | 1609.344
length   | nautical mile | 1852
weight   | kilogram, kilo | 1
weight   | gram, gramme | 0.001
weight   | milligram | 0.000001
weight   | tonne, ton | 1000
weight   | ounce | 0.028349523125
weight   | pound | 0.45359237
weight   | stone | 6.35029318
volume   | litre, liter | 1
volume   | millilitre, milliliter | 0.001
volume   | centilitre, centiliter | 0.01
volume   | pint | 0.473176473
volume   | quart | 0.946352946
volume   | gallon | 3.785411784
volume   | fluid ounce | 0.0295735295625
volume   | cup | 0.2365882365
volume   | tablespoon | 0.01478676478125
volume   | teaspoon | 0.00492892159375
speed    | kilometre per hour, kilometer per hour, kilometre an hour, kilometer an hour | 1
speed    | mile per hour, mile an hour | 1.609344
speed    | metre per second, meter per second | 3.6
speed    | knot | 1.852
time     | second | 1
time     | minute | 60
time     | hour | 3600
time     | day | 86400
time     | week | 604800
time     | year | 31557600
area     | square metre, square meter | 1
area     | square kilometre, square kilometer | 1000000
area     | square foot | 0.09290304
area     | square yard | 0.83612736
area     | square mile | 2589988.110336
area     | acre | 4046.8564224
area     | hectare | 10000
energy   | joule | 1
energy   | kilojoule | 1000
energy   | calorie, kilocalorie | 4184
energy   | kilowatt hour | 3600000
power    | kilowatt | 1
power    | horsepower | 0.745699872
pressure | bar | 1
pressure | psi | 0.0689475729
data     | megabyte | 1
data     | kilobyte | 0.001
data     | gigabyte | 1000
data     | terabyte | 1000000
"""
_IMPERIAL = """
volume   | pint | 0.56826125
volume   | quart | 1.1365225
volume   | gallon | 4.54609
volume   | fluid ounce | 0.0284130625
volume   | cup | 0.25
volume   | tablespoon | 0.015
volume   | teaspoon | 0.005
"""
_IRREGULAR = {
    **{"foot": "feet", "square foot": "square feet", "inch": "inches", "stone": "stone"},
    **{"horsepower": "horsepower", "bar": "bar", "psi": "psi"},
}
_DEGREES = (
    Unit("degree Celsius", "degrees Celsius", "temperature", Decimal(1)),
    Unit("degree Fahrenheit", "degrees Fahrenheit", "temperature", Decimal(5) / 9, Decimal(-32)),
    Unit("kelvin", "kelvin", "temperature", Decimal(1), Decimal("-273.15")),
)
_DEGREE_NAMES = {"celsius": 0, "centigrade": 0, "c": 0, "fahrenheit": 1, "f": 1, "kelvin": 2}


def _many(one: str) -> str:
    if one in _IRREGULAR:
        return _IRREGULAR[one]
    first, *rest = one.split(" per ", 1)
    return " per ".join([f"{first}s", *rest])


def _read(table: str) -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for line in table.strip().splitlines():
        kind, names, worth = (cell.strip() for cell in line.split("|"))
        one = names.split(",")[0]
        unit = Unit(one, _many(one), kind, Decimal(worth))
        units |= {name.strip(): unit for name in (*names.split(","), unit.many)}
    return units


_UNITS = _read(_TABLE)
_UNITS_OF_EMPIRE = _UNITS | _read(_IMPERIAL)
_LONGEST = 3
"""Most words of the name of a unit."""
_FEET = {"feet": "foot", "foots": "foot"}


def unit_at(words: Sequence[str], at: int, imperial: bool) -> tuple[Unit, int] | None:
    """The unit whose name begins at a word, and the place after it; the longest name counts."""
    begins = at
    if words[at : at + 1] in (["degree"], ["degrees"]):
        at += 1
    if at < len(words) and words[at] in _DEGREE_NAMES:
        return _DEGREES[_DEGREE_NAMES[words[at]]], at + 1
    units = _UNITS_OF_EMPIRE if imperial else _UNITS
    for length in range(_LONGEST, 0, -1):
        said = words[begins : begins + length]
        name = [_FEET.get(word) or singular(word) for word in said]
        unit = units.get(" ".join(said)) or units.get(" ".join(name))
        if len(said) == length and unit is not None:
            return unit, begins + length
    return None
