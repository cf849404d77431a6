"""How questions and commands begin, and what else makes a text a question for documents."""

from __future__ import annotations

import re

from assistant.english.lists import word_set

_BEFORE = (
    r"(?:(?:hey|hi|so|and|but|well|oh|ok|okay|please|sorry|right|now|then|um|uh|erm|hm|hmm|wait"
    r"|quick question|excuse me|by the way),? )*"
)
_IS = (
    r"(?:(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must|might)"
    r"(?:n't|nt)?|won't|can't)"
)
_WHO = r"(?:who|whom|what|when|where|why|how)"
_TO = r"(?:(?:at|by|from|until|till|since|in|on|for|to|with|under|of|about) )?"
_TOLD = r"(?:tell me|let me know|remind me|do you know|i wonder|i want to know|i need to know)"
_ORDERS = word_set(
    "turn switch set put open close shut start stop play pause order find get give add take remove"
    " show send make book call lock unlock dim brighten raise lower change move clean run bring"
    " tell help let keep leave do read write check go buy pick cancel delete clear fetch pull push"
    " reduce increase adjust activate enable disable hoover vacuum mow water feed cook bake boil"
    " warm heat cool fill empty wash dry light skip mute unmute resume louder quieter brighter"
    " darker warmer cooler softer more less text message ring"
)
"""First words of commands."""
_ORDER = "|".join(sorted(_ORDERS))
_DONE_FOR_ME = re.compile(
    rf"{_BEFORE}(?:(?:can|could|will|would) (?:you|(?:we|i) (?=(?:please |just )?(?:{_ORDER}|have"
    r"|borrow)\b))"
    r"|i (?:want|need|would like) you to|i'd like you to|let's|let us) ?(?:please |just |kindly )*"
    r"(?!tell|say|explain|know|remember|find out|check|remind|look)\w+"
)
"""A command in the form of a question: "can you open the blinds"."""
_ASKS = re.compile(rf"{_BEFORE}(?:{_TOLD}|{_TO}(?:{_WHO}s?|whose|which)|whereabouts|{_IS})\b")
_ASKS_LATER = re.compile(
    rf"\b(?:(?:{_WHO}|which)(?:'?s| {_IS})"
    rf"|(?:what|which|whose) (?!it|i|you|he|she|we|they|that|this)\w+ {_IS}"
    r"|how (?:much|many|long|often|far|old|late|early|hot|high|soon|big)"
    r"|(?:is|was) (?:that|this|it) (?:too |still )?(?:ok|okay|all right|alright|right|fine|safe"
    r"|allowed|enough|normal|late))\b"
)
"""A question that follows other words: "he wants the serial number where do i find that"."""
_NAMES = re.compile(
    rf"{_BEFORE}(?:and )?(?:(?:the|my|our|his|her|their) |(?!it|that|there|here|he|she|let)\w+'s )"
)
"""The beginning of a noun phrase that names what is asked for: "the wifi password"."""
_POLITELY = re.compile(
    rf"{_BEFORE}(?:(?:can|could|may|might) (?:i|we) (?:please )?(?:have|get|borrow)"
    r"|(?:i|we)(?:'d| would) (?:like|love)|(?:i|we) (?:just )?need|give (?:me|us)|remind me of"
    r"|(?:i'm|i am|we're|we are) (?:looking for|after)) (?=(?:the|my|our|his|her|their|\w+'s) )"
)
"""A request to be told what follows: "could I have the wifi password"."""
_NO_NAME = word_set(
    "is are was were am be been has have had do does did can could will would should need needs"
    " want wants wanted got get goes went go said says say like likes think thinks i you he she it"
    " we they me him us them on off up down open close shut please no not don't again ready there"
    " here too broken done boring i'm i'll i've i'd you're you'll we're we've we'll can't won't"
)
"""Words that stand in sentences and commands, not in the name of what is asked for."""
_LOOKED_UP = word_set(
    "password passwords number numbers address code pin birthday recipe instructions phone mobile"
    " email price cost deadline name names hours warranty excess manual menu rules appointment"
    " wifi login username"
)
"""What people look up with its name alone: "neighbour's number", "recipe for chili"."""
_GOES_ON = re.compile(rf"{_BEFORE}(?:and|what about|how about|what of)\b")
"""The beginning of a question that goes on from the one before: "and the price"."""
_BARE = re.compile(
    rf"{_BEFORE}(?:at |on )?(?:(?:what|which) (?:time|day|date)|when|where|who"
    r"|how (?:long|much|many|often|far|big|old))(?: then| exactly)?$"
)
"""A question that has no subject, so that it asks this of what was spoken of before."""
_STANDS_FOR = word_set("it its he him his she her hers they them their theirs that those there")
"""Words that stand for what was spoken of before."""
_POINTS = word_set("that those there then")
"""Words that point at what was said; "it" may also be the time or the weather."""
_LONGEST_NAME = 8
"""Most words of a text that only names what is asked for."""
_ORDERED = re.compile(rf"{_BEFORE}(?:{_ORDER})\b")
ASKS_WHEN = re.compile(
    r"(?:hey |so |and |okay |ok |please |tell me |do you know )*"
    r"(?:when|(?:at )?what (?:time|day|date)|which day|how long until)\b"
)

