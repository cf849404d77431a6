"""Numbers with a unit or a meaning: shares, ordinals, degrees, money, lengths, weights, volumes.

pint knows more units, but takes 236 ms and 19 MiB to load here; people say these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.english.lists import word_list
from assistant.english.stems import singular
from assistant.english.units import CENTS, CURRENCIES, NATIONS, UNIT_SYMBOLS
from nlu.values.amounts import amount, number, tidy
from nlu.values.months import day_of_month

_SHARES = (
    dict.fromkeys(word_list("full max maximum fully completely"), 100)
    | dict.fromkeys(("all the way", "all way", "all way up", "full power"), 100)
    | dict.fromkeys(("min", "minimum"), 0)
    | dict.fromkeys(("halfway", "half way"), 50)
)
_DEGREES = re.compile(
    r"(?P<size>.+?)(?P<sign> degrees?)?(?: (?P<scale>celsius|centigrade|fahrenheit|kelvin|c|f|k))?"
    r"(?P<below> below (?:zero|0|freezing))?"
)
_SCALES = {"c": "°C", "f": "°F", "k": "K"}

_PAIRS = {("ft", "in"): 12, ("lb", "oz"): 16, ("st", "lb"): 14}


def integer(text: str) -> int | None:
    """A whole number, or a share of a hundred: "25", "25 percent", "half", "maximum"."""
    found = percentage(text)
    return found if isinstance(found, int) else None


def percentage(text: str) -> int | float | None:
    """A share of a hundred: "50 percent", "50", "half", "2 thirds" (67), "maximum"."""
    if text in _SHARES:
        return _SHARES[text]
    size = text.removesuffix(" percent")
    found = number(size)
    if found is None:
        return None
    is_part = isinstance(found, float) and 0 < abs(found) < 1 and " point " not in f" {size} "
    return round(found * 100) if is_part and size == text else found


def ordinal(text: str) -> int | None:
    """A place in a row, from 1: "first", "21st", "number 4"; "last" is -1."""
    name = text.removesuffix(" 1")  # "the last one"
    if name == "last":
        return -1
    if not re.search(r"[a-z]", name):
        return None
    return day_of_month(name.removeprefix("number ")) or None


def temperature(text: str) -> str | None:
    """ "21.5 °C", "70 °F", "294 K"; "21 °" when the scale was not said."""
    found = _DEGREES.fullmatch(text)
    size = number(found["size"]) if found else None
    if found is None or size is None:
        return None
    scale = _SCALES[found["scale"].replace("centigrade", "celsius")[0]] if found["scale"] else "°"
    return f"{-size if found['below'] else size} {scale}"


def money(text: str) -> list[str]:
    """Amounts with the ISO 4217 code, the likeliest first: "5.50 EUR" of "5 euros 50"."""
    said = text.split()
    found = _count(said)
    if found is None:
        return []
    value, at = found
    if at < len(said) and said[at] in CENTS:
        ends = at + 1 == len(said)
        return [_price(value / 100, code) for code in CENTS[said[at]]] if ends else []
    nation = NATIONS.get(said[at]) if at < len(said) else None
    at += nation is not None
    code = CURRENCIES.get(said[at]) if at < len(said) else None
    cents = _cents(said[at + 1 :])
    if code is None or cents is None:
        return []
    return [_price(value + cents / 100, nation or code)]


def quantity(text: str) -> str | None:
    """A number and the symbol of its unit: "2.5 kg", "100 km/h"; "5 foot 10" is "70 in"."""
    said = text.split()
    found = _count(said)
    unit = _unit(said, found[1]) if found else None
    if found is None or unit is None:
        return None
    value, at = found[0], found[1] + 1
    if said[at:] in (["per", "hour"], ["a", "hour"]) and unit in ("km", "mi"):
        return f"{tidy(value)} {'mph' if unit == 'mi' else 'km/h'}"
    if at == len(said):
        return f"{tidy(value)} {unit}"
    return _pair(value, unit, said[at + (said[at] == "and") :])


def _pair(value: float, unit: str, rest: Sequence[str]) -> str | None:
    """ "5 foot 10 inches" and similar pairs, in the smaller unit."""
    smaller, ratio = next(((s, r) for (b, s), r in _PAIRS.items() if b == unit), ("", 0))
    more = amount(rest)
    if more is None or not ratio:
        return None
    if more[1] < len(rest) and (_unit(rest, more[1]) != smaller or more[1] + 1 < len(rest)):
        return None
    return f"{tidy(value * ratio + more[0])} {smaller}"


def _count(said: Sequence[str]) -> tuple[float, int] | None:
    """The number before a unit, without an "of a" after it; a single "a" is 1."""
    value, at = amount(said) or (1.0, 0)
    if at == 0:
        return (1.0, 1) if said[:1] == ["a"] else None
    if value < 1:
        at += said[at : at + 1] == ["of"]
        at += said[at : at + 1] == ["a"]
    return value, at


def _unit(said: Sequence[str], at: int) -> str | None:
    word = said[at] if at < len(said) else ""
    return UNIT_SYMBOLS.get(word) or UNIT_SYMBOLS.get(singular(word))


def _cents(rest: Sequence[str]) -> float | None:
    """What follows a currency's name: nothing, "50", "and 50 cents"; None for anything else."""
    rest = rest[rest[:1] == ["and"] :]
    if not rest:
        return 0
    plain = rest[:-1] if rest[-1] in CENTS else rest
    is_minor = len(plain) == 1 and plain[0].isdecimal() and int(plain[0][:3]) < 100
    return int(plain[0]) if is_minor else None


def _price(value: float, code: str) -> str:
    is_whole = round(value, 2) == int(value)
    return f"{int(value)} {code}" if is_whole else f"{value:.2f} {code}"
