"""int8 beside float32 of what ships: `python -m benchmarks.precision [--speed] [MODEL …]`.

With `ASSISTANT_DATA` or `../shared/data`. A line for each model and precision: the processor's time
for a sentence, a token or 0.8 s of sound on one thread, the size, and what the model's card judges
it by. What float32 means here is said in `benchmarks.precision.widening`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assistant.answer.generation.generator import Generator
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.bench.figures import median_of_runs
from assistant.bench.providers import in_turns, inputs_of, networks
from assistant.core.models.manifest import Library
from assistant.core.models.session import open_session, run, session_of_bytes
from assistant.core.models.tokens import as_inputs, load_tokenizer
from assistant.evaluation.answering.answers import evaluate_answers, passages
from assistant.evaluation.answering.shelf import Shelf
from assistant.evaluation.answering.squad import read_articles
from assistant.evaluation.data_sets import read_data_set
from assistant.evaluation.intents import evaluate_intents
from benchmarks.answers.replies import greedy, judge
from benchmarks.precision.widening import FLOAT, with_float
from models.training import bio, corpora, labels, tokens
from models.training.config import DATA
from models.training.dialogue import read as read_turns
from models.training.markup import Sentence
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import read_shipped

THREADS = 2
TURNS = 500
"""Replies of the generator, drawn from its test split by a fixed seed."""
ARTICLES = 6
"""Articles of XQuAD, its first, with which the reader is judged; all 24 take long in float32."""
_LONGEST = 128

Figures = dict[str, Any]


def speed(library: Library, wide: Library, name: str, file: str) -> dict[str, Figures]:
    """Milliseconds of both, in turns, and megabytes; the processor's, as others work beside it."""
    both = {"int8": library.read_file(name, file), FLOAT: wide.read_file(name, file)}
    sessions = {precision: session_of_bytes(model) for precision, model in both.items()}
    spent = in_turns(sessions, inputs_of(library.artefact(name)), clock=time.process_time)
    return {
        precision: {
            "ms_p50": round(median_of_runs(spent[precision], 0.50) * 1000, 2),
            "ms_p95": round(median_of_runs(spent[precision], 0.95) * 1000, 2),
            "megabytes": round(len(model) / 1e6, 1),
        }
        for precision, model in both.items()
    }


def intents(library: Library) -> Figures:
    """CLINC150's and HWU64's test splits, each with a head fitted to its train split.

    The embeddings of talk, which are strangers to it, are the shipped ones for both.
    """
    negatives = read_shipped(library.read("intent")["examples.npz"]).negatives.embeddings
    many, alone = SentenceEncoder.load(library, THREADS), SentenceEncoder.load(library)
    made: Figures = {}
    for name in ("clinc150", "hwu64"):
        data = read_data_set(DATA / "nlu" / name)
        found = evaluate_intents(data, many, alone, negatives)
        made |= {f"{name}_{k}": v for k, v in msgspec.to_builtins(found).items() if "_s" not in k}
    return made


def spans(library: Library) -> Figures:
    """F1 of exact spans with labels on the test splits of HWU64 and SNIPS, read by Viterbi."""
    session = open_session(library, "ner", "model.onnx")
    tokenizer = load_tokenizer(library.read_file("ner", "tokenizer.json"), _LONGEST)
    tags = json.loads(library.read_file("ner", "labels.json"))["tags"]
    transitions = bio.allowed(tags)

    def found(words: Sequence[str]) -> list[bio.Found]:
        encoded = tokenizer.encode(list(words), is_pretokenized=True)
        firsts: dict[int, int] = {}
        for place, word in enumerate(encoded.word_ids):
            if word is not None:
                firsts.setdefault(word, place)
        logits = run(session, as_inputs([encoded.ids]), "logits")[0][list(firsts.values())]
        return bio.spans([tags[index] for index in bio.decode(logits, transitions)])

    sets = {"hwu64": corpora.hwu64("test"), "snips": corpora.tagged("snips", "test")}
    sets["both"] = [*sets["hwu64"], *sets["snips"]]
    return {f"{name}_f1": _f1(map(labels.mapped, given), found) for name, given in sets.items()}


def _f1(sentences: Iterable[Sentence], found: Callable[[Sequence[str]], list[bio.Found]]) -> float:
    wanted, given = [], []
    for sentence in sentences:
        places = tokens.words(sentence.text)
        wanted.append(bio.spans(bio.tags(tokens.on_words(places, sentence.spans), len(places))))
        given.append(found([sentence.text[start:end] for start, end in places]))
    return bio.f1(wanted, given)


def answers(library: Library) -> Figures:
    """Questions of XQuAD's first English articles, their passages in one index."""
    articles = read_articles(DATA / "answers" / "xquad.en.json")[:ARTICLES]
    with closing(Shelf(list(passages(articles)), PassageEncoder.load(library, THREADS))) as shelf:
        made: Figures = msgspec.to_builtins(evaluate_answers(articles, shelf))
    return made


def replies(library: Library) -> Figures:
    """Greedy replies to dialogue acts: the share of slot values that are said, and BLEU-4."""
    turns = random.Random(1).sample(read_turns("test"), TURNS)
    generator = Generator.load(library)
    score = judge(lambda turn: greedy(generator, turn), turns)
    return {"values": score.values, "bleu": score.bleu}


def vectors(library: Library) -> Figures:
    """The sum of the vectors of a fixed noise: its weights are int8 in the file alone."""
    noise = np.random.default_rng(1).standard_normal((1, 1000, 40)).astype(np.float32)
    made = run(open_session(library, "wake", "embedding.onnx"), {"features": noise})
    return {"vectors_sum": float(made.sum()), "vectors_largest": float(np.abs(made).max())}


JUDGES: dict[str, Callable[[Library], Figures]] = {
    "intent": intents,
    "ner": spans,
    "reader": answers,
    "generator": replies,
    "wake": vectors,
}
"""Model → what its card judges it by."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of the models that are named, or of all that ship."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", choices=[*JUDGES, []], metavar="MODEL")
    parser.add_argument("--speed", action="store_true", help="Only the times and sizes.")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hark-precision-") as folder:
        library = Library(Path(folder))
        for name, file in networks(library):
            if name not in (wanted.models or JUDGES):
                continue
            wide = with_float(library, name, file)
            made = speed(library, wide, name, file)
            for precision, one in (("int8", library), (FLOAT, wide)):
                line = {"model": name, "precision": precision} | made[precision]
                if not wanted.speed:
                    line["judged"] = JUDGES[name](one)
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
