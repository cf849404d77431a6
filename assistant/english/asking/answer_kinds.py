"""What a question asks for, and what a text must hold to tell it."""

from __future__ import annotations

import re
from typing import NamedTuple

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.numbers import FIGURES
from assistant.english.units import UNIT_FORMS

_FIGURE = "|".join(sorted(map(re.escape, FIGURES), key=len, reverse=True))
_NUMBER = rf"(?:\d|\b(?:{_FIGURE}|half|quarter|dozen|couple|once|twice|no|none|nothing|all|both)\b)"
_MONTHS = "|".join((*MONTHS, *(name[:3] for name in MONTHS)))
_LASTING = r"(?:second|sec|minute|min|hour|hr|day|night|week|fortnight|month|term|year|decade)s?"
_LENGTH = "|".join(
    re.escape(form)
    for form, unit in UNIT_FORMS.items()
    if unit in ("metre", "kilometre", "centimetre", "millimetre", "mile", "foot", "inch", "yard")
)
_TIME = (
    rf"\d|\b(?:{_FIGURE}|{'|'.join(WEEKDAYS)}|{_MONTHS}|noon|midday|midnight|morning|evening"
    rf"|afternoon|night|daily|weekly|monthly|yearly|spring|summer|autumn|winter"
    rf"|easter|christmas|term|weekends?|until|till|before|after|once|{_LASTING})s?\b"
)
_UNITS = "|".join(sorted(map(re.escape, UNIT_FORMS.keys() - {"am", "pm"}), key=len, reverse=True))
_SIZE = (
    rf"(?<![£$€\d.,:])\d[\d.,/½¼¾]*(?: ?(?:{_UNITS}|by|x|×|gas|mark|-)(?![a-z])|[\"″'′°%])"
    rf"|\b(?:{_FIGURE}|half|quarter) (?:an? )?(?:and a half )?(?:{_UNITS})\b"
)
_MONEY = (
    r"[£$€]|\d ?(?:p|eur|gbp|usd)\b|\b(?:pounds?|euros?|dollars?|pence|cents?|quid|free|for nothing"
    r"|half|per ?cent|gratis|kroner?|kronor|krona|crowns?"
    r"|francs?|rupees?|yen|zlotys?|pesos?|lira|dinars?|rand|yuan)\b|%|\bno (?:charge|cost|fee)"
)
_LEAD = (
    r"^(?:hey |so |and |okay |ok |please |tell me |do you know |can you tell me |remind me "
    r"|i need |i want |give me |find )*"
)
_WHAT = rf"{_LEAD}(?:(?:what|which)(?:['’]?s| is| was| are| were)? |(?=the |my |our ))"


_NAMES_OF_DAYS = (*WEEKDAYS, *MONTHS, *(name[:3] for name in MONTHS))
_CALENDAR_NAMES = rf"(?:{'|'.join(map(str.capitalize, _NAMES_OF_DAYS))})\b"
DATED = re.compile(rf"\d|\b(?:{'|'.join(WEEKDAYS)}|{_MONTHS})\b", re.IGNORECASE)
"""A day, a month, a year or a time in a heading."""


POINTER = re.compile(
    r"(?:[,;] )?\b(?:see|as|described|shown|explained|listed|given) (?:the )?(?:above|below"
    r"|overleaf|opposite|next page|previous page|page \d+|section \d[\d.]*|chapter \d+)\b",
    re.IGNORECASE,
)
"""A reference to what stands elsewhere, which is no answer by itself."""
ITEM_NUMBER = re.compile(r"\d{1,2}[.)] ")
"""The number with which an item of a list begins, which counts nothing."""
ASKS_MEANING = re.compile(r"\bmeans?\b", re.IGNORECASE)
"""The word of a question what a code or a lamp means."""
LOCATED = re.compile(r"\bat (?!\d|noon\b|midnight\b)|\bat \d+[a-z]? [A-Z]")
"""A place in the sentence that says when and where an event is."""
DONE = re.compile(r"\bdid\b", re.IGNORECASE)
"""The word of a question about what was done."""
PAST = re.compile(r"\b(?:did|was|were|have|has|had)\b", re.IGNORECASE)
"""Words of a question about what is over."""


