"""How soon alerts act, and whether they end: `python -m benchmarks.alerts`.

In the real daemon, with documents to answer from: the generator is too large for this machine (the
size of GPT-Neo 125M, with random weights); another one babbles; an intent model takes nothing for
meant for the assistant; forty questions come at once. Each time the simpler path must be taken
within 5 s of the event that shows the trouble, answers must then come within their budget, and the
usual path must be taken again.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from assistant.answer.build import ANSWER_BUDGET_S
from assistant.answer.generation.decoder_graph import Form, graph
from assistant.bench.shape import NEO, NEO_WINDOW
from assistant.control.alerts import QUEUED_S
from assistant.control.metrics import percentile
from assistant.core.clock import boottime_s
from assistant.core.layout import UNDERSTANDING_FILE
from assistant.core.messages import (
    Generated,
    PlaybackStarted,
    QualityAlert,
    Simplify,
    SpokenReply,
)
from assistant.core.models.calibration import FILE as CALIBRATION
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.quality.baseline import keep_baseline, models_at_work
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_model, import_version
from benchmarks.endurance.daemon import Daemon, Ear
from benchmarks.endurance.versions import babbling, unchecked
from nlu.classifier.calibration import IntentCalibration
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.tagger import MODEL as NER
from nlu.monitor import MISUNDERSTOOD

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"
ASKED = (
    "how long does the guarantee of the dishwasher run",
    "when do the bins go out",
    "when does the boiler need a service",
    "how often should I clean the filter of the dishwasher",
)
"""Questions whose answers the generator words."""
GUESSED = (
    "tell me what the time is",
    "is it raining outside",
    "could you tell me a joke please",
    "i would like to know the date of today",
)
"""Texts that the models alone understand."""
LARGE = "gpt-neo-125m"
REST_S = 15
PATIENCE_S = 60.0
AT_ONCE = 40


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One trouble: seconds from what shows it to the order, and from that to the usual path again,
    answers' times in milliseconds (median, 95 %) in trouble, and on the simpler path."""

    trouble: str
    acted_s: float
    said: bool
    """Whether the user was told; where forty ask at once, they cut it off with their replies."""
    ended_s: float
    usual_again: bool
    """Whether the usual path was taken again, in answers seen by words that are generated."""
    troubled_ms: tuple[float, float]
    simpler_ms: tuple[float, float]
    unanswered: int


