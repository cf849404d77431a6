"""What counts of confirmed commands do for the ear: `python -m benchmarks.hearing.habits`.

Households are made up, each with a few intents that it wants often. Sentences of all intents are
spoken in flite's voices and heard twice: by an ear that knows nothing of the household, and by one
that has counted its commands. What is asked for by habit should be heard better, and all else not
much worse.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import RECOGNISERS, heard_by, temporary_config
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.layout import USAGE_FILE
from assistant.evaluation.clips import Clip, SentenceLabel
from assistant.evaluation.examples import spoken_examples
from assistant.evaluation.spoken import Misheard, evaluate_spoken

VOICES = ("slt", "rms", "awb", "kal16")
HABIT = 12
"""Intents that a household wants often."""
COMMANDS = 300
"""Commands that were counted, as many as count at most."""
_SEED = 7


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences of a household's habit and of all else, and how many each ear heard right."""

    household: int
    habit: int
    habit_right: tuple[int, int]
    else_right: tuple[int, int]
    other: int


def habit(intents: Sequence[str], seed: int) -> Mapping[str, int]:
    """A few of `intents` with how often they were wanted, the first most, as by Zipf's law."""
    chosen = random.Random(seed).sample(sorted(intents), HABIT)
    weights = [1.0 / rank for rank in range(1, HABIT + 1)]
    return {i: round(COMMANDS * w / sum(weights)) for i, w in zip(chosen, weights, strict=True)}


def wrong(
    clips: Sequence[Clip[SentenceLabel]], config: Config, counts: Mapping[str, int], state: Path
) -> set[str]:
    """The clips that an ear with these counts does not hear right."""
    state.mkdir(exist_ok=True)
    (state / USAGE_FILE).write_bytes(msgspec.json.encode(counts))
    storage = msgspec.structs.replace(config.storage, state=str(state))
    composition = Composition(msgspec.structs.replace(config, storage=storage))
    missed: list[Misheard] = []
    evaluate_spoken(clips, composition.asr(), composition.nlu(), composition.skills, missed.append)
    return {one.clip for one in missed}


def measure(config: Config, households: int, each: int, folder: Path) -> list[Row]:
    """The rows of so many households, with `each` sentences of every intent."""
    sentences = Composition(config).understanding.templates.examples(vocabulary=True)
    clips = spoken_examples(sentences, each, VOICES, folder)
    before = wrong(clips, config, {}, folder / "nothing")
    rows = []
    for number in range(households):
        counts = habit(list(sentences), _SEED + number)
        after = wrong(clips, config, counts, folder / str(number))
        mine = {c.path.stem for c in clips if c.path.stem.rpartition("-")[0] in counts}
        rest = {c.path.stem for c in clips} - mine
        row = Row(
            household=number,
            habit=len(mine),
            habit_right=(len(mine - before), len(mine - after)),
            else_right=(len(rest - before), len(rest - after)),
            other=len(rest),
        )
        rows.append(row)
    return rows


def main(arguments: Sequence[str]) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    parser.add_argument("--households", type=int, default=4)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--engine", choices=RECOGNISERS, default="auto")
    given = parser.parse_args(arguments)
    config = heard_by(given.engine, temporary_config(None, given.home))
    table = Table("household", "of its habit", "right before", "after", "else", "before", "after")
    with TemporaryDirectory() as folder:
        for row in measure(config, given.households, given.each, Path(folder)):
            cells = (row.household, row.habit, *row.habit_right, row.other, *row.else_right)
            table.add_row(*map(str, cells))
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
