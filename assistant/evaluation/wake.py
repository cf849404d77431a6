"""How well a wake word engine hears its keyword, and how often it hears one where none is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import msgspec
import numpy as np

from assistant.core.config import Wake
from assistant.core.errors import InputError
from audio.frames import FRAME_S, SILENCE, frames_of
from audio.wake.engine import WakeWordEngine
from audio.wake.select import select

SUFFIXES = {".flac", ".wav"}
# An engine notices a word after its end: the silence lets it, and parts a clip from the next.
FLUSH_FRAMES = round(1.0 / FRAME_S)


class WakeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Clips that hold the keyword once, and recordings without it.

    `false_alarms` counts detections in the negatives; `cpu_share` is of one core, listening.
    """

    clips: int
    hits: int
    miss_rate: float
    false_alarms: int
    negative_hours: float
    cpu_share: float


def evaluate_wake(
    directory: Path,
    keyword: str,
    negatives: Path | None = None,
    sensitivity: float = 0.7,
    engine: str = "auto",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> WakeFigures:
    """Run every clip through one listening engine; `progress` hears (clips done, clips in all).

    Raises `InputError` for a folder without recordings, `WakeWordError` for a keyword that no
    engine knows.
    """
    clips = _recordings(directory)
    others = _recordings(negatives) if negatives is not None else []
    listening = select(Wake(engine=engine, keywords={keyword: sensitivity}))
    total, heard_s, worked_s, hits, false_alarms, negative_s = (
        len(clips) + len(others),
        0.0,
        0.0,
        0,
        0,
        0.0,
    )
    for done, clip in enumerate(chain(clips, others), start=1):
        frames = list(chain(frames_of(clip), repeat(SILENCE, FLUSH_FRAMES)))
        began_s = time.process_time()
        detections = sum(1 for _ in _detections(listening, frames))
        worked_s += time.process_time() - began_s
        heard_s += len(frames) * FRAME_S
        if done <= len(clips):
            hits += detections > 0
        else:
            false_alarms += detections
            negative_s += (len(frames) - FLUSH_FRAMES) * FRAME_S
        progress(done, total)
    listening.close()
    return WakeFigures(
        clips=len(clips),
        hits=hits,
        miss_rate=1 - hits / len(clips),
        false_alarms=false_alarms,
        negative_hours=negative_s / 3600,
        cpu_share=worked_s / heard_s,
    )


def _detections(engine: WakeWordEngine, frames: list[bytes]) -> Iterator[str]:
    for frame in frames:
        keyword = engine.process(np.frombuffer(frame, np.int16))
        if keyword is not None:
            yield keyword


def _recordings(directory: Path) -> list[Path]:
    if not directory.is_dir():
        raise InputError("wake.no_folder", f"{directory}: no such folder")
    found = sorted(p for p in directory.rglob("*") if p.suffix.lower() in SUFFIXES)
    if not found:
        raise InputError("wake.no_clips", f"{directory}: holds no FLAC or WAV file")
    return found
