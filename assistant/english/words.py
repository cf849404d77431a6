"""Words of English that grounding and phrasing must know: numbers, units, what states nothing."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


_SMALL = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)

NUMBERS = (
    {word: str(value) for value, word in enumerate(_SMALL)}
    | {word: str(10 * value) for value, word in enumerate(_TENS, 2)}
    | {
        f"{ten}-{small}": str(10 * value + unit)
        for value, ten in enumerate(_TENS, 2)
        for unit, small in enumerate(_SMALL[1:10], 1)
    }
    | {word: str(value) for value, word in enumerate(_ORDINALS, 1)}
    | {"hundred": "100", "thousand": "1000", "million": "million", "billion": "billion"}
    | {"half": "half", "quarter": "quarter", "dozen": "12", "twice": "2 times"}
)
"""Number word → how it is compared."""

MONTHS = frozenset(
    _words("january february march april june july august september october november december")
)
"""Without "may", which is a verb more often; after a number it is compared all the same."""
WEEKDAYS = frozenset(_words("monday tuesday wednesday thursday friday saturday sunday"))
_MONTH, _DAY = "|".join(("may", *sorted(MONTHS))), r"\d{1,2}(?:st|nd|rd|th)?"
_LASTING = r"(?:week|day|hour|minute|second)s?\b"
_VALUE = re.compile(
    rf"\b(?:(?:(?:{'|'.join(sorted(WEEKDAYS))}),? )?"
    rf"(?:(?:{_MONTH}) {_DAY}|{_DAY} (?:{_MONTH}))(?:,? \d{{4}})?"
    rf"|{_LASTING}(?:, \w+ {_LASTING})* and \w+ {_LASTING})\b",
    re.IGNORECASE,
)

_UNITS = {
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
UNITS = {form: unit for unit, forms in _UNITS.items() for form in (unit, *forms.split())}
"""Form of a unit → the unit; also what continues a date or a number."""

NEGATIONS = frozenset(
    _words("not no never none nobody nothing neither nor without cannot nowhere hardly unless")
)

COMMON = NEGATIONS | frozenset(
    _words(
        """
        a about above according across after afterwards again against all almost along already
        also although always am among an and another any are around as at away back be became
        because become been before began behind being below beneath besides between beyond both
        but by called came can come comes could did do does doing done down due during each
        either else enough even ever every everything few for former from further gave get gets
        give given go goes got had has have having he hence her here hers herself him himself
        his how however i if in indeed inside instead into is it its itself just kept know known
        last later least less like made mainly make makes many may me might mine more most
        mostly much must my myself near nearly next now of off often on once only onto or other
        others our ours out over own people per perhaps please put quite rather said same saw
        say says see seen several shall she should since so some someone something sometimes
        soon still such take taken takes than that the their theirs them themselves then there
        therefore these they this those though through throughout thus to together too took
        toward towards under unlike until up upon us used uses using usually very was we well
        went were what when where whether which while who whole whom whose why will with within
        would yes yet you your yours yourself
        """
    )
)
"""Words that state nothing by themselves, so that they may begin a sentence or be added to it."""


def within_value(text: str, place: int) -> bool:
    """Whether a character stands in a date or a length of time, behind its first.

    Such as "Tuesday, March 2, 2027" and "hour and 30 minutes".
    """
    return any(value.start() < place < value.end() for value in _VALUE.finditer(text))
