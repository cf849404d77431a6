"""Units of measure and of money: how they are written, said and compared."""

from __future__ import annotations

from assistant.english.lists import word_list

_FORMS = {
    "metre": "metres meter meters m",
    "kilometre": "kilometres kilometer kilometers km",
    "centimetre": "centimetres centimeter centimeters cm",
    "millimetre": "millimetres millimeter millimeters mm",
    "mile": "miles",
    "foot": "feet ft",
    "inch": "inches",
    "yard": "yards",
    "hectare": "hectares ha",
    "acre": "acres",
    "kilogram": "kilograms kilo kilos kg",
    "gram": "grams g",
    "milligram": "milligrams mg",
    "tonne": "tonnes ton tons t",
    "pound": "pounds £",
    "litre": "litres liter liters l",
    "millilitre": "millilitres milliliter milliliters ml",
    "cup": "cups",
    "tablespoon": "tablespoons tbsp",
    "teaspoon": "teaspoons tsp",
    "second": "seconds",
    "minute": "minutes min mins",
    "hour": "hours h",
    "day": "days",
    "week": "weeks",
    "month": "months",
    "year": "years",
    "century": "centuries",
    "percent": "per-cent %",
    "degree": "degrees °",
    "celsius": "c",
    "bar": "bars",
    "watt": "watts w",
    "kilowatt": "kilowatts kw",
    "megawatt": "megawatts mw",
    "kilowatt-hour": "kilowatt-hours kwh",
    "volt": "volts v",
    "amp": "amps ampere amperes",
    "hertz": "hz",
    "dollar": "dollars $",
    "euro": "euros €",
    "franc": "francs",
    "crown": "crowns",
    "square": "square",
    "cubic": "cubic",
    "may": "may",
    "am": "a.m",
    "pm": "p.m",
    "o'clock": "o'clock",
    "hundred": "hundred",
    "times": "times",
}
UNIT_FORMS = {form: unit for unit, forms in _FORMS.items() for form in (unit, *forms.split())}
"""Form of a unit, or of what continues a date or number → the form in which texts are compared."""

_SYMBOLS = {
    "mm": "millimeter millimetre mm",
    "cm": "centimeter centimetre cm",
    "m": "meter metre m",
    "km": "kilometer kilometre km k",
    "in": "inch inches in",
    "ft": "foot feet ft",
    "yd": "yard yd",
    "mi": "mile mi",
    "mg": "milligram mg",
    "g": "gram gramme g",
    "kg": "kilogram kilo kg",
    "oz": "ounce oz",
    "lb": "pound lb",
    "st": "stone",
    "ml": "milliliter millilitre ml",
    "cl": "centiliter centilitre cl",
    "l": "liter litre l",
    "cup": "cup",
    "tsp": "teaspoon tsp",
    "tbsp": "tablespoon tbsp",
    "pt": "pint pt",
    "gal": "gallon gal",
    "W": "watt w",
    "kWh": "kwh",
    "mph": "mph",
}
UNIT_SYMBOLS = {name: symbol for symbol, names in _SYMBOLS.items() for name in word_list(names)}
"""Name of a unit as it is said, in the singular → its symbol."""

_CODES = {
    "EUR": "euro euros eur",
    "USD": "dollar dollars usd buck bucks",
    "GBP": "pound pounds gbp quid",
    "JPY": "yen jpy",
    "CHF": "franc francs chf",
    "INR": "rupee rupees inr",
    "CAD": "cad",
    "AUD": "aud",
    "SEK": "krona kronor sek",
}
CURRENCIES = {name: code for code, names in _CODES.items() for name in word_list(names)}
"""Name of a currency → its ISO 4217 code."""
NATIONS = {
    **{"us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD"},
    **{"british": "GBP", "swiss": "CHF", "indian": "INR", "swedish": "SEK"},
}
"""Word before the name of a currency → the code that is meant."""
CENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(word_list("cent cents"), ("USD", "EUR")),
    **dict.fromkeys(word_list("penny pence p"), ("GBP",)),
}
"""Name of a hundredth of a currency → the codes that may be meant, the likeliest first."""
CURRENCY_SIGNS = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees"}
"""Sign → how it is said."""

SPOKEN_UNITS = {
    symbol: (one, many)
    for symbol, one, many in (
        ("%", "percent", "percent"),
        ("°C", "degree Celsius", "degrees Celsius"),
        ("°F", "degree Fahrenheit", "degrees Fahrenheit"),
        ("°", "degree", "degrees"),
        ("km/h", "kilometre per hour", "kilometres per hour"),
        ("mph", "mile per hour", "miles per hour"),
        ("m/s", "metre per second", "metres per second"),
        ("mm/s", "millimetre per second", "millimetres per second"),
        ("m/s²", "metre per second squared", "metres per second squared"),
        ("rpm", "turn per minute", "turns per minute"),
        ("l/min", "litre per minute", "litres per minute"),
        ("L/min", "litre per minute", "litres per minute"),
        ("m³/h", "cubic metre per hour", "cubic metres per hour"),
        ("W", "watt", "watts"),
        ("kW", "kilowatt", "kilowatts"),
        ("Wh", "watt hour", "watt hours"),
        ("kWh", "kilowatt hour", "kilowatt hours"),
        ("V", "volt", "volts"),
        ("A", "ampere", "amperes"),
        ("mA", "milliampere", "milliamperes"),
        ("Hz", "hertz", "hertz"),
        ("dB", "decibel", "decibels"),
        ("lx", "lux", "lux"),
        ("hPa", "hectopascal", "hectopascals"),
        ("kPa", "kilopascal", "kilopascals"),
        ("mbar", "millibar", "millibars"),
        ("ppm", "part per million", "parts per million"),
        ("µg/m³", "microgram per cubic metre", "micrograms per cubic metre"),
        ("km", "kilometre", "kilometres"),
        ("cm", "centimetre", "centimetres"),
        ("mm", "millimetre", "millimetres"),
        ("kg", "kilogram", "kilograms"),
        ("g", "gram", "grams"),
        ("m³", "cubic metre", "cubic metres"),
        ("ml", "millilitre", "millilitres"),
        ("l", "litre", "litres"),
        ("L", "litre", "litres"),
        ("€", "euro", "euros"),
        ("£", "pound", "pounds"),
    )
}
"""Symbol of a unit → its name after one and after many."""


def measured(number: str, symbol: str) -> str:
    """A number and the name of its unit: "1 watt", "20 degrees Celsius"; other symbols stay."""
    one, many = SPOKEN_UNITS.get(symbol, (symbol, symbol))
    return f"{number} {one if number == '1' else many}".rstrip()
