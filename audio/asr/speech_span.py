"""The part of an utterance that is speech: what lies before and after it is not recognised.

PocketSphinx stretches a first or last word over sound that is not speech, or makes words of it. Of
54 home commands 46 in place of 42 were right when what is quiet before and after them was left
out, and the end of a wake word that was still being said when the recording began.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import SAMPLE_RATE_HZ

Samples = NDArray[np.int16]

_FRAME = SAMPLE_RATE_HZ // 50
_FRAME_S = _FRAME / SAMPLE_RATE_HZ
_PREEMPHASIS = 0.9  # or a low hum would be louder than the "s" at the end of a word

# Chosen on the 54 home commands among 0.2 to 0.5: softer words lie above, breath below.
_SPEECH_SHARE = 0.4
"""Share of the range from the softest to the loudest frame, in dB, from which on it is speech."""
_LEAST_RANGE_DB = 12.0
"""Least range in which speech can be told from what is around it; below it, all is speech."""
_LONGEST_GAP = round(0.2 / _FRAME_S)
"""Most quiet frames within what counts as one stretch of speech."""
_SHORTEST = round(0.1 / _FRAME_S)
"""Fewest frames of a stretch: what is shorter is a click."""
_UNDER_WAY = round(0.2 / _FRAME_S)
_LONGEST_END = round(0.6 / _FRAME_S)
"""Speech that begins before the first of these frames, and is over before the second, is the end of
what was said before the utterance, when more speech follows."""
_LONGEST_WAIT = round(1.5 / _FRAME_S)
"""Frames after which sound in which nothing stands out counts as speech in noise. A pause in speech
tells earlier; quiet before it does not."""
_BEFORE = round(0.1 * SAMPLE_RATE_HZ)
_AFTER = round(0.2 * SAMPLE_RATE_HZ)
"""Samples that are kept before and after the speech: its softest sounds are in them."""


class SpeechSpan:
    """Takes an utterance as it comes, and gives its speech on as soon as it is known to be some."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin a new utterance."""
        self._sound: Samples = np.zeros(0, np.int16)
        self._levels: list[float] = []
        self._begun: int | None = None
        self._given = 0
        self._ended = 0

    @property
    def quiet_s(self) -> float:
        """Seconds for which nothing was said any more; 0 before somebody spoke, and in noise."""
        return (len(self._levels) - self._ended) * _FRAME_S if self._begun is not None else 0.0

    @property
    def offset_s(self) -> float:
        """Where the speech begins, in seconds; 0 before it has begun."""
        return (self._begun or 0) / SAMPLE_RATE_HZ

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples, 16 kHz mono; gives those that have turned out to be speech."""
        self._sound = np.concatenate((self._sound, samples))
        self._measure()
        return self._known(last=False)

    def finish(self) -> Samples:
        """The rest of the speech, when nothing more comes."""
        return self._known(last=True)

    def _measure(self) -> None:
        """The level of every frame that is new."""
        measured = len(self._levels) * _FRAME
        frames = (len(self._sound) - measured) // _FRAME
        if frames:
            new = self._sound[measured : measured + frames * _FRAME].astype(np.float64)
            before = float(self._sound[measured - 1]) if measured else new[0]
            emphasised = new - _PREEMPHASIS * np.append(before, new[:-1])
            power = np.mean(emphasised.reshape(frames, _FRAME) ** 2, axis=1)
            self._levels.extend((10.0 * np.log10(power + 1.0)).tolist())

    def _known(self, last: bool) -> Samples:
        """What is speech and was not given yet; with `last` what may be is decided."""
        stretches = self._stretches(last)
        if self._begun is None:
            first = self._first(stretches, last)
            if first is None:
                return self._sound[:0]
            self._begun = self._given = max(0, first * _FRAME - _BEFORE)
        self._ended = stretches[-1][1] if stretches else len(self._levels)
        end = self._ended * _FRAME + _AFTER if stretches else len(self._sound)
        end = max(self._given, min(end, len(self._sound)))
        speech = self._sound[self._given : end]
        self._given = end
        return speech

    def _first(self, stretches: list[tuple[int, int]], last: bool) -> int | None:
        """The frame in which the speech begins; None where that cannot be told yet."""
        now = len(self._levels)
        if not last and now <= _LONGEST_END:
            return None
        if not stretches:
            return None
        begin, end = stretches[0]
        if begin >= _UNDER_WAY or end > _LONGEST_END:
            return begin
        if len(stretches) > 1:
            return stretches[1][0]
        return begin if last else None

    def _stretches(self, last: bool) -> list[tuple[int, int]]:
        """Half-open ranges of frames with speech; all of them where none stands out for long."""
        levels = np.array(self._levels)
        low, high = np.percentile(levels, (5, 98)) if len(levels) else (0.0, 0.0)
        if high - low < _LEAST_RANGE_DB:
            waits = self._begun is None and not last and len(levels) < _LONGEST_WAIT
            return [] if waits or not len(levels) else [(0, len(levels))]
        loud = np.flatnonzero(levels >= low + _SPEECH_SHARE * (high - low))
        cuts = np.flatnonzero(np.diff(loud) > _LONGEST_GAP) + 1
        found = [(int(part[0]), int(part[-1]) + 1) for part in np.split(loud, cuts)]
        return [part for part in found if part[1] - part[0] >= _SHORTEST] or found
