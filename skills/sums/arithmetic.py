"""Sums."""

from __future__ import annotations

import re
from decimal import Decimal

from assistant.skill import Context, Reply, Request, Skill, Traits
from skills.sums.expression import SumError, result, spoken

_TOLD = re.compile(r"That's (?:about )?(minus )?(\d+(?:\.\d+)?)\.")

skill = Skill("sums")


def _before(context: Context) -> Decimal | None:
    """The result that the last reply told; None where it told none."""
    told = _TOLD.fullmatch(context.conversation.last_reply)
    return Decimal(f"{'-' if told[1] else ''}{told[2]}") if told else None


def _has_result(request: Request, context: Context) -> bool:
    return request.alone and _before(context) is not None


@skill.intent(
    "Calculate",
    "[<work_out>] {first} <times> {second} [(come to|make|makes|equal|equals|is|give)]",
    "[<work_out>] {first} <times> {second} <times> {third}",
    "[<work_out>] {first} <times> {second} <times> {third} <times> {fourth}",
    "[<work_out>] {first} percent (of|off) {second}",
    "[<work_out>] {first} (plus|minus) {second} percent",
    "[<work_out>] (half|a third|a quarter|a fifth|a tenth|double|twice|triple) [of] {first}",
    "[<work_out>] {first} (thirds|quarters|fifths|tenths) of {second}",
    "[<work_out>] {first} <parts> <times> {second} <parts>",
    "[<work_out>] (half|double|twice|triple) [of] {first} <parts> [of (a|an) <unit>] [is what]",
    "[<work_out>] {first} <parts> (as|in) [a] (percent|percentage|decimal)",
    "(add|multiply|divide|subtract|take) {first} (and|by|to|from|away from) {second}",
    "[<work_out>] [the] (square root|cube root|cube|square) of {first}",
    "[<work_out>] {first} (squared|cubed)",
    "(split|divide|share) {first} (between|by|among|into) {second} [people|ways|of us]",
    "(split|divide|share) {first} [dollars|pounds|euros] {second} ways",
    "how many times does {first} go into {second}",
    "(do|can you do) (sums|maths|math|some sums) [for me|with me]",
    traits=Traits(asks=True),
)
@skill.short(
    "Calculate",
    "[and] <times> {first} [please]",
    "[and] (half|double|a third|a quarter) [of] (that|it)",
    "[and] (that|it) <times> {first}",
    "[and] [(that|it)] (as|in) [a] (percent|percentage|decimal)",
    holds=_has_result,
)
def calculate(
    request: Request,
    context: Context,
    first: float | None = None,
    second: float | None = None,
    third: float | None = None,
    fourth: float | None = None,
) -> Reply:
    """Work out a sum, which may go on from the last result."""
    before = _before(context)
    text = request.text
    if before is not None:
        text = re.sub(
            r"\b(?:that|it)\b(?!')|^(?:and )?(?=(?:as|in) )", f"{before} ", text, flags=re.I
        )
    try:
        value = result(text, before)
    except SumError as error:
        return Reply(str(error), done=False)
    if value is None and first is None:
        return Reply("I add, subtract, multiply and divide, and work out percentages and roots.")
    if value is None:
        return Reply("I can't work that out.", done=False)
    return Reply(f"That's {spoken(value)}.")
