"""What traces cost and whether they hold words: `python -m benchmarks.traces`.

Utterances, each with a word that there is nowhere else, go as text through understanding, skills
and answering; the models guess at the first thousand. What the control process is shown of them is
traced with times drawn at random. The lines are searched for the words, also for one planted there,
which must be found. The parts of each utterance are compared with the whole, and the whole with
what the metrics tell. What tracing costs is the processor time that the same events take with it,
less that without it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from string import ascii_lowercase
from tempfile import TemporaryDirectory

import msgspec

from assistant.cli.shared.conversation import temporary_config
from assistant.cli.shared.output import emit
from assistant.composition import Composition
from assistant.control.metrics import times
from assistant.control.recollection import Recollection
from assistant.control.traces.otlp import Exporter
from assistant.control.traces.ring import LineRing
from assistant.control.traces.spans import Span, spans_of
from assistant.control.traces.tracer import Tracer
from assistant.core.config import NluSettings
from assistant.core.messages import (
    Commit,
    Message,
    PlaybackStarted,
    StageFailed,
    Transcript,
    Utterance,
    Woke,
)
from assistant.core.stage import Stage
from assistant.pipeline import run
from skills.state import open_state
from tests.support.otlp import parsed, spans_in, uncovered_s

TEXTS = (
    "add {} to the shopping list",
    "set a timer called {} for five minutes",
    "turn on the {}",
    "note that {} comes on thursday",
    "remind me to call {} tomorrow at nine",
    "what is the capital of {}",
    "turn on the kitchen light {}",
    "play {}",
    "{}",
    "what time is it in {}",
)
MARK = "zqx"
"""How each of the words begins."""
HOME = Path("tests/support/home.yaml")
APART_S = 100.0
A_HOUSEHOLD = 250
"""Utterances after which everything begins anew, as nobody has thousands of timers."""
GUESSED = 1_000
"""Utterances that the models may guess at; the others fit sentences, which takes a tenth of it."""
SETTLED_S = 60.0
A_COMMAND_EVERY_S = 5.0
"""Seconds between two commands of somebody who never stops."""
AGAIN = 2_000
"""Utterances whose events are fed again to measure what they cost."""


class TraceFigures(msgspec.Struct, kw_only=True):
    """What was found."""

    utterances: int = 0
    spans: int = 0
    line_bytes: int = 0
    """Of a line in the mean."""
    words_found: int = 0
    planted_found: int = 0
    """Of the lines into which the utterance's word was planted, those in which it was found."""
    uncovered_ms: float = 0.0
    """Most of an utterance that no part of it covers."""
    beside_metrics_ms: float = 0.0
    """Most by which the time since the last speech differs from the metrics' total."""
    span_us: float = 0.0
    """Processor time for a span, with all that is done for it, in microseconds."""
    share_of_a_core: float = 0.0
    """With a command every five seconds."""


