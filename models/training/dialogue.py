"""Reads the system turns of Schema-Guided Dialogue as acts and replies (Rastogi et al. 2020)."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assistant.answer.generation.prompt import Act, Mark, Prompt, about_facts, about_text, spaced
from models.training.config import DATA
from models.training.renaming import other_value, replaced

MARKS = {
    "INFORM": Mark.INFORM,
    "OFFER": Mark.OFFER,
    "CONFIRM": Mark.CONFIRM,
    "REQUEST": Mark.REQUEST,
    "INFORM_COUNT": Mark.COUNT,
    "OFFER_INTENT": Mark.PROPOSE,
    "NOTIFY_SUCCESS": Mark.SUCCESS,
    "NOTIFY_FAILURE": Mark.FAILURE,
    "REQ_MORE": Mark.MORE,
    "GOODBYE": Mark.GOODBYE,
}
SAID = {"True": "yes", "False": "no"}
"""Values that the grammar of a sentence expresses, not a word of their own."""
SAME = 3
"""Most turns that are kept of those that differ only in their values."""
Example = tuple[Prompt, str]


@dataclass(frozen=True)
class Turn:
    """A system turn: what is to be said, what the user said before, and the reply."""

    kind: str
    acts: tuple[Act, ...]
    user: str
    reply: str

    @property
    def values(self) -> list[str]:
        """The values that the reply must hold word for word."""
        return [a.value for a in self.acts if a.value and a.value not in SAID.values()]

    @property
    def whole(self) -> bool:
        """Whether the reply holds every value."""
        return all(value in self.reply for value in self.values)


def read(split: str) -> list[Turn]:
    """The turns of the split "train", "dev" or "test"."""
    with gzip.open(DATA / "nlg" / "sgd" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [_turn(json.loads(line)) for line in lines]


def _turn(row: dict) -> Turn:  # type: ignore[type-arg]
    method = (row["call"] or {}).get("method", "")
    acts: list[Act] = []
    for action in row["actions"]:
        mark, name = MARKS[action["act"]], spaced(action["slot"])
        if mark is Mark.PROPOSE:
            acts.append(Act(mark, spaced(action["values"][0])))
        elif mark in (Mark.SUCCESS, Mark.FAILURE):
            acts.append(Act(mark, spaced(method)))
        else:
            values = action["values"] or [""]
            acts += [Act(mark, name, SAID.get(value, value)) for value in values]
    kind = spaced(row["service"].partition("_")[0])
    return Turn(kind, tuple(acts), row["user"], row["reply"])


class Dialogues:
    """Examples of the train split: replies with every value, and few that are nearly the same."""

    def __init__(self, folder: Path | None = None) -> None:
        self.turns = _unlike([turn for turn in read("train") if turn.whole])

    @cached_property
    def pools(self) -> dict[str, list[str]]:
        """The values of each slot."""
        found: dict[str, set[str]] = defaultdict(set)
        for turn in self.turns:
            for act in turn.acts:
                if act.value:
                    found[act.name].add(act.value)
        return {name: sorted(values) for name, values in found.items()}

    def example(self, turn: Turn, draw: random.Random) -> Example:
        """The turn as it is or with other values, sometimes with the user's words."""
        if turn.values and draw.random() < 0.6:
            turn = self._renamed(turn, draw)
        asked = turn.user.endswith("?") and len(turn.user.split()) < 14
        if asked and {act.mark for act in turn.acts} == {Mark.INFORM} and draw.random() < 0.6:
            return self._as_text(turn, draw), turn.reply
        user = turn.user if len(turn.user.split()) < 14 and draw.random() < 0.25 else ""
        kind = turn.kind if draw.random() < 0.9 else ""
        return about_facts(turn.acts, kind, user), turn.reply

    def _renamed(self, turn: Turn, draw: random.Random) -> Turn:
        others = {
            act.value: other_value(act.value, self.pools[act.name], draw)
            for act in turn.acts
            if act.value in turn.values
        }
        (reply,) = replaced([turn.reply], others)
        acts = tuple(a._replace(value=others.get(a.value, a.value)) for a in turn.acts)
        made = Turn(turn.kind, acts, turn.user, reply)
        return made if made.whole else turn

    def _as_text(self, turn: Turn, draw: random.Random) -> Prompt:
        """The facts as plain sentences among others, asked for in the user's words."""
        facts = [(act.name, act.value) for act in turn.acts]
        for name in draw.sample(sorted(self.pools), draw.randrange(3)):
            if name not in dict(facts):
                facts.append((name, draw.choice(self.pools[name])))
        draw.shuffle(facts)
        form = draw.choice(("The {} is {}.", "{}: {}.", "{} {}.", "The {} here is {}."))
        sentences = (form.format(name, value) for name, value in facts)
        text = " ".join(s[0].upper() + s[1:] for s in sentences)
        return about_text(turn.user, text, turn.kind if draw.random() < 0.4 else "")


def _unlike(turns: Sequence[Turn]) -> list[Turn]:
    seen: Counter[tuple[object, ...]] = Counter()
    kept = []
    for turn in turns:
        (bare,) = replaced([turn.reply], dict.fromkeys(turn.values, "#"))
        key = (turn.kind, tuple((a.mark, a.name) for a in turn.acts), bare)
        seen[key] += 1
        if seen[key] <= SAME:
            kept.append(Turn(turn.kind, turn.acts, turn.user, tidy(turn)))
    return kept


def tidy(turn: Turn) -> str:
    """The reply, with the capital at its start and the punctuation at its end that it lacks."""
    reply = " ".join(turn.reply.split())
    if reply[0].islower() and not any(reply.startswith(value) for value in turn.values):
        reply = reply[0].upper() + reply[1:]
    if reply[-1].isalnum():
        asks = turn.acts[-1].mark in (Mark.REQUEST, Mark.PROPOSE, Mark.MORE)
        reply += "?" if asks else "."
    return reply
