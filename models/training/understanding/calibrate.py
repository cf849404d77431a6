"""Fits the rewriter's table: `python -m models.training.understanding.calibrate ROWS FILE`.

ROWS are the rewrites that `evaluate` wrote of homes that were held out. A rewrite is right when the
grammar reads the same commands in it as in the plain sentences. Those count that say in other words
what the grammar alone does not understand.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.core.messages import Command
from models.training.understanding.pairs import Household, households
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import built_in
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.rewriter.judge import RewriterCalibration, chance, signs
from nlu.rewriter.prompt import Turn
from nlu.rewriter.rewriter import Rewrite
from nlu.text.canonical import canonical
from skills.registry import load_registry

ACT, ASK = 0.85, 0.5
_ROUNDS, _RATE, _DECAY = 4000, 0.1, 1e-3
_NOW = datetime.fromisoformat("2028-01-17T18:00+00:00")


class Row(NamedTuple):
    """The signs of a rewrite, whether it is right, and how it reads."""

    signs: dict[str, float]
    right: bool
    told: str


def main() -> None:
    """Fit, write, and show how right the rewrites are by their chance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    lines = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    rows = [row for household in households() for row in _rows(household, lines)]
    table = _fitted(rows)
    given.file.write_bytes(msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")
    for least, most in ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 1.01)):
        those = [row.right for row in rows if least <= chance(row.signs, table) < most]
        print(f"{least:.2f}-{most:.2f}: right {sum(those)} of {len(those)}")  # noqa: T201


def _rows(household: Household, lines: Iterable[dict[str, object]]) -> Iterator[Row]:
    said = [line for line in lines if line["home"] == household.name]
    if not said:
        return
    templates = Templates.compile(load_registry().manifests, household.home, built_in())
    areas = {one.key: one.area for one in household.conversations}
    readers: dict[str, Interpreter] = {}
    turns: list[Turn] = []
    for line in said:
        if line["i"] == 0:
            turns = []
        area = areas[str(line["conv"])]
        if area not in readers:
            here = templates.in_area(area)
            parts = Composer(here.home, area), Questions(here.home, area)
            readers[area] = Interpreter(here, None, *parts)
        read = readers[area]
        text, likelihoods = str(line["say"]), tuple(map(float, line["likelihoods"]))  # type: ignore[call-overload]
        rewrite = Rewrite(str(line["rewrite"]), likelihoods)
        before, turns = turns[-3:], [*turns, Turn(text, rewrite.plain)]
        if not rewrite.sentences or read(canonical(text), _NOW, None).commands:
            continue
        meant = _commands(read, Rewrite(str(line["plain"]), ()).sentences)
        taken = _commands(read, rewrite.sentences)
        if taken:
            told = f"{text} | {line['plain']} | {rewrite.plain}"
            yield Row(signs(text, rewrite, before, household.home), taken == meant, told)


def _commands(read: Interpreter, sentences: Iterable[str]) -> list[tuple[object, ...]] | None:
    """What the grammar reads in plain sentences; None where it does not read one of them."""
    found: list[tuple[object, ...]] = []
    for sentence in sentences:
        understood = read(canonical(sentence), _NOW, None)
        if not understood.commands:
            return None
        found += map(_told, understood.commands)
    return found


def _told(command: Command) -> tuple[object, ...]:
    slots = sorted((slot.name, str(slot.value).lower()) for slot in command.slots)
    return command.intent, tuple(slots), str(command.when)


def _fitted(rows: list[Row]) -> RewriterCalibration:
    """A logistic regression, with inputs of one size."""
    names = sorted(rows[0].signs)
    inputs = np.array([[row.signs[name] for name in names] for row in rows])
    wanted = np.array([row.right for row in rows], float)
    means, sizes = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    inputs = (inputs - means) / sizes
    weights, offset = np.zeros(len(names)), 0.0
    for _ in range(_ROUNDS):
        wrong = 1 / (1 + np.exp(-(inputs @ weights + offset))) - wanted
        weights -= _RATE * (inputs.T @ wrong / len(rows) + _DECAY * weights)
        offset -= _RATE * wrong.mean()
    plain = weights / sizes
    return RewriterCalibration(
        weights={name: round(float(w), 4) for name, w in zip(names, plain, strict=True)},
        offset=round(float(offset - plain @ means), 4),
        act=ACT,
        ask=ASK,
    )


if __name__ == "__main__":
    main()