class Asking:
    """Asks the daemon, and keeps what comes."""

    def __init__(self, daemon: Daemon, texts: Sequence[str] = ASKED) -> None:
        self._texts = texts
        wanted = (SpokenReply, PlaybackStarted, Simplify, Generated, QualityAlert)
        self._ear = Ear(daemon.runtime, wanted, "bridge")
        self._number = 0
        self.orders: list[Simplify] = []
        self.worded = 0
        self.played_s = self.alerted_s = 0.0
        """When the last reply began to be played, and when the last alert came."""
        self.unanswered = 0
        self.said = False
        """Whether the user was told anything beside the replies."""
        self._begun = set[str]()

    def ask(self, count: int, at_once: bool = False) -> list[float]:
        """Seconds to each reply of so many questions, one after the other, or at once."""
        took: list[float] = []
        for _ in range(1 if at_once else count):
            took += self._replies(count if at_once else 1)
        return took

    def ask_until_ordered(self, at_once: int) -> list[float]:
        """The same, so many at once, until a stage is to take its simpler path."""
        took: list[float] = []
        until_s = time.monotonic() + PATIENCE_S
        while not self.orders and time.monotonic() < until_s:
            took += self._replies(at_once)
        return took

    def wait_for_the_usual_path(self) -> float:
        """When the stages took their usual path again."""
        self._wait(lambda: any(not one.for_s for one in self.orders))
        return next((one.at_s for one in self.orders if not one.for_s), math.inf)

    def close(self) -> None:
        """Ask no more."""
        self._ear.close()

    def _wait(self, done: Callable[[], bool]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not done() and time.monotonic() < until_s:
            self._hear(0.1, {})

    def _replies(self, count: int) -> list[float]:
        asked: dict[str, float] = {}
        for _ in range(count):
            self._number += 1
            name = f"asked-{self._number}"
            # Each in other words, as answers are kept.
            text = f"{self._texts[self._number % len(self._texts)]}{'?' * self._number}"
            asked[name] = self._ear.say(name, text, timed=True)
        told: dict[str, float] = {}
        until_s = time.monotonic() + PATIENCE_S / 2
        while len(told) < count and time.monotonic() < until_s:
            self._hear(0.05, told)
        self.unanswered += count - len(told)
        if count == 1:  # one that is cut before its first sound has no times
            self._wait(lambda: name in self._begun)
        for name in asked:
            self._ear.cut(name)
        self._hear(0.05, {})
        return [at_s - asked[name] for name, at_s in told.items() if name in asked]

    def _hear(self, seconds: float, told: dict[str, float]) -> None:
        for message in self._ear.hear(time.monotonic() + seconds):
            match message:
                case Simplify():
                    self.orders.append(message)
                case Generated():
                    self.worded += 1
                case PlaybackStarted(utterance_id=name) if name.startswith("notice-"):
                    self.said = True
                case PlaybackStarted():
                    self._begun.add(message.utterance_id)
                    self.played_s = message.at_s
                case QualityAlert():
                    self.alerted_s = message.at_s
                case SpokenReply():
                    told.setdefault(message.utterance_id, message.at_s)


def slow(folder: Path) -> Figures:
    """The generator is too large for this machine."""
    library, made = Library(folder / "state" / "models"), folder / "made"
    made.mkdir(parents=True)
    windows = (-1, NEO_WINDOW) * (NEO.layers // 2)
    form = Form(heads=NEO.heads, positions=NEO.positions, scaled=False, windows=windows)
    (made / "model.onnx").write_bytes(graph(NEO.weights(), form))
    (made / "tokenizer.json").write_text(_byte_pairs().to_str())
    import_model(library, LARGE, made)
    shutil.rmtree(made)
    with _asking(folder, f'[answer]\ngenerator = "{LARGE}"\n') as asking:
        troubled = asking.ask_until_ordered(1)
        acted_s = asking.orders[0].at_s - asking.played_s
        simpler = asking.ask(20)
        return _ended("slow", asking, acted_s, troubled, simpler)


def worse(folder: Path) -> Figures:
    """The generator babbles."""
    library, made = Library(folder / "state" / "models"), folder / "made"
    folder.joinpath("state").mkdir(parents=True)
    import_version(library, "generator", babbling(made), "2", unchecked)
    put_in_use(library.choosing("generator", "2"), "generator")
    shutil.rmtree(made)
    with _asking(folder) as asking:
        troubled = asking.ask_until_ordered(3)
        acted_s = asking.orders[0].at_s - asking.alerted_s
        simpler = asking.ask(20)
        return _ended("worse", asking, acted_s, troubled, simpler)


def queued(folder: Path) -> Figures:
    """Far more is asked at once than can be answered."""
    with _asking(folder) as asking:
        began_s = boottime_s()
        troubled = asking.ask(AT_ONCE, at_once=True)
        # What shows the trouble is that four have waited for a second.
        acted_s = asking.orders[0].at_s - began_s - QUEUED_S
        simpler = asking.ask(20)
        return _ended("queued", asking, acted_s, troubled, simpler)


def misunderstood(folder: Path) -> Figures:
    """The intent model understands nothing any more."""
    library, made = Library(folder / "state" / "models"), folder / "made"
    folder.joinpath("state").mkdir(parents=True)
    shutil.copytree(SHIPPED / INTENT, made)
    known = read_calibration(library, INTENT, IntentCalibration)
    worse = msgspec.structs.replace(known, in_scope=1.0)
    (made / CALIBRATION).write_bytes(msgspec.json.encode(worse))
    import_version(library, INTENT, made, "2", unchecked)
    put_in_use(library.choosing(INTENT, "2"), INTENT)
    shutil.rmtree(made)
    models = models_at_work(Library(library.pulled), (INTENT, NER))
    keep_baseline(folder / "state" / UNDERSTANDING_FILE, models, {MISUNDERSTOOD: 0.1})
    with _asking(folder, texts=GUESSED) as asking:
        troubled = asking.ask_until_ordered(1)
        acted_s = asking.orders[0].at_s - asking.alerted_s
        simpler = asking.ask(20)
        return _ended("misunderstood", asking, acted_s, troubled, simpler)


def _byte_pairs() -> Tokenizer:
    """A tokenizer for the documents."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [file.read_text("utf-8") for file in DOCUMENTS.rglob("*.md")]
    made.train_from_iterator(texts, trainer)
    return made


def _ended(
    trouble: str, asking: Asking, acted_s: float, troubled: list[float], simpler: list[float]
) -> Figures:
    """The figures, once the trouble is over."""
    order = asking.orders[0]
    ended_s = asking.wait_for_the_usual_path() - order.at_s
    worded, again = asking.worded, any(not one.for_s for one in asking.orders)
    asking.ask(3)
    return Figures(
        trouble=f"{trouble} ({order.stage}: {order.why})",
        acted_s=round(acted_s, 2),
        said=asking.said,
        ended_s=round(ended_s, 1),
        usual_again=again and (order.stage != "answer" or asking.worded > worded),
        troubled_ms=_quantiles(troubled),
        simpler_ms=_quantiles(simpler),
        unanswered=asking.unanswered,
    )


def _quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    if not seconds:
        return 0.0, 0.0
    p50, p95 = (round(1000 * percentile(seconds, share)) for share in (0.5, 0.95))
    return p50, p95


@contextmanager
def _asking(folder: Path, further: str = "", texts: Sequence[str] = ASKED) -> Iterator[Asking]:
    settings = f'[documents]\nfolders = ["{DOCUMENTS}"]\n[alerts]\nrest_s = {REST_S}\n'
    settings += '[traces]\nendpoint = "http://127.0.0.1:9/v1/traces"\n'  # a bridge is expected
    settings += further
    daemon = Daemon(folder, settings)
    daemon.keep_up()
    try:
        daemon.await_ready()
        _await_documents(daemon)
        asking = Asking(daemon, texts)
        asking.ask(1)
        try:
            yield asking
        finally:
            asking.close()
    finally:
        daemon.stop()


def _await_documents(daemon: Daemon) -> None:
    files = sum(file.is_file() for file in DOCUMENTS.rglob("*"))
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        listing = ("-m", "assistant", "documents", "list", "--json", "--config", str(daemon.config))
        told = subprocess.run((sys.executable, *listing), capture_output=True, check=True).stdout
        rows = [json.loads(line) for line in told.splitlines()]
        if len(rows) == files and not any(row["unencoded"] for row in rows):
            return


TROUBLES = {"slow": slow, "worse": worse, "misunderstood": misunderstood, "queued": queued}


def main() -> None:
    """Measure, print the figures, and fail where an alert came late, or did not end."""
    parser = argparse.ArgumentParser(description="Make a running daemon slow, worse and busy.")
    parser.add_argument("troubles", nargs="*", choices=[*TROUBLES, []])
    failed = False
    for name in parser.parse_args().troubles or TROUBLES:
        with tempfile.TemporaryDirectory(prefix="hark-alerts-") as folder:
            found = TROUBLES[name](Path(folder))
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")
        in_budget = found.simpler_ms[1] <= 1000 * ANSWER_BUDGET_S
        in_time = found.acted_s <= 5.0 and (found.said or name == "queued")
        failed |= not (in_time and in_budget and found.usual_again)
    sys.exit(failed)


if __name__ == "__main__":
    main()
