"""Declares lists of numbers below zero or with a decimal place, in canonical words."""

from __future__ import annotations

from hassil.expression import Alternative, Expression, ListReference, TextChunk
from hassil.expression import Sequence as ExpressionSequence
from hassil.intents import TextSlotList

from nlu.grammar.binding import IGNORED
from nlu.grammar.blocks import ValueList
from nlu.grammar.lists import TIMES, SlotLists, phrase


def declare_numbers(lists: SlotLists, values: ValueList, numbers: range) -> str:
    """Declare the list with the `numbers` of `values`: "20", "20 point 5", "minus 3"."""
    if numbers.start >= 0 and not values.decimals:
        return lists.numbers(numbers.start, numbers[-1], numbers.step, values.times)
    said = ExpressionSequence([_whole(lists, numbers), _decimals(lists, values.decimals)])
    value = phrase(said, said)
    value.metadata = {**(value.metadata or {}), TIMES: values.times or 1}
    return lists.declare(values.name, lambda home: TextSlotList(values.name, [value]))


def _whole(lists: SlotLists, numbers: range) -> Expression:
    low, high, step = numbers.start, numbers[-1], numbers.step
    choices: list[Expression] = []
    if high >= 0:
        choices.append(_number(lists, max(low, 0), high, step))
    if low < 0:
        minus = _number(lists, max(-high, 1), -low, step)
        choices.append(ExpressionSequence([TextChunk("minus "), minus]))
    return Alternative(choices)


def _decimals(lists: SlotLists, digits: tuple[int, ...]) -> Expression:
    parts: list[Expression] = [
        ExpressionSequence([TextChunk(" point "), _number(lists, digit, digit)]) for digit in digits
    ]
    halves = [TextChunk(" and a half")] if 5 in digits else []
    return Alternative([*parts, *halves, TextChunk("")], is_optional=True)


def _number(lists: SlotLists, start: int, stop: int, step: int = 1) -> Expression:
    return ListReference(f"{lists.numbers(start, stop, step)}:{IGNORED}")
