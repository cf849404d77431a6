"""Ordering coffee: Picovoice's speech-to-intent benchmark, restated in template sentences.

The sentences and slot values are those of `context.yaml` in
https://github.com/Picovoice/speech-to-intent-benchmark (Apache-2.0), no more and no fewer: its
expressions list every order of size, roast and shots, each of them optional, with milk and sugar
in either order.
"""

from __future__ import annotations

from enum import Enum
from itertools import product

from assistant.skill import Reply, Skill

skill = Skill("coffee", api=1, description="take a coffee order")
skill.rule(
    "opener",
    "(brew|can I get|can I have|I want|get me|give me|I'd like|make me|may I have) (a|an)",
)
skill.rule("extras", "{milkAmount} [and {sugarAmount}]|{sugarAmount} [and {milkAmount}]")


def _one_of(name: str, *values: str) -> type[Enum]:
    return Enum(name, [(value.replace(" ", "_").upper(), value) for value in values])


def _some(name: str, *things: str) -> type[Enum]:
    amounts = ("", "a little bit of ", "a bit of ", "some ", "a lot of ", "lots of ")
    return _one_of(name, *(amount + thing for thing, amount in product(things, amounts)))


Size = _one_of(
    "Size",
    *("small", "medium", "large", "eight ounce", "twelve ounce", "sixteen ounce", "twenty ounce"),
)
Roast = _one_of("Roast", "light roast", "medium roast", "dark roast")
Shots = _one_of("Shots", "single shot", "double shot", "triple shot")
Drink = _one_of(
    "Drink",
    *("americano", "cappuccino", "espresso", "iced mocha", "latte", "mocha"),
    *("coffee", "drip coffee", "house coffee", "iced coffee"),
)
Milk = _some("Milk", "milk", "skim milk", "whole milk", "soy milk", "almond milk", "cream")
Sugar = _some("Sugar", "sugar", "brown sugar", "sweetener")


@skill.intent(
    "orderDrink",
    "<opener> ([{size}];[{roast}];[{numberOfShots}]) {coffeeDrink} [with (<extras>)]",
)
def order_drink(
    coffeeDrink: Drink,  # noqa: N803 - slots are named as the benchmark names them
    size: Size | None = None,
    roast: Roast | None = None,
    numberOfShots: Shots | None = None,  # noqa: N803
    milkAmount: Milk | None = None,  # noqa: N803
    sugarAmount: Sugar | None = None,  # noqa: N803
) -> Reply:
    """Take the order."""
    kind = " ".join(str(part.value) for part in (size, roast, numberOfShots, coffeeDrink) if part)
    extras = " and ".join(str(part.value) for part in (milkAmount, sugarAmount) if part)
    return Reply(f"One {kind}{f' with {extras}' if extras else ''}, coming up.")
