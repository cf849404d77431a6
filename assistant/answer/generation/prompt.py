"""What the generator is asked, in one notation for a skill's facts and for a passage's sentences.

A prompt is a row of fields, each a mark (one token of its own) and a text; the generator's own
words follow the mark `SAY` and end with the mark `END`:

    <|ask|> how long is it covered <|title|> Kettle K7 <|text|> The guarantee runs for two years.
    <|is|> two years <|say|> It is covered for two years. <|end|>

    <|kind|> flights <|offer|> airline <|is|> American Airlines <|offer|> price <|is|> $237
    <|say|> There is an American Airlines flight for $237. <|end|>

Marks in a text are text: no document and no person can write one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from tokenizers import Tokenizer

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Mark(StrEnum):
    """The tokens that say what the text after them is; their order gives their ids, from 0."""

    END = "<|end|>"
    SAY = "<|say|>"
    NONE = "<|none|>"
    """Mark in place of words where the text does not answer."""
    ASK = "<|ask|>"
    TITLE = "<|title|>"
    TEXT = "<|text|>"
    KIND = "<|kind|>"
    """Mark of what the facts are about, such as "flights"."""
    IS = "<|is|>"
    """Mark before a fact's value, and before the words of a text that answer."""
    INFORM = "<|inform|>"
    OFFER = "<|offer|>"
    CONFIRM = "<|confirm|>"
    REQUEST = "<|request|>"
    COUNT = "<|count|>"
    PROPOSE = "<|propose|>"
    SUCCESS = "<|success|>"
    FAILURE = "<|failure|>"
    MORE = "<|more|>"
    GOODBYE = "<|goodbye|>"


Field = tuple[Mark, str]
Prompt = tuple[Field, ...]


class Act(NamedTuple):
    """One thing to say: what is done with it (`INFORM` …), and a fact's name and value."""

    mark: Mark
    name: str = ""
    value: str = ""


def about_text(question: str, text: str, title: str = "", answer: str = "") -> Prompt:
    """The prompt to answer `question` ("" for none: say it shorter) with sentences of a document.

    `answer` are the words of the text that answer, where they are known.
    """
    fields = [(Mark.ASK, question), (Mark.TITLE, title), (Mark.TEXT, text), (Mark.IS, answer)]
    return (*((mark, words) for mark, words in fields if words), (Mark.SAY, ""))


def about_facts(acts: Sequence[Act], kind: str = "", question: str = "") -> Prompt:
    """The prompt to say all `acts` in one turn, as the reply to `question`, where there is one."""
    about = ((Mark.ASK, question), (Mark.KIND, spaced(kind)))
    fields = [(mark, words) for mark, words in about if words]
    for act in acts:
        fields.append((act.mark, spaced(act.name)))
        if act.value:
            fields.append((Mark.IS, act.value))
    return (*fields, (Mark.SAY, ""))


def spaced(name: str) -> str:
    """A name of code as words: "BuyEventTickets" and "buy_event_tickets" → "buy event tickets"."""
    return _HUMP.sub(" ", name).replace("_", " ").lower()


class Notation:
    """Turns prompts and replies into ids of the shipped model's tokenizer and back."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        # A mark that occurs in a text is spelt like any other text.
        tokenizer.encode_special_tokens = True
        self.stops = frozenset((list(Mark).index(Mark.END),))
        self.never = [n for n, mark in enumerate(Mark) if mark is not Mark.END]
        """Tokens that no reply holds."""
        self.marks = {mark: number for number, mark in enumerate(Mark)}

    def ids(self, prompt: Prompt) -> list[int]:
        """The prompt's tokens; each text begins as a word inside a sentence does."""
        made: list[int] = []
        for mark, text in prompt:
            made.append(self.marks[mark])
            made += self.text_ids(text)
        return made

    def text_ids(self, text: str) -> list[int]:
        """The tokens of a text or a reply, without marks."""
        plain = " ".join(text.split())
        return (
            list(self.tokenizer.encode(f" {plain}", add_special_tokens=False).ids) if plain else []
        )

    def text(self, ids: Sequence[int]) -> str:
        """The words of ids; marks are left out."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True)).strip()
