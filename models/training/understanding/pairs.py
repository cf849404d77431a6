"""What people said at home and the same in plain words, as sequences to learn from."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml
from tokenizers import Tokenizer

from assistant.skill.home import Entity, Home, load_home
from models.training.config import DATA, MODELS
from nlu.rewriter import prompt

PLAIN = DATA / "plain"
WEEKS = MODELS.parent / "tests" / "data"
_NOWHERE = 0.2
"""Share of the conversations that are learned without their room, as a device may have none."""
_STATELESS = 0.6
"""Share of the conversations that are learned without the states."""
_KEPT = (0.4, 1.0)
"""Least and greatest share of the devices that are not spoken of and yet are read."""
UNSCORED = -100
"""The label of a token that is read and not written."""


class Conversation(NamedTuple):
    """Turns of one conversation."""

    key: str
    area: str
    """The room's id; "" where it is not known."""
    at: datetime
    turns: tuple[prompt.Turn, ...]


class Household(NamedTuple):
    """A home and what was said there."""

    name: str
    home: Home
    conversations: tuple[Conversation, ...]


class Packed(NamedTuple):
    """Tokens to learn from: the names, then conversations that do not see each other."""

    ids: list[int]
    labels: list[int]
    shared: int
    """Number of the names' tokens."""
    lengths: list[int]
    """Number of tokens of each conversation."""
    places: list[int]
    """The position of each token."""


def households() -> tuple[Household, ...]:
    """All homes with their conversations, the weeks of tests/data first."""
    weeks = sorted((PLAIN / "weeks").glob("*.jsonl"), key=lambda path: (len(path.stem), path.stem))
    homes = sorted((PLAIN / "homes").glob("*.jsonl"))
    read = (_household(path, path in weeks) for path in (*weeks, *homes))
    return tuple(household for household in read if household is not None)


def _household(path: Path, week: bool) -> Household:
    said: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        said[row["conv"]].append(row)
    home = load_home(WEEKS / path.stem / "home.yaml" if week else path.with_suffix(".yaml"))
    opened = _openings(path.stem) if week else {}
    conversations = []
    for key, rows in said.items():
        area, at = opened.get(key, (rows[0].get("area") or "", rows[0].get("at")))
        turns = tuple(prompt.Turn(str(row["say"]), str(row["plain"])) for row in rows)
        when = datetime.fromisoformat(str(at))
        conversations.append(Conversation(key, str(area), when, turns))
    return Household(path.stem, home, tuple(conversations))


def _openings(week: str) -> dict[str, tuple[str, str]]:
    """The room and the time of each conversation of a week."""
    text = (WEEKS / f"{week}.yaml").read_text("utf-8")
    conversations = yaml.load(text, yaml.CSafeLoader)["conversations"]
    return {one["id"]: (one.get("area") or "", str(one["at"])) for one in conversations}


class Sequences:
    """Makes the sequences of one round, other ones each time."""

    def __init__(self, tokenizer: Tokenizer, longest: int) -> None:
        self._tokenizer, self._longest = tokenizer, longest

    def round(self, homes: Sequence[Household], draw: random.Random) -> list[Packed]:
        """All conversations of `homes`, packed behind the names of their home."""
        made = [one for household in homes for one in self._of(household, draw)]
        draw.shuffle(made)
        return made

    def _of(self, household: Household, draw: random.Random) -> Iterator[Packed]:
        conversations = list(household.conversations)
        draw.shuffle(conversations)
        while conversations:
            taken, size = [], 0
            while conversations and (not taken or size < self._longest):
                parts = self._parts(household.home, conversations[-1], draw)
                more = sum(len(ids) for ids, _ in parts)
                if taken and size + more > self._longest:
                    break
                taken.append((conversations.pop(), parts))
                size += more
            spoken = " ".join(
                f"{turn.said} {turn.plain}".lower() for one, _ in taken for turn in one.turns
            )
            yield self._packed(_some(household.home, spoken, draw), [parts for _, parts in taken])

    def _parts(
        self, home: Home, conversation: Conversation, draw: random.Random
    ) -> list[tuple[list[int], bool]]:
        area = conversation.area if draw.random() > _NOWHERE else ""
        known = prompt.states(home, area) if draw.random() > _STATELESS else ""
        name = next((one.name for one in home.areas if one.id == area), "")
        parts = [(self._ids(prompt.opening(name, conversation.at, known)), False)]
        for turn in conversation.turns:
            parts.append((self._ids(prompt.question(turn.said)), False))
            parts.append((self._ids(prompt.answer(turn.plain)), True))
        return parts

    def _packed(self, home: Home, packed: list[list[tuple[list[int], bool]]]) -> Packed:
        ids = self._ids(prompt.names(home))
        start = len(ids)
        made = Packed(ids, [UNSCORED] * start, start, [], list(range(start)))
        for parts in packed:
            size = len(made.ids)
            for more, written in parts:
                made.ids.extend(more)
                made.labels.extend(more if written else [UNSCORED] * len(more))
            made.lengths.append(len(made.ids) - size)
            made.places.extend(range(start, start + made.lengths[-1]))
        return made

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _some(home: Home, spoken: str, draw: random.Random) -> Home:
    """The home in another order, with what is `spoken` of and a share of the rest."""
    share = draw.uniform(*_KEPT)
    kept = [one for one in home.entities if _is_spoken_of(one, spoken) or draw.random() < share]
    areas = list(home.areas)
    draw.shuffle(kept)
    draw.shuffle(areas)
    return msgspec.structs.replace(home, areas=tuple(areas), entities=tuple(kept))


def _is_spoken_of(entity: Entity, spoken: str) -> bool:
    return any(name.lower() in spoken for name in (entity.name, *entity.aliases))
