"""Learns a phrase: from a few examples of people, and many of the same phrase in synthetic voices.

The examples are silence, the phrase and silence; where in them the phrase ends is found by the
network, which has learnt the phrase from voices, and then by what the examples have in common.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assistant.core.errors import InputError
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.pronunciation import pronounce
from audio.frames import FRAME_BYTES, FRAME_S, Reblock, Samples
from audio.vad import dbfs
from audio.wake.own.background import Background, WakeCalibration
from audio.wake.own.detector import Detector, Network, nearness, unit
from audio.wake.own.embedding import SPAN_S, STEP_S, SpeechEmbedding, Vectors, windows
from audio.wake.own.fitting import fit_network
from audio.wake.own.near_words import near_phrases
from audio.wake.own.voices import altered, utter

FEWEST_EXAMPLES = 3
FEWEST_PHONES = 4
"""Fewest sounds of a phrase: shorter ones are parts of too many words."""
SPOKEN, NEAR = 120, 100
"""Numbers of synthetic voices that say the phrase, and what is near it."""
BACKGROUND = 9000
"""Most runs of other talk that a network learns from."""
NEAR_RUNS = 3000
SEED = 1
QUIETEST_DBFS = -50.0
"""Level that the loudest frame of an example must reach."""
LOUD_DB = 25.0
"""Frames that lie less below the loudest one are speech."""
SHORTEST_S, LONGEST_S = 0.25, 3.0
"""Seconds of speech in an example."""
LONGEST_FILE_S = 10.0
SPARE_VECTORS = 6
"""Vectors that are looked at beyond those that the phrase fills."""
FEWEST_VECTORS = 5
"""Fewest that are looked at: with three, other talk scores nearer to a short word."""
LATEST_S = 0.24
"""Seconds after the end of a phrase in which it is noticed."""
BEFORE_S, AFTER_S = 1.0, 0.6
"""Seconds of silence around an example, for the vectors that need a beginning."""
ROUNDS = 5
"""Most times that the examples are aligned with one another."""
PRIOR = 0.3
"""Weight of the voices' mean beside the other examples, in aligning them."""

Progress = Callable[[int, int], None]


class Example(NamedTuple):
    """One recording of the phrase at 16 kHz, and what it is called."""

    name: str
    sound: Samples


class Refused(NamedTuple):
    """An example that is not used, and why."""

    name: str
    reason: str


class Enrolled(NamedTuple):
    """What was learnt, and the examples that were of no use."""

    detector: Detector
    refused: tuple[Refused, ...]


def unusable(sound: Samples) -> str:
    """Why an example cannot be learnt from, by its sound alone; "" when it can."""
    if len(sound) > LONGEST_FILE_S * SAMPLE_RATE_HZ:
        return f"is longer than {LONGEST_FILE_S:.0f} s; record the phrase alone"
    levels = np.array([dbfs(f) for f in Reblock(FRAME_BYTES).push(sound.tobytes())])
    if not len(levels) or levels.max() < QUIETEST_DBFS:
        return "is silent; speak nearer to the microphone"
    loud = np.flatnonzero(levels > levels.max() - LOUD_DB)
    spoken_s = float(loud[-1] - loud[0] + 1) * FRAME_S
    if spoken_s < SHORTEST_S:
        return f"holds only {spoken_s:.1f} s of sound; say the whole phrase"
    if spoken_s > LONGEST_S:
        return f"holds {spoken_s:.1f} s of sound; say the phrase alone, with silence around it"
    return ""


def require_phrase(phrase: str) -> None:
    """Raise `InputError` for a phrase that cannot be a wake word."""
    words = phrase.split()
    if not words or not all(word.replace("'", "").isalpha() for word in words):
        message = f'"{phrase}" is no phrase; write it in letters, as it is said'
        raise InputError("wake.phrase", message)
    phones = sum(min(map(len, said)) for said in pronounce(words).values())
    if phones < FEWEST_PHONES:
        message = f'"{phrase}" is too short: it is part of many words; put another before it'
        raise InputError("wake.short", message)


def enrol(
    phrase: str,
    examples: Sequence[Example],
    background: Background,
    embedding: SpeechEmbedding,
    progress: Progress = lambda done, total: None,
) -> Enrolled:
    """Learn `phrase`; takes half a minute of a core.

    Raises `InputError` for a phrase that cannot be one, and where fewer than three examples are
    left, naming what is wrong with the others.
    """
    require_phrase(phrase)
    reasons = [(example, unusable(example.sound)) for example in examples]
    refused = [Refused(example.name, reason) for example, reason in reasons if reason]
    usable = [example for example, reason in reasons if not reason]
    _require_enough(usable, refused)
    network, voices = _learn(phrase, embedding, background, progress)
    heard = [_standard(_of_example(e, embedding), background) for e in usable]
    length = network.hidden.shape[0] // len(background.mean)
    runs = [windows(vectors, length) for vectors in heard]
    numbers = background.calibration
    kept, templates = _those_alike(runs, network, voices, numbers)
    refused += [
        Refused(example.name, f'does not sound like "{phrase}" in the others')
        for n, example in enumerate(usable)
        if n not in kept
    ]
    _require_enough(kept, refused)
    detector = Detector(
        background.mean,
        background.deviation,
        network,
        np.stack(templates),
        numbers.share,
        numbers.threshold,
        numbers.span,
    )
    return Enrolled(detector, tuple(refused))


