"""Understanding side by side.

Run `python -m benchmarks.understanding.side_by_side --data ../shared/data/nlu`.

Needs `pip install -r requirements/bench.in`. Each contestant runs in a process of its own, on the
same sentences, homes and talk. Actions are counted by the name of the intent, because the other
contestants carry nothing out: an intent that is no question is an action.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from assistant.core.messages import Command
from assistant.evaluation.home_tests import load_suites
from assistant.evaluation.rejects import read_lines
from assistant.evaluation.sentences import Prepare, evaluate_sentences
from assistant.skill.home import Home
from benchmarks.understanding.classifiers import Classify, embed, ensemble, router, single
from benchmarks.understanding.contestants import CONTESTANTS, command, composition
from benchmarks.understanding.sentences import sentences
from nlu.classifier.encoder import SentenceEncoder
from skills.registry import load_registry

TESTS = Path(__file__).resolve().parents[2] / "tests" / "data" / "nlu"
CLASSIFIERS = ("single model", "ensemble", "intent router")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant: shares from 0 to 1, the median time of a paraphrase, and its memory (PSS).

    None where a contestant only names intents and fills no slots. The memory is what it took in
    addition to the libraries that each of the processes has loaded.
    """

    name: str
    home_intents_exact: float | None
    home_intents_intent: float
    paraphrases_exact: float | None
    paraphrases_intent: float
    rejects_actions: int
    rejects_answered: float
    ms_p50: float
    mb: float


class Material(msgspec.Struct, frozen=True):
    """The places of the sentences."""

    home_intents: Path
    fixtures: Path
    paraphrases: Path
    rejects: Path


def contest(name: str, material: Material) -> Row:
    """The figures of a contestant that gives commands."""
    before_mb = _pss_mb()
    slots = name != "TF-IDF + linear SVC"
    return _judged(name, CONTESTANTS[name](), material, slots, before_mb)


def classify(name: str, material: Material) -> Row:
    """The figures of a contestant that only gives the intent."""
    before_mb = _pss_mb()
    ours = composition()
    encoder = SentenceEncoder.load(ours.library)
    home = load_suites(material.paraphrases, material.fixtures)[0].home
    known = embed(encoder, sentences(ours.understanding.templates_of(home)))
    skills = {s.intent: m.name for m in load_registry().manifests for s in (*m.intents, *m.served)}
    made: dict[str, Callable[[], Classify]] = {
        "single model": lambda: single(encoder, known),
        "ensemble": lambda: ensemble(encoder, known),
        "intent router": lambda: router(encoder, known, skills),
    }
    return _judged(name, _naming(made[name]()), material, False, before_mb)


def _naming(classifier: Classify) -> Prepare:
    def understand(text: str) -> Sequence[Command]:
        label = classifier(text)
        return [command(label.intent, dict(label.fixed))] if label else []

    return lambda home, area: understand


def _judged(name: str, prepare: Prepare, material: Material, slots: bool, before_mb: float) -> Row:
    tests = load_suites(material.home_intents)
    paraphrases = load_suites(material.paraphrases, material.fixtures)
    known, other = evaluate_sentences(tests, prepare), evaluate_sentences(paraphrases, prepare)
    actions, answered = _rejected(prepare, paraphrases[0].home, material.rejects)
    return Row(
        name=name,
        home_intents_exact=_rounded(known.exact_accuracy) if slots else None,
        home_intents_intent=_rounded(known.intent_accuracy),
        paraphrases_exact=_rounded(other.exact_accuracy) if slots else None,
        paraphrases_intent=_rounded(other.intent_accuracy),
        rejects_actions=actions,
        rejects_answered=_rounded(answered),
        ms_p50=other.ms_p50,
        mb=round(_pss_mb() - before_mb, 1),
    )


def _rejected(prepare: Prepare, home: Home, file: Path) -> tuple[int, float]:
    understand, templates = prepare(home, ""), composition().understanding.templates
    lines, actions, answered = read_lines(file), 0, 0
    for line in lines:
        commands = understand(line)
        answered += bool(commands)
        actions += any(not templates.traits(one.intent).asks for one in commands)
    return actions, answered / len(lines)


def _rounded(share: float) -> float:
    return round(share, 4)


def _pss_mb() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return round(kilobytes / 1000, 1)


def _show(rows: Sequence[Row]) -> None:
    table = Table(title="Understanding, side by side")
    for field in Row.__struct_fields__:
        table.add_column(field.replace("_", " "))
    for row in rows:
        table.add_row(*("–" if v is None else str(v) for v in msgspec.structs.astuple(row)))
    Console(stderr=True).print(table)


def main() -> None:
    """Print a table on stderr, and one JSON object a contestant on stdout."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data/nlu"))
    options.add_argument("--only", nargs="*", default=[*CONTESTANTS, *CLASSIFIERS])
    given = options.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the same setting as in `assistant`, for all
    home_intents = given.data / "home_intents"
    material = Material(
        home_intents,
        home_intents / "_fixtures.yaml",
        TESTS / "paraphrases.yaml",
        TESTS / "rejects.txt",
    )
    rows = []
    for name in given.only:
        task = contest if name in CONTESTANTS else classify
        # one process after another, each on its own: its memory is its own
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            rows.append(pool.submit(task, name, material).result())
        sys.stdout.write(json.dumps(msgspec.to_builtins(rows[-1])) + "\n")
        sys.stdout.flush()
    _show(rows)


if __name__ == "__main__":
    main()
