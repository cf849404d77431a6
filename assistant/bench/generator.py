"""`assistant bench generator`: tokens a second, the first sentence, and fifty questions at once."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np

from assistant.answer.generation.decoder_graph import Form, graph
from assistant.answer.generation.generator import MODEL, GenerationBudget, Generator
from assistant.answer.generation.prompt import Prompt, about_text
from assistant.answer.generation.span_constraint import SpanConstraint
from assistant.answer.generation.token_scheduler import (
    GenerationRequest,
    Order,
    OverloadedError,
    TokenScheduler,
    Workers,
    round_robin,
    shortest_first,
)
from assistant.bench import ctranslate
from assistant.bench.shape import NEO, NEO_WINDOW, OWN, ModelShape
from assistant.control.metrics import percentile
from assistant.core.causal.decoder import Decoder
from assistant.core.models.manifest import Library
from assistant.core.models.session import session_of_bytes

Clock = Callable[[], float]
PROMPT, TOKENS = 64, 64
"""Number of tokens that are read first, and of those that are timed."""
LIMIT, MIXED = 32, 50
_LONG_EVERY, _LONG, _SHORT = 5, 64, 12
"""Mixed requests: every fifth may take 64 tokens, the others 12."""
_READ_BYTES = 1 << 28

TEXT = (
    "The pressure gauge sits behind the small flap and should read between 1.0 and 1.5 bar when "
    "the system is cold. To top up, open both black taps on the filling hose, left one first, and "
    "close them as soon as the needle reaches 1.3."
)
QUESTIONS = (
    "Where do I find the gauge?",
    "What should the gauge read when it is cold?",
    "Which tap comes first?",
    "When do I close the taps?",
)


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """One model in one engine; medians. `limit` is the speed at which memory can deliver the
    weights."""

    model: str
    engine: str
    threads: int
    megabytes: float
    prompt_ms: float | None
    tokens_per_s: float
    limit: float


class Crowd(msgspec.Struct, frozen=True, kw_only=True):
    """Fifty requests at once in one order: milliseconds from the request to the last word."""

    order: str
    requests: int
    lost: int
    short_p50_ms: float
    short_max_ms: float
    long_max_ms: float
    turned_away: int
    """Requests refused, of as many more, made while those were being answered and the queue was
    full."""


class GeneratorFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All figures; `first_sentence_ms` is the shipped generator's, from question to sentence."""

    speeds: tuple[Speed, ...]
    crowds: tuple[Crowd, ...]
    first_sentence_ms: float | None
    memory_gb_per_s: float


