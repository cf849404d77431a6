"""How well wake word engines detect a keyword, and how often they do so where none is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import InputError, WakeWordError
from assistant.core.models.manifest import Library
from assistant.core.settings.hearing import WakeSettings
from assistant.evaluation.clips import recordings, sound_of
from audio.frames import FRAME_S, SILENCE, frames_of
from audio.wake.engine import WakeWordEngine, spoken
from audio.wake.engines import ENGINES
from audio.wake.own.background import load_background
from audio.wake.own.embedding import SpeechEmbedding
from audio.wake.own.enrolment import Example, enrol
from audio.wake.own.listening import OwnWakeWords
from audio.wake.select import select

# An engine detects a word after its end: silence gives it time and separates the clips.
FLUSH_FRAMES = round(1.0 / FRAME_S)

Progress = Callable[[int, int], None]
Confirms = Callable[[str, NDArray[np.int16]], bool]
"""Whether sound begins with a keyword that the engine doubts."""


class WakeFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Clips that hold the keyword once, and recordings without it.

    `doubts` counts what whisper was asked about in the clips, near words and negatives together.
    `false_alarms` counts detections in the negatives, `near_taken` is the share of the recordings
    of near words that are taken for the keyword; `cpu_share` is of one core, listening.
    """

    engine: str
    clips: int
    hits: int
    miss_rate: float
    near: int
    near_taken: float
    false_alarms: int
    negative_hours: float
    cpu_share: float
    doubts: int


class Recordings(NamedTuple):
    """What an engine is judged on."""

    clips: Sequence[Path]
    near: Sequence[Path]
    others: Sequence[Path]

    @classmethod
    def below(cls, clips: Path, near: Path | None, negatives: Path | None) -> Recordings:
        """The recordings of these folders; raises `InputError` for a folder without any."""
        found = [recordings(folder) if folder is not None else [] for folder in (near, negatives)]
        return cls(recordings(clips), *found)


def evaluate_wake(
    judged: Recordings,
    keyword: str,
    sensitivity: float = 0.7,
    engine: str = "auto",
    progress: Progress = lambda done, total: None,
) -> WakeFigures:
    """Run every recording through one listening engine; `progress` gets (done, all recordings).

    Raises `WakeWordError` for a keyword that no engine knows.
    """
    listening = select(WakeSettings(engine=engine, keywords={keyword: sensitivity}))
    return _judged(listening, judged, progress)


def evaluate_enrolment(
    judged: Recordings,
    keyword: str,
    examples: int,
    sensitivity: float = 0.7,
    progress: Progress = lambda done, total: None,
    confirms: Confirms | None = None,
) -> Iterator[WakeFigures]:
    """Enrol the first `examples` clips, and judge by the others; then each engine that knows it.

    With `confirms` the phrase is judged once more, with what it confirms of what is in doubt.
    Raises `InputError` where too few clips are there, or can be used.
    """
    if not 0 < examples < len(judged.clips):
        message = f"--enrol {examples}: there are {len(judged.clips)} clips, and some must judge"
        raise InputError("eval.enrol", message)
    said = [Example(clip.name, sound_of(clip)) for clip in judged.clips[:examples]]
    background, embedding = load_background(Library(Path())), SpeechEmbedding(Library(Path()))
    learnt = enrol(spoken(keyword), said, background, embedding, progress)
    rest = judged._replace(clips=judged.clips[examples:])
    own = OwnWakeWords({keyword: learnt.detector}, {keyword: sensitivity}, embedding)
    yield _judged(own, rest, progress)
    if confirms is not None:
        yield _judged(own, rest, progress, confirms)
    for name, engine in ENGINES.items():
        if engine.knows(keyword):
            try:
                yield evaluate_wake(rest, keyword, sensitivity, name, progress)
            except WakeWordError:
                continue  # PocketSphinx does not know every word


def _judged(
    listening: WakeWordEngine,
    judged: Recordings,
    progress: Progress,
    confirms: Confirms | None = None,
) -> WakeFigures:
    heard = []
    total = sum(map(len, judged))
    for recording in (*judged.clips, *judged.near, *judged.others):
        heard.append(_listen(listening, recording, confirms))
        progress(len(heard), total)
    listening.close()
    clips, near = len(judged.clips), len(judged.near)
    hits = sum(one.detections > 0 for one in heard[:clips])
    taken = sum(one.detections > 0 for one in heard[clips : clips + near])
    without = heard[clips + near :]
    listened_s = sum(one.sound_s + FLUSH_FRAMES * FRAME_S for one in heard)
    return WakeFigures(
        engine=listening.name if confirms is None else f"{listening.name}, confirmed by whisper",
        clips=clips,
        hits=hits,
        miss_rate=round(1 - hits / clips, 6),
        near=near,
        near_taken=round(taken / near, 6) if near else 0.0,
        false_alarms=sum(one.detections for one in without),
        negative_hours=round(sum(one.sound_s for one in without) / 3600, 6),
        cpu_share=round(sum(one.cpu_s for one in heard) / listened_s, 6),
        doubts=sum(one.doubts for one in heard),
    )


class _DetectorRun(NamedTuple):
    detections: int
    sound_s: float
    cpu_s: float
    doubts: int


def _listen(engine: WakeWordEngine, recording: Path, confirms: Confirms | None) -> _DetectorRun:
    sound = [np.frombuffer(frame, np.int16) for frame in frames_of(recording)]
    frames = [*sound, *[np.frombuffer(SILENCE, np.int16)] * FLUSH_FRAMES]
    detections = doubts = 0
    confirmed_s = float("-inf")
    began_s = time.process_time()
    for n, frame in enumerate(frames, 1):
        detections += engine.process(frame) is not None
        if confirms is None or engine.doubt is None:
            continue
        doubts += 1
        lately = np.concatenate(frames[max(0, n - round(engine.doubt.within_s / FRAME_S)) : n])
        # What is confirmed twice within a second was said once.
        if n * FRAME_S - confirmed_s > 1.0 and confirms(engine.doubt.keyword, lately):
            confirmed_s = n * FRAME_S
            detections += 1
    cpu_s = time.process_time() - began_s
    return _DetectorRun(detections, len(sound) * FRAME_S, cpu_s, doubts)