ASKS_WHICH = re.compile(
    r"(?:hey |so |and |okay |ok |please |tell me |do you know )*(?:what|which)(?:'?s)?\b"
)


def asks(text: str) -> bool:
    """Whether a text has the form of a question that documents can answer."""
    said = _plain(text)
    if _DONE_FOR_ME.match(said):
        return False
    asked = _ASKS.match(said) or _ASKS_LATER.search(said)
    return text.rstrip().endswith("?") or asked is not None


def names(text: str) -> bool:
    """Whether a text only names something that people look up: "the wifi password"."""
    said = _POLITELY.sub("", _plain(text)).replace("wi fi", "wifi")
    return _is_name(said) and not _LOOKED_UP.isdisjoint(said.split())


def goes_on(text: str) -> bool:
    """Whether a text without a verb may go on from a question: "and the price", "his number"."""
    said = _plain(text).removesuffix(" i mean")
    return _is_name(said) and (_NAMES.match(said) is not None or _GOES_ON.match(said) is not None)


def leans(text: str) -> bool:
    """Whether a question may be about what was spoken of before: "when does it run out"."""
    said = _plain(text)
    further = _GOES_ON.match(said) or _BARE.match(said)
    return goes_on(text) or stands_for(text) or further is not None


def stands_for(text: str) -> bool:
    """Whether a text has a word for what was spoken of before: "it", "their"."""
    return not _STANDS_FOR.isdisjoint(re.split(r"[ ']", _plain(text)))


def points_back(text: str) -> bool:
    """Whether a text surely has a word for what was spoken of before: "what day is that"."""
    return not _POINTS.isdisjoint(re.split(r"[ ']", _plain(text)))


def _is_name(said: str) -> bool:
    words = said.split()
    return len(words) <= _LONGEST_NAME and _NO_NAME.isdisjoint(words) and not commands(said)


def commands(text: str) -> bool:
    """Whether a text has the form of a command."""
    said = _plain(text)
    return _DONE_FOR_ME.match(said) is not None or _ORDERED.match(said) is not None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w' ]", " ", text.casefold().replace("’", "'")).split())


def names_label(question: str, label: str) -> bool:
    """Whether `question` asks for what stands behind a label: "what's the wifi password"."""
    return bool(
        re.search(
            r"\b(?:what|who|where)(?:['’]?s| is) (?:the|my|our) (?:\w+ ){0,2}"
            rf"{re.escape(label)}(?: (?:of|for|in|at|on|to|with)\b|\W*$)",
            question,
            re.IGNORECASE,
        )
    )