def _require_enough(usable: Sequence[object], refused: Sequence[Refused]) -> None:
    if len(usable) >= FEWEST_EXAMPLES:
        return
    why = "".join(f"; {name} {reason}" for name, reason in refused)
    message = f"{len(usable)} of the examples can be used, and {FEWEST_EXAMPLES} are needed{why}"
    raise InputError("wake.too_few", message)


def _learn(
    phrase: str, embedding: SpeechEmbedding, background: Background, progress: Progress
) -> tuple[Network, Vectors]:
    """The network, and the runs of vectors in which a voice has just said the phrase."""
    dice = random.Random(SEED)
    said = [utter(phrase, dice) for _ in range(SPOKEN)]
    spoken_s = float(np.mean([len(sound) for sound in said])) / SAMPLE_RATE_HZ
    length = max(FEWEST_VECTORS, round((spoken_s - SPAN_S) / STEP_S) + SPARE_VECTORS)
    before_s = length * STEP_S + SPAN_S - 0.4
    near = near_phrases(phrase, NEAR, dice)
    total = len(said) + len(near)
    positive = []
    for done, sound in enumerate(said):
        pcm, ended_s = altered(sound, dice, before_s, LATEST_S + 0.1)
        positive += _just_ended(_standard(embedding.of(pcm), background), length, ended_s)
        progress(done, total)
    others = []
    for done, text in enumerate(near, len(said)):
        pcm, _ = altered(utter(text, dice), dice, before_s, LATEST_S + 0.1)
        others.append(windows(_standard(embedding.of(pcm), background), length))
        progress(done, total)
    random_rows = np.random.default_rng(SEED)
    talk = windows(background.vectors, length)
    negative = [random_rows.permutation(talk)[:BACKGROUND]]
    if others:
        negative.append(random_rows.permutation(np.concatenate(others))[:NEAR_RUNS])
    rows = np.array(positive)
    return fit_network(rows, np.concatenate(negative)), rows


def _standard(vectors: Vectors, background: Background) -> Vectors:
    return np.asarray((vectors - background.mean) / background.deviation, np.float32)


def _just_ended(vectors: Vectors, length: int, ended_s: float) -> list[Vectors]:
    runs = windows(vectors, length)
    ends_s = (np.arange(len(runs)) + length - 1) * STEP_S + SPAN_S
    return list(runs[(ends_s >= ended_s) & (ends_s <= ended_s + LATEST_S)])


def _of_example(example: Example, embedding: SpeechEmbedding) -> Vectors:
    silence = [np.zeros(round(s * SAMPLE_RATE_HZ), np.int16) for s in (BEFORE_S, AFTER_S)]
    return embedding.of(np.concatenate([silence[0], example.sound, silence[1]]))


def _aligned(runs: Sequence[Vectors], network: Network, voices: Vectors) -> list[Vectors]:
    """Of each example the run in which the phrase has just ended, and its two neighbours."""
    units = [unit(run) for run in runs]
    usual = unit(voices).mean(axis=0)
    usual /= np.linalg.norm(usual)
    at = [int(network(run).argmax()) for run in runs]
    for _ in range(ROUNDS):
        chosen = np.array([rows[n] for rows, n in zip(units, at, strict=True)])
        mean = [np.delete(chosen, n, axis=0).mean(axis=0) for n in range(len(units))]
        found = [
            int((rows @ others + PRIOR * (rows @ usual)).argmax())
            for rows, others in zip(units, mean, strict=True)
        ]
        if found == at:
            break
        at = found
    return [
        rows[[max(0, n - 1), n, min(len(rows) - 1, n + 1)]]
        for rows, n in zip(units, at, strict=True)
    ]


def _those_alike(
    runs: Sequence[Vectors], network: Network, voices: Vectors, numbers: WakeCalibration
) -> tuple[list[int], list[Vectors]]:
    """Which examples sound alike, and their templates; the least alike goes first."""
    kept = list(range(len(runs)))
    while True:
        templates = _aligned([runs[n] for n in kept], network, voices)
        if len(kept) < FEWEST_EXAMPLES:
            return kept, templates
        alone = []
        for at, n in enumerate(kept):
            others = np.stack([*templates[:at], *templates[at + 1 :]])
            scores = nearness(unit(runs[n]), others) + numbers.share * network(runs[n])
            alone.append(float(scores.max()))
        worst = int(np.argmin(alone))
        if alone[worst] >= numbers.alike:
            return kept, templates
        del kept[worst]
