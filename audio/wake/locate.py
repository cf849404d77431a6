"""Finds where in the pre-roll the wake word ended, so that a "stop" after it is not lost in it.

An engine notices a keyword 0.1 to 0.6 s after its end. It is tried again on ever shorter beginnings
of the same sound: the shortest in which it still notices the keyword ends where the keyword ends.
Measured with Porcupine on flite's voices at three speeds, speech later than 0.25 s after that
point is 0 to 0.06 s when only "computer" was said, 0.13 s and more with "stop" or "yes" after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

import numpy as np

from audio.frames import FRAME_S, SILENCE
from audio.wake.engine import WakeWordEngine

SEARCHED_FRAMES = round(0.8 / FRAME_S)
CONTEXT_FRAMES = round(1.5 / FRAME_S)
QUIET_FRAMES = 32
FLUSH_FRAMES = 20


def frames_since_keyword(engine: WakeWordEngine, frames: Sequence[bytes]) -> int:
    """How many of the last `frames` came after the keyword that was noticed with the last one.

    `engine` is used for nothing else, and is of the kind that noticed the keyword.
    """
    recent = frames[-CONTEXT_FRAMES:]
    noticed_without, unnoticed_without = 0, min(SEARCHED_FRAMES, len(recent))
    while unnoticed_without - noticed_without > 1:
        without = (noticed_without + unnoticed_without) // 2
        if _notices(engine, recent[: len(recent) - without]):
            noticed_without = without
        else:
            unnoticed_without = without
    return noticed_without


def _notices(engine: WakeWordEngine, frames: Sequence[bytes]) -> bool:
    sound = chain(repeat(SILENCE, QUIET_FRAMES), frames, repeat(SILENCE, FLUSH_FRAMES))
    # Every frame is fed, so that the engine has forgotten the word before the next question.
    noticed = [engine.process(np.frombuffer(frame, np.int16)) for frame in sound]
    return any(noticed)
