"""Batches with an answerer in the real one's place, and processes of them that are killed.

`python batches.py QUESTIONS ANSWERS KILLS SEED` works off the questions in process after process,
KILLS of which are ended by SIGKILL at a random moment, and prints how many lines each had left.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assistant.core.messages import Found
from assistant.documents.answer_file import AnswerFile
from assistant.documents.batch import BatchFigures, answer_rest, count, read
from assistant.documents.workers import Reply

WORKED_S = 0.0002
"""What the answerer takes for a question."""
MOST_A_PROCESS = 120
"""Answers after which a process is killed at the latest."""


class Echo:
    """Answers each question with itself turned round; remembers what it was asked."""

    def __init__(self, takes_s: float = 0.0) -> None:
        self.asked: list[str] = []
        self._takes_s = takes_s

    def answer(self, question: str) -> Callable[[], Reply]:
        """The question turned round."""
        self.asked.append(question)
        time.sleep(self._takes_s)
        found = Found(tier="extracted", source="/notes.txt")
        return lambda: Reply(question[::-1], found)

    def transcribe(self, recording: Path) -> Callable[[], str]:
        """Its name; "" for a recording of silence."""
        return lambda: "" if recording.stem == "silence" else recording.stem


def write_questions(file: Path, questions: Sequence[str]) -> Path:
    """A file that asks `questions`, each named by its place."""
    lines = [json.dumps({"id": f"q{n}", "question": q}) for n, q in enumerate(questions)]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def work_off(questions: Path, out: Path, answerer: Echo | None = None) -> BatchFigures:
    """What the command does."""
    total = count(questions).questions
    with AnswerFile(out) as answers:
        answers.resume(read(questions))
        return answer_rest(questions, answers, answerer or Echo(), total)


def faults(questions: Path, out: Path) -> Iterator[str]:
    """What is wrong with the answers, if anything: each question has its own, once, in order."""
    asked = [(one.id, one.question) for one in read(questions)]
    answered = [json.loads(line) for line in out.read_bytes().splitlines()]
    if len(answered) != len(asked):
        yield f"{len(answered)} answers to {len(asked)} questions"
    for place, (row, (name, question)) in enumerate(zip(answered, asked, strict=False)):
        if (row["id"], row["question"], row["answer"]) != (name, question, question[::-1]):
            yield f"line {place + 1} is no answer to {name}"


def _killed(questions: Path, out: Path, chance: random.Random) -> int:
    """Lines that a process has left which was killed at its start, or having answered some."""
    enough = min(_lines(out) + chance.randrange(MOST_A_PROCESS), count(questions).questions)
    child = os.fork()
    if child == 0:
        work_off(questions, out, Echo(WORKED_S))
        os._exit(0)
    while _lines(out) < enough:
        time.sleep(WORKED_S)
    time.sleep(chance.uniform(0.0, 20 * WORKED_S))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _lines(out)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def main() -> None:
    """Work off the questions as the command line says."""
    questions, out = map(Path, sys.argv[1:3])
    kills, chance = int(sys.argv[3]), random.Random(int(sys.argv[4]))
    for _ in range(kills):
        print(_killed(questions, out, chance))
    work_off(questions, out)


if __name__ == "__main__":
    main()
