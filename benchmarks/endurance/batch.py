"""Kill a batch again and again, and count its answers: `python -m benchmarks.endurance.batch`.

The passages of a file in SQuAD's format are indexed as documents, and their questions are asked in
turn until there are enough. Processes of `assistant batch` are ended by SIGKILL at random moments,
from their start to the middle of a line; the last one may finish. Run it from the repository's
root.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import msgspec

from assistant.documents.answer_file import Answered
from assistant.evaluation.answering.squad import Article, read_articles

XQUAD = Path("../shared/data/answers/xquad.en.json")
LOOKED_AT_EVERY_S = 0.02
LONGEST_WAIT_S = 1.0
"""Most seconds from when a process has answered enough to its end."""


class Figures(msgspec.Struct, kw_only=True):
    """The result; all of the counts below `answers` must be 0.

    `disagreeing` are answers that differ from another answer to the same question.
    """

    questions: int
    kills: int
    killed_at: list[int]
    seconds: float
    answers: int
    lost: int
    repeated: int
    misplaced: int
    disagreeing: int


def write_documents(folder: Path, articles: Sequence[Article]) -> None:
    """One Markdown file an article."""
    folder.mkdir()
    for number, article in enumerate(articles):
        title = article.title.replace("_", " ")
        texts = (f"# {title}", *(paragraph.context for paragraph in article.paragraphs))
        (folder / f"{number}.md").write_text("\n\n".join(texts) + "\n", "utf-8")


def write_questions(file: Path, articles: Sequence[Article], questions: int) -> list[str]:
    """Write so many questions to the file; gives them too."""
    asked = [q.question for a in articles for p in a.paragraphs for q in p.qas]
    chosen = list(islice(cycle(asked), questions))
    lines = (json.dumps({"id": n, "question": q}) for n, q in enumerate(chosen))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return chosen


def kill_once(command: Sequence[str], out: Path, enough: int, delay_s: float) -> int:
    """Run a process and kill it some time after the file holds enough; gives its lines then."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while lines(out) < enough and process.poll() is None:
            time.sleep(LOOKED_AT_EVERY_S)
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
    if process.returncode != -signal.SIGKILL:
        sys.exit(f"it ended by itself: status {process.returncode}")
    return lines(out)


def lines(file: Path) -> int:
    """The number of whole lines."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def judge(out: Path, asked: Sequence[str], killed_at: list[int], seconds: float) -> Figures:
    """Compare the answers with the questions."""
    rows = [msgspec.json.decode(line, type=Answered) for line in out.read_bytes().splitlines()]
    ids = [row.id for row in rows]
    answers: dict[str, set[str]] = {}
    for row in rows:
        answers.setdefault(row.question, set()).add(row.answer)
    return Figures(
        questions=len(asked),
        kills=len(killed_at),
        killed_at=killed_at,
        seconds=round(seconds, 1),
        answers=len(rows),
        lost=len(set(range(len(asked))) - set(ids)),
        repeated=len(ids) - len(set(ids)),
        misplaced=sum(
            (row.id, row.question) != (place, question)
            for place, (row, question) in enumerate(zip(rows, asked, strict=False))
        ),
        disagreeing=sum(len(found) - 1 for found in answers.values()),
    )


def measure(folder: Path, options: argparse.Namespace) -> Figures:
    """Index, ask, kill, and judge, all in `folder`."""
    articles, chance = read_articles(options.file), random.Random(options.seed)
    write_documents(folder / "documents", articles)
    asked = write_questions(folder / "questions.jsonl", articles, options.questions)
    config, out = folder / "config.toml", folder / "answers.jsonl"
    config.write_text(f'[storage]\nstate = "{folder}/state"\nruntime = "{folder}/run"\n')
    program = shlex.split(options.command)
    settings = ("--config", str(config))
    subprocess.run((*program, "documents", "add", folder / "documents", *settings), check=True)
    command = (*program, "batch", str(folder / "questions.jsonl"), "--out", str(out), *settings)
    began_s = time.monotonic()
    killed_at = [
        kill_once(command, out, enough, chance.uniform(0.0, LONGEST_WAIT_S))
        for enough in sorted(chance.choices(range(options.questions * 9 // 10), k=options.kills))
    ]
    subprocess.run(command, check=True)
    return judge(out, asked, killed_at, time.monotonic() - began_s)


def main() -> None:
    """Print the figures; exit status 1 when an answer is lost, repeated or misplaced."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=XQUAD)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", default=f"{sys.executable} -m assistant")
    with tempfile.TemporaryDirectory(prefix="hark-batch-") as folder:
        found = measure(Path(folder), parser.parse_args())
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(found.answers != found.questions or bool(found.lost + found.misplaced))


if __name__ == "__main__":
    main()