class AnswerKind(NamedTuple):
    """What is asked for: how the question says so, and what every answer holds."""

    name: str
    asked: re.Pattern[str]
    held: re.Pattern[str]
    loose: bool = False
    """Whether `held` stands beside the answer, not in it; any sentence of prose may then do."""


def _kind(name: str, asked: str, held: str, loose: bool = False) -> AnswerKind:
    asking, holding = (re.compile(pattern, re.IGNORECASE) for pattern in (asked, held))
    return AnswerKind(name, asking, holding, loose)


KINDS = (
    _kind("email", rf"{_WHAT}.*\be-?mail\b", r"@"),
    _kind(
        "address",
        rf"{_WHAT}.*(?<!web )(?<!ip )\baddress\b",
        r"^(?!.*(?:@|https?:|www\.)).*(?:\d|, [A-Z])",
    ),
    _kind(
        "phone",
        rf"{_WHAT}.*(?:\b(?:phone|telephone|mobile|cell)\b|(?:['’]s|his|her|their|there) number\b)"
        rf"|{_WHAT}(?:the |my |our )?number (?:for|of) (?:the |my |our |a )?\w+\W*$"
        rf"|{_LEAD}(?:what|which) number (?:do|should|can|to|must)\b",
        r"(?!\d{4}-\d\d-\d\d\b)\d(?:[ ()/-]{0,2}\d){5}"
        r"|\b(?:ring|call|dial|phone|tel|hours|emergency|emergencies)\W+\d{3}\b",
    ),
    _kind(
        "post code",
        rf"{_WHAT}.*\b(?:postcode|post code|zip)\b",
        r"\b(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|(?<!\d )\d{4,6}(?! ?\d))\b",
    ),
    _kind(
        "number",
        rf"{_WHAT}(?:\w+['’]?s? )*(?:code|pin|number|registration|combination|size|score)\b",
        r"\d",
    ),
    _kind(
        "money",
        rf"{_LEAD}how much (?:is|are|was|were) (?!there\b|left\b|it\b|in\b|on\b)|"
        rf"{_LEAD}how (?:much|expensive)\b.*\b(?:cost|costs|pay|paid|charge[sd]?|fee|rent|price"
        rf"|deposit|premium|excess|spend|spent|earn)\b"
        rf"|{_WHAT}.*\b(?:cost|costs|price|fee|fees|rent|deposit|premium|excess)\b",
        _MONEY,
    ),
    _kind(
        "things to bring",
        r"\b(?:bring|pack)\b.*\b(?:anything|something)\b"
        r"|\b(?:take|need|have|wear)\b.*\b(?:anything|something)\b.*\b(?:with|along)\b"
        rf"|{_LEAD}what (?:do|does|should|must|shall|can|have|has|to|else)\b.*"
        r"\b(?:bring|pack|take (?:along|with))\b",
        r"\b(?:bring|pack|take (?:the|a|an|your|his|her) |wear|needed?|remember|don['’]t forget"
        r"|have the .* ready)\b",
    ),
    _kind(
        "opening",
        rf"{_LEAD}(?:is|are) .*\b(?:open|closed|shut)\b|\bopening (?:hours|times)\b"
        rf"|{_LEAD}(?:is|are) (?!there\b).*\b(?:there|in|available|reachable) (?:now|today|tomorrow"
        rf"|at the moment|on (?:a )?(?:{'|'.join(WEEKDAYS)})s?)\b",
        r"\d(?:[:.]\d\d)? ?(?:[ap]\.?m\.?)? ?(?:to|till|until|and|[–-]) ?(?:\d|noon|midnight)"
        r"|\bfrom \d|\buntil \d|\bopens? at\b|\bcloses? at\b|\b24 hours|\bday and night"
        r"|\bclosed\b(?! by)",
    ),
    _kind(
        "frequency",
        rf"{_LEAD}how (?:often|frequently|many times)\b",
        rf"\b(?:every|each|once|twice|daily|weekly|monthly|yearly|annually|per|{_LASTING})\b|times",
    ),
    _kind(
        "length",
        rf"{_LEAD}(?:for )?how long\b",
        rf"\b{_LASTING}\b|\d ?(?:h|d|s)\b|overnight|forever|\buntil\b|\btill\b"
        rf"|\d ?(?:{_LENGTH})\b|\ball (?:day|year|night)|\d ?(?:am|pm)\b|\d:\d\d",
    ),
    _kind(
        "size",
        rf"{_LEAD}how (?:tall|wide|high|deep|big|heavy|far|large|thick)\b",
        _SIZE,
    ),
    _kind(
        "age",
        rf"{_LEAD}how old\b",
        r"\b(?:years?|months?|weeks?|days?)[ -]old\b"
        r"|\b(?:aged?|born|turn(?:s|ed|ing)?|bought|built|made|new|installed)\b"
        r".*\d|\(\d{1,3}\)",
    ),
    _kind(
        "amount",
        rf"{_LEAD}how (?:much|many|hot|cold|warm|fast|small|strong)\b",
        _NUMBER,
    ),
    _kind("temperature", rf"{_WHAT}.*\btemperature\b", rf"{_NUMBER}|\b(?:low|medium|hot|cold)"),
    _kind("year", rf"{_LEAD}(?:in )?(?:what|which) year\b", r"\b\d{4}\b"),
    _kind(
        "time",
        rf"{_LEAD}(?:when|(?:at |by |until |from )?(?:what|which) (?:time|day|days|date|dates"
        r"|month|weekday)|how (?:soon|early|late))\b",
        _TIME,
    ),
    _kind(
        "person",
        rf"{_LEAD}(?:who|whose|whom)\b",
        rf"(?-i:(?<!^)(?<![.!?] )\b(?!{_CALENDAR_NAMES})[A-Z][\w'’-]+)"
        r"|^(?-i:[A-Z][a-z]+ (?:[A-Z]|[a-z]{3,}s\b)|[A-Z][a-z]+:)"
        r"|\b(?:nobody|no one|everyone|everybody|anyone|anybody)\b(?! else\b)",
    ),
    _kind(
        "reason",
        rf"{_LEAD}(?:why|how come|what(?:['’]?s| is| was) the reason)\b",
        r"\b(?:because|since|due to|so that|so as|in case|otherwise|or else|to avoid|in order)\b",
        loose=True,
    ),
    _kind(
        "place",
        rf"{_LEAD}(?:where(?:abouts)?(?:['’]?s)?|(?:in |at |on |from )?which (?:room|drawer"
        r"|cupboard|shelf|street|building))\b",
        r"\b(?:in|at|on|under|underneath|behind|above|below|over|by|near|next to|beside|opposite"
        r"|inside|outside|from|to|between|beneath|through|with) "
        rf"(?!(?:the |a |next |last |this )?(?:{_CALENDAR_NAMES}|{_TIME}))|\d+[a-z]? [A-Z]",
        loose=True,
    ),
    _kind("steps", rf"{_LEAD}how (?:do|can|should|would|must|to)\b", r"\w", loose=True),
)
"""The kinds of answers, the most particular first."""


def kind_of(question: str) -> AnswerKind | None:
    """The kind of answer that `question` asks for; None where it may be anything."""
    return next((kind for kind in KINDS if kind.asked.search(question)), None)


def tells_kind(question: str, text: str) -> bool:
    """Whether `question` asks for a kind of thing, and `text` surely holds one."""
    kind = kind_of(question)
    return kind is not None and kind.held.search(text) is not None
