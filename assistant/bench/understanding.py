"""How long understanding takes: its two models in parallel, and a text that fits nothing."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from pathlib import Path

import msgspec

from assistant.bench.figures import median_of_runs
from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.models.manifest import Library
from assistant.core.models.tokens import load_tokenizer
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import read_shipped
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import Tagger
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical
from nlu.understood import By

TOKENS = 14
"""Word pieces of the sentences for timing the models, including the two that frame them."""
WORDS = 6
"""Words of the sentences that are understood as a whole."""
TIMED = 200
"""Sentences of each sort in a run; no sentence occurs twice in one, so that no cache answers."""
MOST_RUNS = 4
"""As many have sentences of talk that none of them has heard."""
_WARM = 20
_SEED = 1

_WHO = (
    *("my brother", "our neighbour", "the teacher", "her cousin", "that actor", "the plumber"),
    *("my uncle", "your boss", "the baker", "his wife", "our doctor", "the pilot"),
)
_DID = ("painted", "sold", "admired", "forgot", "described", "bought", "carried", "repaired")
_WHAT = (
    *("the old fence", "a wooden boat", "the long letter", "his blue coat", "a strange story"),
    *("the broken chair", "a small horse", "the last ticket", "her first novel", "a heavy box"),
)
_WHERE = ("near the river", "behind the school", "in the village", "at the station")
_WHEN = ("on that rainy day", "before the wedding", "after the long war", "during the match")


class Percentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds at the median, and at the 99th percentile."""

    p50: float
    p99: float


class UnderstandingFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of understanding, in this process.

    `models_ms` is the intent and the NER model in parallel, one thread each, from text to intents
    and spans; None where they are not installed. `match_ms` is the median of all of understanding
    for sentences of the skills, `no_match_ms` for talk of as many words that fits none of them,
    `ratio` the second divided by the first.
    """

    models_ms: Percentiles | None
    match_ms: float
    match_p99_ms: float
    no_match_ms: float
    no_match_p99_ms: float
    ratio: float


def measure(
    home: str, runs: int = 3, clock: Callable[[], float] = time.perf_counter
) -> UnderstandingFigures:
    """Time understanding in a `home` (YAML); medians over `runs` of each run's percentiles.

    There are at most `MOST_RUNS`.
    """
    runs = min(runs, MOST_RUNS)
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as name:
        (Path(name) / "home.yaml").write_text(home, "utf-8")
        config = Config(
            home=HomeSettings(file=f"{name}/home.yaml"),
            storage=StorageSettings(cache=f"{name}/cache"),
        )
        composition = Composition(config)
        fitting, talk = _fitting(composition), iter(_talk(_WHO, _DID, _WHAT))
        match, no_match = [], []
        for _ in range(runs):
            interpreter = composition.understanding.interpreter(composition.understanding.templates)
            strange = list(islice(talk, len(fitting)))
            match.append(_interpreted(interpreter, composition, fitting, clock))
            no_match.append(_interpreted(interpreter, composition, strange, clock))
        return UnderstandingFigures(
            models_ms=models_side_by_side(composition.library, runs, clock),
            match_ms=_ms(match, 0.50),
            match_p99_ms=_ms(match, 0.99),
            no_match_ms=_ms(no_match, 0.50),
            no_match_p99_ms=_ms(no_match, 0.99),
            ratio=round(median_of_runs(no_match, 0.50) / median_of_runs(match, 0.50), 2),
        )


def models_side_by_side(
    library: Library, runs: int = 3, clock: Callable[[], float] = time.perf_counter
) -> Percentiles | None:
    """The milliseconds until both models are done with one sentence."""
    if MODEL not in library.artefacts:
        return None
    content = library.read(MODEL)
    encoder, tagger = SentenceEncoder.load(library), Tagger.load(library)
    head = IntentModel.fit(read_shipped(content["examples.npz"]))
    intents = IntentModel(encoder, head)
    tokenizer = load_tokenizer(content["tokenizer.json"], TOKENS + 1)
    talk = _talk(_WHO, _DID, _WHAT, _WHERE, _WHEN)
    long = (text for text in talk if len(tokenizer.encode(text).ids) == TOKENS)
    texts = list(islice(long, runs * (_WARM + TIMED)))
    spent: list[list[float]] = [[] for _ in range(runs)]
    with ThreadPoolExecutor(max_workers=1) as beside:
        for number, text in enumerate(texts):
            words = text.split()
            began_s = clock()
            spans = beside.submit(tagger.tag, words)
            intents.rank(text)
            spans.result()
            if number // runs >= _WARM:
                spent[number % runs].append(clock() - began_s)
    return Percentiles(p50=_ms(spent, 0.50), p99=_ms(spent, 0.99))


def _fitting(composition: Composition) -> list[str]:
    """Sentences of the skills that fit as they are."""
    interpreter, now = Interpreter(composition.understanding.templates), composition.now()
    drawn = [s for some in composition.understanding.templates.examples().values() for s in some]
    drawn = [s for s in dict.fromkeys(drawn) if len(s.split()) == WORDS]
    random.Random(_SEED).shuffle(drawn)
    found = (s for s in drawn if interpreter(canonical(s), now).by is By.SENTENCE)
    return list(islice(found, _WARM + TIMED))


def _talk(*parts: Sequence[str]) -> list[str]:
    """Different things that people say to each other."""
    every = [" ".join(chosen) for chosen in product(*parts)]
    random.Random(_SEED).shuffle(every)
    return every


def _interpreted(
    interpreter: Interpreter,
    composition: Composition,
    texts: Sequence[str],
    clock: Callable[[], float],
) -> list[float]:
    now, spent_s = composition.now(), []
    for text in texts:
        began_s = clock()
        interpreter(canonical(text), now)
        spent_s.append(clock() - began_s)
    return spent_s[_WARM:]


def _ms(runs: Sequence[Sequence[float]], share: float) -> float:
    return round(median_of_runs(runs, share) * 1000, 2)