def measure(
    library: Library,
    runs: int = 3,
    shapes: Sequence[tuple[str, ModelShape]] = (("own shape", OWN), ("gpt-neo-125m shape", NEO)),
    clock: Clock = time.perf_counter,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> GeneratorFigures:
    """Measure in this process, alone; weights are random except the shipped generator's."""
    bandwidth = _bandwidth(clock)
    speeds = []
    for number, (name, shape) in enumerate(shapes):
        speeds += _beside(name, shape, runs, bandwidth, clock)
        progress(number + 1, len(shapes) + 1)
    crowds: tuple[Crowd, ...] = ()
    first = None
    if MODEL in library.artefacts:
        generator = Generator.load(library)
        first = _first_sentence_ms(generator, runs, clock)
        crowds = tuple(_crowd(generator, order, clock) for order in (shortest_first, round_robin))
    return GeneratorFigures(
        speeds=tuple(speeds),
        crowds=crowds,
        first_sentence_ms=first,
        memory_gb_per_s=round(bandwidth / 1e9, 1),
    )


def _beside(name: str, shape: ModelShape, runs: int, bandwidth: float, clock: Clock) -> list[Speed]:
    """The same shape in both engines, on one thread and on two."""
    windows = () if shape.paired else (-1, NEO_WINDOW) * (shape.layers // 2)
    form = Form(heads=shape.heads, positions=shape.positions, scaled=shape.paired, windows=windows)
    model = graph(shape.weights(), form)
    size = len(model)
    made = []
    for threads in (1, 2):
        decoder = Decoder(session_of_bytes(model, threads=threads))
        timed = [_timed(decoder, clock) for _ in range(runs)]
        prompt_s, token_s = (statistics.median(t[part] for t in timed) for part in (0, 1))
        engines = {"onnxruntime": (prompt_s * 1000, 1 / token_s)}
        rate = ctranslate.tokens_per_s(shape, threads, PROMPT, TOKENS, clock)
        engines["ctranslate2 (GPT-2)"] = (None, rate)  # type: ignore[assignment]
        for engine, (prompt_ms, per_s) in engines.items():
            made.append(
                Speed(
                    model=name,
                    engine=engine,
                    threads=threads,
                    megabytes=round(size / 1e6, 1),
                    prompt_ms=prompt_ms and round(prompt_ms, 1),
                    tokens_per_s=round(per_s, 1),
                    limit=round(bandwidth / size, 1),
                )
            )
    return made


def _timed(decoder: Decoder, clock: Clock) -> tuple[float, float]:
    """Seconds for the prompt, and for a token at the median."""
    began_s = clock()
    _, memory = decoder.read(list(range(1, PROMPT + 1)), decoder.nothing())
    prompt_s, spent = clock() - began_s, []
    for _ in range(TOKENS):
        began_s = clock()
        _, memory = decoder.read([1], memory)
        spent.append(clock() - began_s)
    return prompt_s, statistics.median(spent)


def _first_sentence_ms(generator: Generator, runs: int, clock: Clock) -> float:
    """Milliseconds from the question to its first whole sentence, a clause of the text."""
    spent = []
    for question in QUESTIONS * runs:
        began_s = clock()
        prompt = about_text(question, TEXT)
        next(generator.sentences(prompt, _bound(generator, prompt)), "")
        spent.append(clock() - began_s)
    return round(statistics.median(spent) * 1000, 1)


def _bound(generator: Generator, prompt: Prompt) -> SpanConstraint | None:
    return None if generator.tokens is None else SpanConstraint(generator.tokens, prompt)


def _crowd(generator: Generator, order: Order, clock: Clock) -> Crowd:
    """Run fifty at once on two workers, with as many more that find no room."""
    scheduler = TokenScheduler(limit=MIXED, order=order, clock=clock)
    asked = [(n, _LONG if n % _LONG_EVERY == 0 else _SHORT) for n in range(MIXED)]
    requests = [(_submitted(scheduler, generator, n, most), most) for n, most in asked]
    turned_away = 0
    for n, most in asked:
        try:
            _submitted(scheduler, generator, n, most)
        except OverloadedError:
            turned_away += 1
    workers = Workers(scheduler, 2)
    workers.close()
    took = [((r.ended_s or r.asked_s) - r.asked_s, most) for r, most in requests]
    short = [s * 1000 for s, most in took if most == _SHORT]
    long = [s * 1000 for s, most in took if most == _LONG]
    return Crowd(
        order=order.__name__.replace("_", " "),
        requests=MIXED,
        lost=sum(r.last is None for r, _ in requests),
        short_p50_ms=round(percentile(short, 0.5), 1),
        short_max_ms=round(max(short), 1),
        long_max_ms=round(max(long), 1),
        turned_away=turned_away,
    )


def _submitted(
    scheduler: TokenScheduler, generator: Generator, number: int, most: int
) -> GenerationRequest:
    prompt = about_text(QUESTIONS[number % len(QUESTIONS)], TEXT)
    budget = GenerationBudget(tokens=most, seconds=60)
    # Random weights, or the first words of a reply: it never ends before its budget does.
    return scheduler.submit(generator.stream(prompt, None, budget), most)


def _bandwidth(clock: Clock) -> float:
    """Bytes a second that two threads can read from memory."""
    parts = [np.ones(_READ_BYTES // 8, np.int64) for _ in range(2)]
    best = 0.0
    with ThreadPoolExecutor(2) as both:
        for _ in range(3):
            began_s = clock()
            list(both.map(np.sum, parts))
            best = max(best, 2 * _READ_BYTES / (clock() - began_s))
    return best
