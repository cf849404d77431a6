"""What one microphone hears: its sound without the assistant's own voice, speech, and keywords."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec
import numpy as np

from assistant.core.messages import Frame, Level
from assistant.core.settings.hearing import ListeningSettings
from audio.clearness import Clearness
from audio.clearness import Heard as Clear
from audio.own_voice import OwnVoice
from audio.preroll import Heard, PreRoll
from audio.vad import Sound, Vad
from audio.wake.engine import Doubt, WakeWordEngine

FRAMES_A_LEVEL = 16
BURST_PAUSE_S = 0.3
BURST_MARGIN_S = 0.2
LONGEST_KEYWORD_S = 1.2
LONGEST_EARCON_S = 0.4
# PocketSphinx notices a word up to 0.6 s after it was said, and in the hiss of a quiet microphone
# (measured: dither of one bit) it notices "stop" nine times in 28 s, where nobody spoke.
SPOKEN_WITHIN_S = 0.7


class Ear:
    """Takes the frames of one microphone; `engine` and `stop_word` listen to it alone.

    `area` is the id of the area where it stands; "" for the one where the device does.
    """

    def __init__(
        self,
        settings: ListeningSettings,
        engine: WakeWordEngine | None,
        own_voice: OwnVoice,
        stop_word: WakeWordEngine | None = None,
        area: str = "",
    ) -> None:
        self.area = area
        self._engine, self._stop_word, self._own_voice = engine, stop_word, own_voice
        self._vad = Vad(settings.vad_aggressiveness)
        self._sounds: deque[Sound] = deque(maxlen=FRAMES_A_LEVEL)
        self._clearness = Clearness()
        self._unmeasured = 0
        self._speech = False
        self._silent_at_s = 0.0
        self._voiced_at_s = float("-inf")
        self.preroll = PreRoll(settings.preroll_s)
        self.heard_at_s = 0.0
        """The time of the last frame."""

    def hear(self, frame: Frame, recording: bool) -> tuple[Heard, str | None]:
        """The frame without the own voice, and the wake word that was noticed with it.

        `recording` says whether an utterance is being recorded from this microphone.
        """
        self.heard_at_s = frame.at_s
        frame = msgspec.structs.replace(frame, samples=self._own_voice.removed_from(frame))
        sound = self._vad.hear(frame.samples)
        if sound.speech:
            self._voiced_at_s = frame.at_s
        masked = self._own_voice.sounds(frame.at_s)
        self._speech = self._is_speech(sound, frame.at_s, recording, masked)
        self._sounds.append(sound)
        self._clearness.hear(frame.samples)
        self._unmeasured += 1
        heard = Heard(frame.at_s, frame.samples, self._speech, masked)
        self.preroll.push(heard)
        return heard, self._noticed(frame)

    def doubt(self, microphone: int) -> Doubt | None:
        """The wake word that the last frame may have ended, unless the assistant said it."""
        doubt = self._engine.doubt if self._engine is not None else None
        own = doubt and self._own_voice.said(doubt.keyword, self.heard_at_s, microphone)
        return None if own else doubt

    def level(self) -> Iterator[Level]:
        """The level of the last half second, once that has passed."""
        if self._unmeasured < FRAMES_A_LEVEL:
            return
        self._unmeasured = 0
        recent = list(self._sounds)
        power = np.mean([10 ** (sound.rms_dbfs / 10) for sound in recent])
        yield Level(
            rms_dbfs=round(10 * float(np.log10(power)), 1),
            noise_floor_dbfs=round(recent[-1].noise_floor_dbfs, 1),
            speech=any(sound.speech for sound in recent),
        )

    def lately(self) -> Clear:
        """What was heard just now, to compare microphones by."""
        return self._clearness.heard()

    def begins_s(self, ended_s: float) -> float:
        """When an utterance began whose wake word ended at `ended_s`."""
        # A wake word that began over a reply's end would be cut off where the reply ended.
        burst_s = self.preroll.burst_starts_s(BURST_PAUSE_S, BURST_MARGIN_S, through_masked=True)
        # Another room's wake word may lie some bursts back, and the command between them.
        return max(min(burst_s, ended_s), ended_s - LONGEST_KEYWORD_S)

    def forget_speech(self) -> None:
        """Forget what was said before a reply, which is no "stop" to it."""
        self._voiced_at_s = float("-inf")

    def forget(self) -> None:
        """Forget all that was heard."""
        self.preroll.clear()
        self._sounds.clear()
        self._clearness.forget()
        self._unmeasured, self._speech = 0, False
        self.forget_speech()

    def told_to_stop(self, heard: Heard, microphone: int) -> bool:
        """Whether "stop" was noticed with the frame, and a person said it."""
        if self._stop_word is None:
            return False
        word = self._stop_word.process(np.frombuffer(heard.samples, np.int16))
        return word is not None and self._by_person(word, microphone)

    def doubted_stop(self, microphone: int) -> Doubt | None:
        """The "stop" that a person may have said up to the frame that was just looked at for it."""
        doubt = self._stop_word.doubt if self._stop_word is not None else None
        person = doubt is not None and self._by_person(doubt.keyword, microphone)
        return doubt if person else None

    def close(self) -> None:
        """Release the engines, which hold memory and files outside Python."""
        for engine in (self._engine, self._stop_word):
            if engine is not None:
                engine.close()

    def _is_speech(self, sound: Sound, at_s: float, recording: bool, masked: bool) -> bool:
        """While something is played the VAD hears that.

        A closed microphone then hears nobody; for an open one what held before an earcon holds on.
        """
        if not masked:
            self._silent_at_s = at_s
            return sound.speech
        if not recording:
            return False
        return self._speech if at_s - self._silent_at_s < LONGEST_EARCON_S else sound.speech

    def _by_person(self, word: str, microphone: int) -> bool:
        """Whether somebody spoke just now, and it was not the assistant that said the word."""
        spoken = self.heard_at_s - self._voiced_at_s < SPOKEN_WITHIN_S
        return spoken and not self._own_voice.said(word, self.heard_at_s, microphone)

    def _noticed(self, frame: Frame) -> str | None:
        self._own_voice.step(frame.at_s)
        if self._engine is None:
            return None
        keyword = self._engine.process(np.frombuffer(frame.samples, np.int16))
        own = keyword and self._own_voice.said(keyword, frame.at_s, frame.microphone)
        return None if own else keyword
