"""Sums, units of measure, and how words are spelled."""

from __future__ import annotations

from assistant.skill import Skill
from skills.sums import arithmetic, conversion, spelling

skill = Skill("sums", description="do sums and convert units")
skill.rule("work_out", "(what is|what are|what does|how much is|calculate|work out|tell me)")
skill.rule(
    "times",
    "(plus|add|minus|less|take away|times|x|multiplied by|divided by|over|to the power of)",
)
skill.rule(
    "parts", "(half|halves|thirds|quarters|fifths|sixths|eighths|tenths|twelfths|sixteenths)"
)
skill.rule(
    "unit",
    "(milligram[s]|gram[s]|gramme[s]|kilo[s]|kilogram[s]|tonne[s]|ton[s]|ounce[s]|pound[s]|stone"
    "|litre[s]|liter[s]|millilitre[s]|milliliter[s]|centilitre[s]|pint[s]|quart[s]|cup[s]"
    "|tablespoon[s]|teaspoon[s]|gallon[s]|fluid ounce[s]"
    "|metre[s]|meter[s]|centimetre[s]|centimeter[s]|millimetre[s]|millimeter[s]|inch|inches|foot"
    "|feet|yard[s]|mile[s]|kilometre[s]|kilometer[s]|nautical mile[s]"
    "|[degree[s]] (fahrenheit|celsius|centigrade|kelvin)"
    "|(mile[s]|kilometre[s]|kilometer[s]) (per|an) hour|(metre[s]|meter[s]) per second|knot[s]"
    "|second[s]|minute[s]|hour[s]|day[s]|week[s]|year[s]"
    "|acre[s]|hectare[s]|square (metre[s]|meter[s]|foot|feet|mile[s]|kilometre[s]|yard[s])"
    "|joule[s]|calorie[s]|kilocalorie[s]|kilojoule[s]|kilowatt hour[s]|horsepower|kilowatt[s]"
    "|bar|psi|kilobyte[s]|megabyte[s]|gigabyte[s]|terabyte[s])",
)
skill.include(arithmetic.skill, conversion.skill, spelling.skill)
