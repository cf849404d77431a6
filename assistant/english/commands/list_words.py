"""English of lists: how kinds of lists are called, what is counted, and verbs for what is done."""

from __future__ import annotations

import re

from assistant.english.lists import phrase_list, word_list, word_set
from assistant.english.stems import short_stem

SHOPPING, TO_DO = "shopping list", "to-do list"
"""Names of the lists that are there without being made, and of their kinds."""

LIST_KINDS = {
    SHOPPING: frozenset(
        phrase_list(
            "shopping, shop, weekly shop, groceries, grocery, food, food shop, supermarket,"
            " provisions"
        )
    ),
    TO_DO: frozenset(
        phrase_list(
            "to do, todo, to dos, todos, things to do, jobs, job, chores, chore, tasks, task,"
            " errands, household jobs, house jobs, household chores, jobs to do"
        )
    ),
}
"""Kind of list → what people call one of it, without the word "list"."""

NO_NAMED_THING = frozenset(
    phrase_list(
        "thing, things, one thing, two things, stuff, bits, a few bits, some bits, something,"
        " something else, some things, a few things, a couple of things, one more thing,"
        " another thing, some more things, a few more things, some stuff, a thing, more, some more"
    )
)
"""Words that announce things and name none."""

BEFORE_NAMES = word_set("a an the my our your his her their this that these those")
"""Words before the name of a list that are no part of it."""
NO_LIST_NAME = BEFORE_NAMES | word_set(
    "it whole full entire complete same"
    " new old other another what which any every all each no long short i you we they he she me"
    " us is are was were be do does did have has had on in to off from and or not please"
)
"""Words that stand in no name of a list that there is not."""

CONTAINERS = word_list(
    "bag bags tin tins can cans bottle bottles box boxes packet packets pack packs jar jars carton"
    " cartons loaf loaves bunch bunches pint pints litre litres liter liters kilo kilos kilogram"
    " kilograms gram grams pound pounds ounce ounces dozen tub tubs tube tubes roll rolls piece"
    " pieces slice slices case cases crate crates jug jugs pot pots bar bars punnet punnets tray"
    " trays sack sacks net nets head heads stick sticks"
)
"""Words for what things are bought by."""
_COUNTS = r"(?:a|an|half a|a couple of|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+)"
COUNTED_AFTER = re.compile(
    rf"(?P<thing>\S.*?) (?P<count>{_COUNTS} (?:{'|'.join(CONTAINERS)}))(?: of)?", re.IGNORECASE
)
"""A thing with its number behind it: "flour two bags"."""

_IRREGULAR = {
    form: verb
    for verb, forms in {
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "choose": "chose chosen",
        "cut": "cut",
        "dig": "dug",
        "do": "did done",
        "draw": "drew drawn",
        "drive": "drove driven",
        "feed": "fed",
        "find": "found",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone",
        "hang": "hung",
        "keep": "kept",
        "lay": "laid",
        "lend": "lent",
        "make": "made",
        "meet": "met",
        "pay": "paid",
        "put": "put",
        "read": "read",
        "ring": "rang rung",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "set": "set",
        "sew": "sewed sewn",
        "shut": "shut",
        "sow": "sowed sown",
        "speak": "spoke spoken",
        "sweep": "swept",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "throw": "threw thrown",
        "wind": "wound",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}
"""Past form of a verb → the verb."""

_BESIDE_THINGS = word_set(
    "the a an my our your his her their some any i we he she they it you have has had is are was"
    " were been just already now today yesterday finally also too back all both well actually then"
    " so and oh ok right please"
)
"""Words beside the name of a thing, or beside what is told of it."""
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
_SIGNS = ".,;:!?'\""


def key_words(text: str) -> frozenset[str]:
    """The words by which things on lists are compared: "I've paid the bill" is "pay the bill"."""
    plain = text.casefold().replace("’", "'").replace("'ve", "").replace("'s", "")
    words = (word.strip(_SIGNS) for word in plain.replace("-", " ").split())
    return frozenset(_root(word) for word in words if word and word not in _BESIDE_THINGS)


def is_past(word: str) -> bool:
    """Whether a word is a verb's past form: "rang", "posted"."""
    return word in _IRREGULAR or word.endswith("ed")


def _root(word: str) -> str:
    stem = short_stem(_IRREGULAR.get(word, word))
    return re.sub("y$", "i", _DOUBLED.sub(r"\1", stem))