def word_of(number: int) -> str:
    """A word of letters that no other utterance has."""
    letters = ascii_lowercase[:20]
    return MARK + "".join(letters[number // 20**place % 20] for place in range(4))


def said(number: int, stages: Sequence[Stage], rng: random.Random) -> list[Message]:
    """All that the control process sees of an utterance, in which every text has its word."""
    name, word, at_s = f"{number:012x}", word_of(number), APART_S * (number + 1)
    text = TEXTS[number % len(TEXTS)].format(word)
    heard_s = at_s + 2.0 + rng.uniform(0.03, 0.2)
    heard = Utterance(
        at_s=heard_s,
        utterance_id=name,
        revision=0,
        wake_word=word,
        duration_s=2.5,
        speech_s=1.5,
        speech_ended_at_s=at_s + 2.0,
    )
    written = Transcript(
        at_s=heard_s + rng.uniform(0.0, 0.3),
        utterance_id=name,
        revision=0,
        text=text,
        alternatives=(word,),
        engine="pocketsphinx",
    )
    decided = Commit(at_s=heard_s + rng.uniform(0.0, 0.7), utterance_id=name, revision=0)
    woke = Woke(at_s=at_s + rng.uniform(0.0, 1.0), utterance_id=name, wake_word=word)
    events: list[Message] = [woke, heard, written]
    for cause in (written, decided):
        now_s = max(one.at_s for one in events)
        events += [decided] if cause is decided else []
        for message in run(stages, [cause]):
            now_s = max(now_s, cause.at_s) + rng.uniform(0.001, 0.1)
            events.append(msgspec.structs.replace(message, at_s=now_s))
    last_s = max(one.at_s for one in events)
    if number % 50 == 0:
        fault = StageFailed(stage="voice", code="voice.dead", message=word, utterance_id=name)
        events.append(msgspec.structs.replace(fault, at_s=last_s))
    made_s = last_s + rng.uniform(0.02, 0.2)
    played_s = made_s + rng.uniform(0.01, 0.1)
    return [*events, PlaybackStarted(at_s=played_s, utterance_id=name, made_at_s=made_s)]


def examine(number: int, events: Sequence[Message], line: str, found: TraceFigures) -> None:
    """Look at the line of an utterance, and at one with its word in it."""
    spans = spans_in(parsed(line))
    found.utterances += 1
    found.spans += len(spans)
    found.line_bytes += len(line)
    found.words_found += holds_word(line)
    planted = Span("skill", 1.0, 2.0, "skills", "", {"hark.text": f"{word_of(number)} is here"})
    found.planted_found += holds_word(Exporter().line("u", [planted], 0).decode())
    found.uncovered_ms = max(found.uncovered_ms, uncovered_s(spans) * 1000)
    if (measured := times(events)) is not None:
        ends = {one.name: one.end_time_unix_nano for one in spans.values()}
        waited_s = (ends["utterance"] - ends["listening"]) / 1e9
        differs_ms = abs(waited_s - measured["total"]) * 1000
        found.beside_metrics_ms = max(found.beside_metrics_ms, differs_ms)


def holds_word(line: str) -> bool:
    """Whether any of the words is in a line."""
    return MARK in line.lower()


def traced(events: Sequence[Message], folder: Path) -> str:
    """The line that the control process makes of the events."""
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder), forwards=True, generator="generator")
    for event in events:
        recollection.observe(event)
        tracer.observe(event)
    (made,) = tracer.tick(events[-1].at_s + SETTLED_S)
    return made.export


def cost_s(stories: Sequence[Sequence[Message]], tracer: Callable[[Recollection], Tracer]) -> float:
    """Processor seconds for all of these events."""
    recollection = Recollection()
    tracing = tracer(recollection)
    began_s = time.thread_time()
    for events in stories:
        for event in events:
            recollection.observe(event)
            tracing.observe(event)
        for _ in tracing.tick(events[-1].at_s + SETTLED_S):
            pass
    return time.thread_time() - began_s


def measured(utterances: int, folder: Path, seed: int) -> TraceFigures:
    """Say so many to the chain, and look at each."""
    rng, found = random.Random(seed), TraceFigures()
    config = temporary_config(None, HOME)
    alone = msgspec.structs.replace(config, nlu=NluSettings(models=False))
    guessing, matching = Composition(config), Composition(alone)
    understands = {True: guessing.nlu(), False: matching.nlu()}
    stories: list[list[Message]] = []
    for first in range(0, utterances, A_HOUSEHOLD):
        with closing(open_state(None)) as state:
            stages = (understands[first < GUESSED], guessing.skills(state), guessing.answer())
            for number in range(first, min(first + A_HOUSEHOLD, utterances)):
                events = said(number, stages, rng)
                examine(number, events, traced(events, folder), found)
                stories.append(events)
        sys.stderr.write(f"{len(stories)} of {utterances}\n")
    found.line_bytes //= found.utterances
    again = stories[:AGAIN]
    on_s = min(cost_s(again, lambda seen: Tracer(seen, LineRing(folder), True)) for _ in range(3))
    off_s = min(cost_s(again, Tracer) for _ in range(3))
    spans = sum(len(spans_of(events, "generator")) for events in again)
    found.span_us = (on_s - off_s) / spans * 1e6
    found.share_of_a_core = (on_s - off_s) / len(again) / A_COMMAND_EVERY_S
    return found


def main() -> None:
    """Print the figures as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--utterances", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=17)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = measured(given.utterances, Path(folder), given.seed)
    emit(found)
    complete = found.planted_found == found.utterances
    sys.exit(0 if complete and not found.words_found else 1)


if __name__ == "__main__":
    main()
