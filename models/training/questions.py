"""Reads our own passages with questions, which the reader is trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from models.training.config import TRAINING

PASSAGES = TRAINING / "passages"
HELD_OUT = 10
"""Number of documents of which one is held out of the training; a hash of its title decides."""


@dataclass(frozen=True)
class Asked:
    """A question, its answer in the words of the passage, and the answer as a spoken sentence."""

    question: str
    answer: str
    spoken: str


@dataclass(frozen=True)
class Block:
    """A passage with questions; it seems to answer those in `unanswered`, and does not."""

    title: str
    place: str
    text: str
    asked: tuple[Asked, ...]
    unanswered: tuple[str, ...]

    @property
    def held_out(self) -> bool:
        """Whether the document is held out: used to choose a model, not to train it."""
        return hashlib.sha256(self.title.encode()).digest()[0] % HELD_OUT == 0


def blocks(held_out: bool) -> list[Block]:
    """The blocks to train on, or those held out; raises `ValueError`, which names a faulty one."""
    files = sorted(PASSAGES.glob("*.txt"))
    read = (_block(part) for file in files for part in file.read_text("utf-8").split("\n\n"))
    return [block for block in read if block is not None and block.held_out == held_out]


def _block(part: str) -> Block | None:
    lines = part.strip().splitlines()
    if not lines:
        return None
    title, _, place = lines[0].removeprefix("# ").partition(" | ")
    asked = tuple(_asked(lines[2:]))
    unanswered = tuple(line[3:] for line in lines[2:] if line.startswith("N: "))
    for one in asked:
        if one.answer not in lines[1]:
            raise ValueError(f'"{title}": its passage does not hold "{one.answer}"')
    return Block(title.strip(), place.strip(), lines[1], asked, unanswered)


def _asked(lines: list[str]) -> Iterator[Asked]:
    for index, line in enumerate(lines):
        if line.startswith("Q: "):
            answer, spoken = lines[index + 1], lines[index + 2]
            if not (answer.startswith("A: ") and spoken.startswith("S: ")):
                raise ValueError(f'"{line}" is not followed by A: and S:')
            yield Asked(line[3:].strip(), answer[3:].strip(), spoken[3:].strip())
