"""How well a wake word engine detects its keyword, and how often it does so where none is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.core.config import WakeSettings
from assistant.evaluation.clips import recordings
from audio.frames import FRAME_S, SILENCE, frames_of
from audio.wake.engine import WakeWordEngine
from audio.wake.select import select

# An engine detects a word after its end: silence gives it time and separates the clips.
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
    """Run every clip through one listening engine; `progress` receives (clips done, all clips).

    Raises `InputError` for a folder without recordings, `WakeWordError` for a keyword that no
    engine knows.
    """
    clips = recordings(directory)
    others = recordings(negatives) if negatives is not None else []
    listening = select(WakeSettings(engine=engine, keywords={keyword: sensitivity}))
    heard = []
    for recording in (*clips, *others):
        heard.append(_listen(listening, recording))
        progress(len(heard), len(clips) + len(others))
    listening.close()
    with_keyword, without = heard[: len(clips)], heard[len(clips) :]
    hits = sum(one.detections > 0 for one in with_keyword)
    listened_s = sum(one.sound_s + FLUSH_FRAMES * FRAME_S for one in heard)
    return WakeFigures(
        clips=len(clips),
        hits=hits,
        miss_rate=round(1 - hits / len(clips), 6),
        false_alarms=sum(one.detections for one in without),
        negative_hours=round(sum(one.sound_s for one in without) / 3600, 6),
        cpu_share=round(sum(one.cpu_s for one in heard) / listened_s, 6),
    )


class _DetectorRun(NamedTuple):
    detections: int
    sound_s: float
    cpu_s: float


def _listen(engine: WakeWordEngine, recording: Path) -> _DetectorRun:
    frames = [np.frombuffer(frame, np.int16) for frame in frames_of(recording)]
    flush = [np.frombuffer(SILENCE, np.int16)] * FLUSH_FRAMES
    began_s = time.process_time()
    detections = sum(engine.process(frame) is not None for frame in (*frames, *flush))
    return _DetectorRun(detections, len(frames) * FRAME_S, time.process_time() - began_s)
