"""How quick whisper is here: our short windows beside faster-whisper's own, on random weights.

The weights have exactly the shape of tiny.en (Radford et al. 2022), so that the speed is the real
one and nothing need be downloaded; what they say is noise, but the same noise in both ways.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from faster_whisper import WhisperModel
from numpy.typing import NDArray

from assistant.bench.whisper_model import TINY, WhisperShape, specified, write_tokenizer
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.whisper import FULL_FRAMES, WhisperRecognizer, usual_tokens

SECONDS = (4.0, 8.0, 12.0)
COMPARED_S = 8.0
_TEXT_TOKENS = 50_256
_SPECIAL = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    *(f"<|language-{n}|>" for n in range(99)),
    *("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>"),
    "<|notimestamps|>",
    *(f"<|{n * 0.02:.2f}|>" for n in range(1501)),
)
_NEVER = (*_SPECIAL[:2], *_SPECIAL[101:106])
"""What faster-whisper never lets the decoder say, and the end: random weights would draw it."""

Progress = Callable[[int, int], None]


class WhisperSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds for a command, ours and by faster-whisper's `transcribe`, and their ratio.

    Ours hold the words' places and confidences, too.
    """

    seconds: float
    ours_ms: float
    transcribe_ms: float
    quicker: float


class WhisperFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Medians over `runs`; of `tokens` at 30 s, `same_tokens` are those of `transcribe`."""

    speeds: tuple[WhisperSpeed, ...]
    tokens: int
    same_tokens: int
    threads: int
    runs: int


def measure(
    runs: int = 3,
    threads: int = 2,
    shape: WhisperShape = TINY,
    seconds: Sequence[float] = SECONDS,
    progress: Progress = lambda done, of: None,
) -> WhisperFigures:
    """Time both ways on the same sound, and compare their tokens at 30 s."""
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as name:
        folder = write_random(Path(name), shape)
        ours = WhisperRecognizer(folder, threads=threads)
        theirs = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)
        speeds = []
        for number, length_s in enumerate(seconds):
            progress(number, len(seconds))
            pairs = [(ours.command_s(length_s) * 1000, _ms(theirs, length_s)) for _ in range(runs)]
            mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
            speeds.append(
                WhisperSpeed(
                    seconds=length_s,
                    ours_ms=round(mine, 1),
                    transcribe_ms=round(other, 1),
                    quicker=round(other / mine, 2),
                )
            )
        sound = _sound(COMPARED_S)
        tokens = ours.tokens(sound, FULL_FRAMES)
        known = _transcribed(theirs, sound, len(tokens))
    same = sum(a == b for a, b in zip(tokens, known, strict=False))
    return WhisperFigures(
        speeds=tuple(speeds), tokens=len(tokens), same_tokens=same, threads=threads, runs=runs
    )


def write_random(folder: Path, shape: WhisperShape) -> Path:
    """Write a model of this shape with random weights into `folder`, as faster-whisper loads it."""
    words = [f"Ġ{number}" for number in range(_TEXT_TOKENS)]
    generator = np.random.default_rng(0)

    def draw(*size: int) -> NDArray[np.float32]:
        return generator.standard_normal(size, np.float32) * np.float32(0.05)

    write_tokenizer(folder, words, _SPECIAL)
    spec = specified(shape, [*words, *_SPECIAL], draw)
    spec.config.suppress_ids = [_TEXT_TOKENS + _SPECIAL.index(name) for name in _NEVER]
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(str(folder))
    return folder


def _sound(seconds: float) -> NDArray[np.int16]:
    draw = np.random.default_rng(1)
    return draw.normal(0, 2000, int(seconds * SAMPLE_RATE_HZ)).astype(np.int16)


def _transcribed(model: Any, sound: NDArray[np.int16], count: int) -> list[int]:
    """The first `count` tokens of faster-whisper's own way, greedy and tried once."""
    segments, _ = model.transcribe(
        sound.astype(np.float32) / 32768,
        language="en",
        beam_size=1,
        temperature=0.0,
        suppress_tokens=[_TEXT_TOKENS],
        suppress_blank=True,
        without_timestamps=True,
        word_timestamps=False,  # with random weights its windows would follow the words' places
        condition_on_previous_text=False,
        compression_ratio_threshold=None,
        log_prob_threshold=None,
        no_speech_threshold=None,
        max_new_tokens=2 * count,
    )
    return [token for segment in segments for token in segment.tokens][:count]


def _ms(model: Any, length_s: float) -> float:
    """Milliseconds of `transcribe` for as many tokens as are usual, the best of three."""
    sound, taken = _sound(length_s), []
    for _ in range(3):
        began_s = time.perf_counter()
        _transcribed(model, sound, usual_tokens(length_s))
        taken.append(time.perf_counter() - began_s)
    return min(taken) * 1000
