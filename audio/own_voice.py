"""The assistant's own voice, so that it does not wake the assistant or count as the user's.

Playback reports every sound as its first sample leaves, before the microphone can hear it. The
sound is removed from what the microphone hears. As some of it may be left, the same engines that
listen to the microphone also listen to the sound itself, ahead of time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.canceller import EchoCanceller
from audio.echo import Echo
from audio.frames import FRAME_BYTES, FRAME_S, SILENCE, Reblock, Samples
from audio.wake.engine import WakeWordEngine

# An engine notices a word up to 0.6 s after its end, and not at the same moment in the echo.
COINCIDENCE_S = 0.7
# So many decibels more than an echo leaves are a person. In simulated rooms, words noticed where
# nobody spoke came with less, also where the same word was played.
PERSON_OVER_LEAK_DB, PERSON_OVER_SAME_WORD_DB = 12.0, 18.0
FLUSH_FRAMES = 20
FRAMES_A_STEP = 8
FORGET_AFTER_S = 10.0
ECHO_S = 0.1
REVERBERATES_S = 0.4
# A device may buffer more than it says: then the second sentence is reported 0.1 s too early.
GAPLESS_S = 0.15


class _Noticed(NamedTuple):
    at_s: float
    keyword: str


class _Sound(NamedTuple):
    start_s: float
    samples: Samples

    @property
    def end_s(self) -> float:
        return self.start_s + len(self.samples) / SAMPLE_RATE_HZ


class OwnVoice:
    """Follows what is played with `engines`; a word is expected for `grace_s` longer.

    Each microphone has one of the `cancellers`, as it hears its own echo; without one its sound
    stays as it is.
    """

    def __init__(
        self,
        engines: Sequence[WakeWordEngine] = (),
        grace_s: float = 0.3,
        cancellers: Sequence[EchoCanceller] = (),
    ) -> None:
        self._engines = engines
        self._grace_s = grace_s
        self._echoes = [Echo(canceller, self._played) for canceller in cancellers]
        self._ahead: deque[tuple[float, bytes]] = deque()
        self._noticed: deque[_Noticed] = deque()
        self._sounds: deque[_Sound] = deque()

    def plays(self, samples: Samples, start_s: float) -> None:
        """Note that the loudspeaker plays `samples` (16 kHz mono) from `start_s` on."""
        if self._sounds and abs(start_s - self._sounds[-1].end_s) < GAPLESS_S:
            start_s = self._sounds[-1].end_s
        else:
            for echo in self._echoes:
                echo.realign()
        self._forget(start_s)  # no frame comes that would, while the microphone is closed
        self._sounds.append(_Sound(start_s, samples))
        blocks = Reblock(FRAME_BYTES)
        frames = [*blocks.push(samples.tobytes()), *blocks.flush(), *[SILENCE] * FLUSH_FRAMES]
        self._ahead.extend((start_s + (n + 1) * FRAME_S, f) for n, f in enumerate(frames))

    def stops(self, at_s: float) -> None:
        """Note that playback was cut off at `at_s`, and that nothing later is played."""
        self._ahead.clear()
        self._sounds = deque(
            _Sound(start_s, samples[: round((at_s - start_s) * SAMPLE_RATE_HZ)])
            for start_s, samples in self._sounds
            if start_s < at_s
        )
        self._noticed = deque(n for n in self._noticed if n.at_s < at_s + COINCIDENCE_S)

    def step(self, now_s: float) -> None:
        """Listen some frames further ahead; called once a microphone frame."""
        for _ in range(min(FRAMES_A_STEP, len(self._ahead))):
            at_s, samples = self._ahead.popleft()
            frame = np.frombuffer(samples, np.int16)
            for engine in self._engines:
                keyword = engine.process(frame)
                if keyword is not None:
                    self._noticed.append(_Noticed(at_s, keyword))
        self._forget(now_s)

    def removed_from(self, frame: Frame) -> bytes:
        """The microphone's samples without the echo of this voice."""
        echo = self._echo(frame.microphone)
        if echo is None:
            return frame.samples
        sounds = any(s.start_s <= frame.at_s <= s.end_s + REVERBERATES_S for s in self._sounds)
        return echo.removed_from(frame, sounds)

    def said(self, keyword: str, at_s: float, microphone: int = 0) -> bool:
        """Whether `keyword`, noticed in a microphone at `at_s`, is an echo.

        Where an echo is taken out, it is one unless clearly more than an echo is left. Elsewhere,
        as with headphones or a far loudspeaker, it is one where the same word was played.
        """
        played = self._plays_about(keyword, at_s)
        echo = self._echo(microphone)
        over_db = echo.over_leak_db() if echo is not None and self.sounds(at_s) else None
        if over_db is None:
            return played
        return over_db < (PERSON_OVER_SAME_WORD_DB if played else PERSON_OVER_LEAK_DB)

    def _plays_about(self, keyword: str, at_s: float) -> bool:
        late_s = COINCIDENCE_S + self._grace_s
        return any(
            noticed.keyword == keyword and -COINCIDENCE_S <= at_s - noticed.at_s <= late_s
            for noticed in self._noticed
        )

    def sounds(self, at_s: float) -> bool:
        """Whether something is or just was being played at `at_s`."""
        return any(s.start_s <= at_s <= s.end_s + ECHO_S for s in self._sounds)

    def _forget(self, now_s: float) -> None:
        """Forget what is too old to be heard."""
        since_s = now_s - FORGET_AFTER_S
        while self._noticed and self._noticed[0].at_s < since_s:
            self._noticed.popleft()
        while self._sounds and self._sounds[0].end_s < since_s:
            self._sounds.popleft()
        while self._ahead and self._ahead[0][0] < since_s:
            self._ahead.popleft()

    def _echo(self, microphone: int) -> Echo | None:
        return self._echoes[microphone] if microphone < len(self._echoes) else None

    def _played(self, from_s: float, count: int) -> Samples:
        played = np.zeros(count, np.int16)
        for start_s, samples in self._sounds:
            first = round((from_s - start_s) * SAMPLE_RATE_HZ)
            here = samples[max(0, first) : max(0, first + count)]
            at = max(0, -first)
            played[at : at + len(here)] = here
        return played
