"""English of short forms: what may be a name of the user's own, and what may stand beside it."""

from __future__ import annotations

import re

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.lists import phrase_list, word_set
from assistant.english.numbers import ORDINALS, ordinal
from assistant.english.phrases import SUBJECTS
from assistant.english.stop_words import COMMON

NO_LABEL = (
    COMMON
    | SUBJECTS
    | frozenset(word for words in (*MONTHS, *WEEKDAYS) for word in words.split())
    | word_set(
        "turn switch set start stop dim play ask call ring phone text send message remind wake open"
        " close lock unlock cancel pause hold resume extend shorten add remove order book buy wait"
        " waited need want hour hours minute minutes second seconds day days week weeks month"
        " months year years today tomorrow tonight yesterday morning afternoon evening night noon"
        " midnight"
        " percent degree degrees channel station level page chapter step number part volume"
        " dollars pounds euros pence quid price cost late early old long short quick sorry oh ok"
        " no yes not well right thanks please hello hi hey good bad true false maybe bus train"
        " walk drive flight left away ago half quarter o'clock am pm temperature"
    )
)
"""Words that no name of the user's own has, such as the name of a new timer."""

NO_THING = word_set(
    "list lists timer add put set start play remove take tick check complete delete cancel turn"
    " switch swap exchange off clear no not never nah wait forget just then also actually sorry i"
    " you he she we they it me us him her them if so how what which"
)
"""Words that no thing has whose list is named after it: they begin another command, or a story."""

COOKED = word_set(
    "pasta spaghetti penne macaroni noodles lasagne ravioli gnocchi dumplings rice couscous quinoa"
    " barley porridge polenta lentils beans peas chickpeas potatoes potato spuds chips fries wedges"
    " roasties mash carrots broccoli cauliflower cabbage sprouts leeks onions beetroot parsnips"
    " pumpkin squash corn sweetcorn asparagus mushrooms peppers aubergine courgettes egg eggs bacon"
    " sausage sausages burgers steak steaks chops lamb beef pork ham gammon chicken turkey duck"
    " roast joint meatballs mince fish salmon cod haddock prawns mussels pizza pizzas pie pies"
    " quiche gratin casserole stew soup curry chili chilli sauce gravy stock stuffing bread loaf"
    " rolls baguette croissants dough cake cakes cookies biscuits muffins scones brownies crumble"
    " buns pudding puddings yorkshires tart nuggets waffles pancakes granola jam nuts"
)
"""What is cooked: a bare number for it is a number of minutes."""

FOR_A_DISH = re.compile(r"(?!(?:and |then |also )*(?:another|one)\b).*\bfor (?:the|my|our) ")
"""Lower-case words before the name of what is cooked: "nine for the eggs", but not "another for
the eggs", which says that something was timed before."""

PLACES = (
    {word: place for place, word in enumerate(ORDINALS[:10], start=1)}
    | {ordinal(place): place for place in range(1, 11)}
    | {"oldest": 1, "last": -1, "latest": -1, "newest": -1}
)
"""Word for one of several things in the order of their beginnings → its place; -1 for the last."""

LENGTHS = dict.fromkeys(word_set("longest longer long"), -1) | dict.fromkeys(
    word_set("shortest shorter short quickest quicker quick"), 0
)
"""Word for one of several things that take time → its place in the order of their lengths."""

MORE = word_set("more another extra longer additional")
"""Words of which one says that a time comes on top of another."""

HEDGES = phrase_list(
    "oh say, let us say, say, about, around, roughly, approximately, probably, maybe, perhaps, "
    "like, i think, i reckon, i would say, oh about, more like, something like, shall we say, "
    "call it, oh i do not know"
)
"""Words before a number by which it is not quite certain, and which change nothing."""
ASKED_BEFORE_HEDGE = word_set("what how")
"""Words after which a hedge is none: "what about five"."""

REASONS = phrase_list(
    "because, as, since, there is, there are, they are, it is, that is, i am, we are, i have, "
    "we have, i need, i will, somebody, someone, he is, she is, he has, she has, i got, i forgot, "
    "they have, it has, he's, she's, before it, before they, so i, so we, so that"
)
"""Beginnings of a reason that follows a command."""

START_SEVERAL = re.compile(
    r"(?:(?:set|set up|start|make|create|put on|do|run|give me|i need|i want|we need) )?"
    r"(?:up )?(?:me )?(?:a couple of |a few |some |\d+ |both )?(?:timers|separate timers)"
    r"(?: please)?(?: 1\b)?(?: for\b)?"
)
"""Canonical words that announce several timers: "set two timers, …"."""

CORRECTING = re.compile(
    r"(?:oh |um |uh |hm+ |ah |sorry |well )*(?:no|sorry|wait|actually|oops|whoops|i mean|i meant"
    r"|i said|rather|correction|make that|hang on|hold on|scratch that)\b|.*\binstead\b"
    r"|.*\bnot (?:\w+ )?\w+|.*\bi (?:meant|said)\b"
)
"""A text, in lower case and without punctuation, that puts right what was said before it."""
