"""Units of measure: one in another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from assistant.skill import Context, Reply, Request, Skill, Traits
from skills.sums.expression import number_in, spoken, words_of
from skills.sums.measures import IMPERIAL_ZONES, Unit, unit_at

_TOLD = re.compile(r"(?P<much>.+?) (?:is|are) (?:about )?\S+ [a-zA-Z ]+\.")
_WATER = "water"

skill = Skill("sums")


class _Wish(NamedTuple):
    """So much of one unit, in another."""

    amount: Decimal
    unit: Unit
    into: Unit | None


def _told(context: Context) -> str:
    """The amount that the last reply told in another unit; "" where it told none."""
    told = _TOLD.fullmatch(context.conversation.last_reply)
    return told["much"].casefold() if told else ""


def _goes_on(request: Request, context: Context) -> bool:
    return request.alone and bool(_told(context))


@skill.intent(
    "ConvertUnits",
    "what is {first} <unit> in <unit>",
    "how many <unit> (is|are|are there in|in|are in|make|to|equal[s]) (a|an|{first}|one) <unit>",
    "how many <unit> (are there in|in|are in|to) (a|an|{first}|one) <unit> of {substance}",
    "how (much|heavy|long|hot|cold|far|fast|tall|big) is {first} <unit> in <unit>",
    "convert {first} <unit> (to|into|in) <unit>",
    "{first} <unit> (in|to|into|as) <unit>",
    "what is (a|an) <unit> [of {substance}] in <unit>",
    traits=Traits(asks=True),
)
@skill.short(
    "ConvertUnits", "[and] [what is that] (in|into|to) <unit>", "[and] in <unit>", holds=_goes_on
)
def convert_units(
    request: Request, context: Context, first: float | None = None, substance: str = ""
) -> Reply:
    """Tell how much one unit is in another."""
    imperial = str(context.now.tzinfo).startswith(IMPERIAL_ZONES)
    wish = _wish(words_of(request.text), imperial) or _wish(
        [*words_of(_told(context)), *words_of(request.text)], imperial
    )
    if wish is None or wish.into is None:
        return Reply("Say how much of which unit, and in which unit you want it.", done=False)
    unit, into = wish.unit, wish.into
    kinds = {unit.kind, into.kind}
    if kinds == {"weight", "volume"} and substance != _WATER:
        what = substance or "it"
        return Reply(f"I don't know how heavy {unit.many} of {what} are.", done=False)
    if len(kinds) > 1 and kinds != {"weight", "volume"}:
        return Reply(
            f"{unit.many.capitalize()} measure {unit.kind}, {into.many} {into.kind}.", done=False
        )
    value = (wish.amount + unit.zero) * unit.worth / into.worth - into.zero
    verb = "is" if wish.amount == 1 else "are"
    return Reply(f"{_measured(wish.amount, unit)} {verb} {_measured(value, into)}.")


def _measured(amount: Decimal, unit: Unit) -> str:
    return f"{spoken(amount)} {unit.one if amount == 1 else unit.many}"


def _wish(words: Sequence[str], imperial: bool) -> _Wish | None:
    """The conversion that words ask for; None where they name no amount of a unit.

    The amount is before its unit; "how many" and "in" are before the other.
    """
    amount: tuple[Decimal, Unit] | None = None
    into: Unit | None = None
    at = 0
    while at < len(words):
        found = unit_at(words, at, imperial)
        counted = None if found else _amount_at(words, at, imperial)
        if counted is not None and amount is None:
            amount, at = counted[:2], counted[2]
        elif found is not None:
            into, at = into or found[0], found[1]
        else:
            at += 1
    if amount is None:
        return None
    return _Wish(*amount, into)


def _amount_at(words: Sequence[str], at: int, imperial: bool) -> tuple[Decimal, Unit, int] | None:
    number = number_in(words, at)  # "a hundred"
    if number is None and words[at] not in ("a", "an"):
        return None
    value, end = number or (Decimal(1), at + 1)
    found = unit_at(words, end, imperial)
    return (value, *found) if found else None
