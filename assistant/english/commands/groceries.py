"""Things that households buy, by which a list that is said in one breath is divided.

"eggs butter and brown sugar"       eggs, butter, brown sugar
"milk tomato soup two lemons"       milk, tomato soup, two lemons
"worm the hoggs"                    is left as it is
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.english.commands.list_words import CONTAINERS
from assistant.english.lists import word_set
from assistant.english.numbers import FIGURES

_PLANTS = word_set(
    "apple pear banana orange lemon lime grapefruit satsuma clementine mandarin tangerine grape"
    " melon watermelon strawberry raspberry blueberry blackberry cherry plum peach nectarine"
    " apricot mango pineapple papaya kiwi pomegranate fig date raisin sultana avocado rhubarb"
    " tomato potato onion shallot carrot parsnip turnip swede beetroot radish leek celery celeriac"
    " cabbage cauliflower broccoli kale spinach lettuce rocket cucumber courgette zucchini"
    " aubergine eggplant capsicum pepper chilli okra pumpkin squash sweetcorn corn pea bean lentil"
    " chickpea mushroom garlic ginger asparagus fennel coriander cilantro parsley basil thyme"
    " rosemary oregano sage mint dill chive turmeric cumin cardamom cinnamon nutmeg paprika"
    " tamarind olive almond cashew walnut pistachio peanut coconut oat"
)
"""Fruit, vegetables, herbs, spices and nuts, in the singular: other things are made of them."""
_MADE_OF_PLANTS = word_set(
    "juice jam yoghurt yogurt pie cake chutney pickle soup tea sorbet muffin salad puree syrup"
)
_OTHERS = word_set(
    # dairy and eggs
    "milk egg butter margarine cheese cheddar mozzarella parmesan feta halloumi brie ricotta paneer"
    " ghee curd yoghurt yogurt buttermilk custard cream"
    # bread, grain and baking
    " bread bagel baguette roll bun crumpet muffin croissant pitta naan tortilla wrap roti flour"
    " sugar yeast rice pasta spaghetti macaroni penne lasagne lasagna couscous quinoa bulgur oats"
    " porridge muesli granola cereal cornflakes noodle semolina poha rajma dal daal"
    # meat and fish
    " chicken beef lamb pork bacon ham turkey duck mince sausage steak burger gammon chorizo salami"
    " fish salmon tuna cod haddock mackerel sardine anchovy prawn shrimp tofu tempeh"
    # cupboard
    " salt vinegar oil mustard mayonnaise mayo ketchup jam marmalade honey syrup pickle chutney"
    " salsa hummus pesto gravy stock soup caper nut seed chocolate biscuit cookie cracker crisp"
    " cake pie pizza popcorn candy vegemite marmite jelly"
    # drinks
    " water tea coffee juice cola coke lemonade beer wine cider gin whisky whiskey vodka cordial"
    # household
    " soap shampoo conditioner toothpaste toothbrush deodorant razor tissue nappy diaper wipe"
    " plaster detergent bleach sponge foil clingfilm candle battery lightbulb paracetamol"
    " ibuprofen aspirin sunscreen"
)
"""Other things of one word, in the singular."""

_COMPOUNDS = {
    last: word_set(firsts)
    for last, firsts in {
        "juice": "cranberry fruit",
        "soup": "chicken vegetable noodle",
        "sauce": "tomato soy soya pasta apple cranberry chilli chili hot fish mint barbecue",
        "bread": "garlic banana rye brown white soda ginger corn sourdough wholemeal pitta naan",
        "butter": "peanut almond cashew",
        "milk": "oat almond soy soya coconut goat's goats skimmed condensed",
        "oil": "olive coconut sunflower vegetable sesame rapeseed cooking",
        "cheese": "cream cottage goat's goats blue cheddar grated",
        "cream": "ice sour whipping double single soured clotted hand shaving sun",
        "sugar": "brown icing caster white powdered",
        "flour": "plain self-raising bread corn almond rice wholemeal",
        "powder": "baking washing chilli curry cocoa custard",
        "paste": "tomato curry garlic",
        "rice": "basmati brown jasmine",
        "bean": "green baked kidney black coffee french runner broad",
        "pea": "frozen split mushy",
        "onion": "spring red",
        "potato": "sweet new baking",
        "pepper": "black bell red green chilli",
        "chip": "potato chocolate oven tortilla",
        "crisp": "potato",
        "breast": "chicken turkey duck",
        "thigh": "chicken",
        "wing": "chicken",
        "finger": "fish",
        "bar": "cereal chocolate",
        "bag": "bin tea freezer sandwich garbage trash rubbish",
        "roll": "toilet kitchen sausage bread",
        "paper": "toilet baking kitchen wrapping greaseproof",
        "towel": "paper kitchen",
        "food": "dog cat fish baby bird",
        "litter": "cat",
        "treat": "dog cat",
        "tablet": "dishwasher",
        "liquid": "washing-up dish",
        "soap": "dish hand",
        "wool": "cotton",
        "bud": "cotton",
        "bulb": "light",
        "wipe": "baby",
        "pad": "sanitary",
        "stock": "chicken vegetable beef",
        "cube": "stock ice",
        "water": "sparkling tonic coconut mineral",
        "wine": "red white",
        "seed": "sunflower pumpkin sesame chia poppy",
        "beef": "ground minced corned roast",
        "chicken": "roast",
        "salad": "mixed",
        "biscuit": "dog digestive chocolate ginger cheese",
        "chocolate": "milk",
        "pie": "fish chicken pork steak",
        "cake": "birthday rice chocolate",
        "vinegar": "malt wine cider balsamic",
        "salt": "sea garlic table",
        "beer": "ginger root",
    }.items()
}
"""Last word of a thing, in the singular → the words that it may stand behind."""

_QUALIFYING = word_set(
    "fresh frozen tinned canned dried chopped sliced grated organic plain whole skimmed"
    " semi-skimmed full-fat low-fat unsalted salted smoked large small big little medium ripe red"
    " green yellow white brown black dark baby sweet strong mild"
)
"""Words before a thing that say of which sort it is."""
_COUNTING = (
    frozenset(CONTAINERS)
    | set(FIGURES)
    | word_set("a an the some more another half couple few of dozen lot lots")
)
"""Words before a thing that say how much of it."""
_LONGEST = 2
"""Most words of a thing."""


def divided(words: Sequence[str]) -> list[list[str]]:
    """The things that words without any joint between them name; all words where it is not sure.

    Each of them must be known, with the words before it that say how much, or of which sort.
    """
    things: list[list[str]] = []
    plain = [word.casefold() for word in words]
    at = 0
    while at < len(words):
        end = _thing_end(plain, at)
        if end == at:
            return [list(words)]
        things.append(list(words[at:end]))
        at = end
    return things


def _thing_end(words: Sequence[str], start: int) -> int:
    """Where the thing ends that begins at a place; the place itself where none does."""
    at = start
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            if _is_thing(words[at : at + length]):
                return at + length
        if not (words[at] in _COUNTING | _QUALIFYING or words[at].isdecimal()):
            return start
        at += 1
    return start


def _is_thing(words: Sequence[str]) -> bool:
    last = _SINGULAR.get(words[-1], words[-1])
    if len(words) == 1:
        return last in _PLANTS | _OTHERS
    made = last in _MADE_OF_PLANTS and words[0] in _PLANTS
    return made or words[0] in _COMPOUNDS.get(last, ())


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    hissing = word.endswith(("s", "x", "ch", "sh")) or word in ("tomato", "potato", "mango")
    return f"{word}es" if hissing else f"{word}s"


_SINGULAR = {_plural(word): word for word in _PLANTS | _OTHERS | _COMPOUNDS.keys()}
"""Plural → the word itself."""
