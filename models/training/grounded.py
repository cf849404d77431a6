"""Makes the generator's examples from our own passages: question and sentences → spoken reply."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.answer.generation.prompt import Mark, Prompt, about_text
from models.training import renaming
from models.training.config import TRAINING

PASSAGES = TRAINING / "passages"
"""The folder of the passages; `passages/README.md` describes their format."""
Example = tuple[Prompt, str]
_END = re.compile(
    r"(?<=[.!?])(?<!\bMr\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bNo\.) +(?=[A-Z\"'0-9])"
)
_WORD = re.compile(r"[A-Za-z]+|\d[\d.,:]*\d|\d")


@dataclass(frozen=True)
class Asked:
    """A question about a paragraph, with its reply: "" when the paragraph does not answer it."""

    title: str
    sentences: tuple[str, ...]
    best: int
    """Index of the sentence that answers the question, or seems to."""
    question: str
    said: str
    answer: str = ""
    """The shortest words of the paragraph that answer the question."""


def read(dev: bool, folder: Path = PASSAGES) -> list[Asked]:
    """The questions about nine tenths of the documents or, with `dev`, about the other tenth."""
    return [
        asked
        for file in sorted(folder.glob("*.txt"))
        for block in file.read_text("utf-8").strip().split("\n\n")
        for asked in _block(block)
        if held_out(asked.title) is dev
    ]


def held_out(title: str) -> bool:
    """Whether a document is held out for dev; a hash of its title decides."""
    return hashlib.sha256(title.encode()).digest()[0] % 10 == 0


def _block(block: str) -> Iterator[Asked]:
    head, _, rest = block.partition("\n")
    title = head.removeprefix("# ").partition("|")[0].strip()
    lines = [line.strip() for line in rest.split("\n")]
    sentences = tuple(_END.split(lines[0]))
    asked = answer = ""
    for line in lines[1:]:
        kind, text = line[:3], line[3:].strip()
        if kind == "Q: ":
            asked, answer = text, ""
        elif kind == "A: ":
            answer = text
        elif kind == "S: " and asked and answer:
            best = _answering(sentences, answer, text)
            yield Asked(title, sentences, best, asked, text, answer)
        elif kind == "N: ":
            yield Asked(title, sentences, _answering(sentences, "", text), text, "")


def _answering(sentences: tuple[str, ...], answer: str, like: str) -> int:
    """Index of the sentence with the answer; of several, the one most similar to `like`."""
    wanted = set(words(like))
    scores = [(answer in s, len(wanted & set(words(s)))) for s in sentences]
    return max(range(len(sentences)), key=scores.__getitem__)


def words(text: str) -> list[str]:
    """The words and numbers of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def plain(asked: Asked) -> Example:
    """The example as the assistant asks: the sentence that answers, the answer, and the title."""
    prompt = about_text(asked.question, asked.sentences[asked.best], asked.title, asked.answer)
    return prompt, asked.said or str(Mark.NONE)


def example(asked: Asked, draw: random.Random) -> Example:
    """A variant: other names and numbers, more or less context, sometimes no question."""
    first = asked.best - draw.choice((0, 0, 0, 0, 0, 1, 1, 2))
    last = asked.best + (draw.random() < 0.1)
    text = " ".join(asked.sentences[max(0, first) : last + 1])
    title = asked.title if draw.random() < 0.6 else ""
    if asked.said and not _covered(asked, text, title):
        text = " ".join(asked.sentences[max(0, asked.best - 2) : asked.best + 2])
        title = asked.title
    answer = _near(asked.answer, text, draw) if draw.random() < 0.8 else ""
    texts = [asked.question, text, title, asked.said, answer]
    if draw.random() < 0.85:
        texts = renaming.replaced(texts, renaming.in_text(texts, draw))
    question, text, title, said, answer = texts
    if said and draw.random() < 0.08:
        question = answer = ""
    return about_text(_spoken(question, draw), text, title, answer), said or str(Mark.NONE)


def _near(answer: str, text: str, draw: random.Random) -> str:
    """The answer, sometimes with a word more or less at an end, as the reader finds it."""
    if not answer or draw.random() < 0.75:
        return answer
    words, found = text.split(), answer.split()
    places = [i for i in range(len(words)) if words[i : i + len(found)] == found]
    if not places:
        return answer
    start = max(0, places[0] + draw.choice((-1, 0, 1)))
    end = places[0] + len(found) + draw.choice((-1, 0, 1))
    return " ".join(words[start:end]) or answer


def facts(text: str) -> list[str]:
    """The numbers and names of a text, in lower case; its first word does not count as a name."""
    return [f.lower() for f in re.findall(r"\d[\d.,:]*\d|\d|(?<=\w )[A-Z][a-z]+", text)]


def _covered(asked: Asked, text: str, title: str) -> bool:
    """Whether every name and number of the reply stands in the question, the text or the title."""
    shown = f"{asked.question} {text} {title}".lower()
    return all(fact in shown for fact in facts(asked.said))


def _spoken(question: str, draw: random.Random) -> str:
    """The question, sometimes as speech recognition writes it: lower case, no question mark."""
    return question.rstrip("?").lower() if draw.random() < 0.3 else question
