"""Listens for enrolled phrases; in silence it does next to nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from audio.frames import FRAME_S
from audio.vad import NoiseFloor, dbfs
from audio.wake.engine import Doubt
from audio.wake.own.detector import Detector
from audio.wake.own.embedding import SPAN_S, STEP_S, SpeechEmbedding, Vectors

USUAL_SENSITIVITY = 0.7
REFRACTORY_S = 1.0
MARGIN_DB = 6.0
"""How far a sound rises above the noise to be looked at."""
LOOKS_ON_S = 0.8
"""Seconds that are looked at after the last such sound."""
DOUBTED_BELOW = 0.23
"""How far below what is enough a score is still in doubt. Of the recordings of "amelia", on which
it was chosen, 0.99 come so near, and of others' sentences three in four."""
BEFORE_S = 0.3
"""Seconds before what is looked at in which a word in doubt may have begun."""
CONTEXT_FRAMES = round(1.2 / FRAME_S)
"""Frames before a sound that are looked at with it, since a vector covers 0.8 s."""


class OwnWakeWords:
    """Keyword → what was learnt, and the score that is enough for it."""

    name = "enrolled"
    locates = False

    def __init__(
        self,
        detectors: Mapping[str, Detector],
        keywords: Mapping[str, float],
        embedding: SpeechEmbedding,
    ) -> None:
        self._detectors = dict(detectors)
        self._enough = {
            keyword: detectors[keyword].threshold
            + detectors[keyword].span * (USUAL_SENSITIVITY - sensitivity)
            for keyword, sensitivity in keywords.items()
        }
        self._embedding = embedding
        self._last = dict.fromkeys(keywords, float("-inf"))
        self.doubt: Doubt | None = None
        longest = max(detector.length for detector in self._detectors.values())
        self._vectors: deque[Vectors] = deque(maxlen=longest)
        self._floor = NoiseFloor()
        self._before: deque[bytes] = deque(maxlen=CONTEXT_FRAMES)
        self._looking_s = self._resting_s = 0.0

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""
        samples, self.doubt = frame.tobytes(), None
        self._resting_s = max(0.0, self._resting_s - FRAME_S)
        level_dbfs = dbfs(samples)
        if level_dbfs > self._floor.hear(level_dbfs) + MARGIN_DB:
            self._looking_s = LOOKS_ON_S
        self._before.append(samples)
        if self._looking_s <= 0:
            return None
        self._looking_s -= FRAME_S
        found = None
        while self._before:
            for vector in self._embedding.push(self._before.popleft()):
                self._vectors.append(vector)
                found = self._best() or found
        if self._resting_s > 0:
            found = self.doubt = None
        elif found is not None:
            self._resting_s, self.doubt = REFRACTORY_S, None
        return found

    def close(self) -> None:
        """Nothing needs to be released."""

    def _best(self) -> str | None:
        """The keyword whose score is farthest above what is enough for it, if any is.

        In doubt is one whose score was not far below, and falls again.
        """
        above = {}
        for keyword, detector in self._detectors.items():
            scores = detector.scores(np.array(self._vectors)[-detector.length :])
            score = float(scores[-1]) - self._enough[keyword] if len(scores) else float("-inf")
            if score > 0:
                above[keyword] = score
            elif score < self._last[keyword] and self._last[keyword] > -DOUBTED_BELOW:
                self.doubt = Doubt(keyword, SPAN_S + detector.length * STEP_S + BEFORE_S)
            self._last[keyword] = score
        return max(above, key=lambda keyword: above[keyword], default=None)
