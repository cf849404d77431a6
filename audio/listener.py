"""The listener: from frames to utterances.

Closed, it waits for a wake word, or while a reply plays for "stop". Open, it passes the sound on
in chunks as it comes, from the pre-roll on, until the endpointing says that the person is done; it
then commits to what was said. Without an engine whatever is spoken opens it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import msgspec
import numpy as np

from assistant.core.config import ListeningSettings
from assistant.core.messages import (
    BargeIn,
    Complete,
    Frame,
    Level,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    Tick,
    Woke,
)
from audio.endpointing import Endpointing, Phase
from audio.frames import FRAME_S
from audio.own_voice import OwnVoice
from audio.preroll import Heard, PreRoll
from audio.recording import Recording
from audio.vad import Sound, Vad
from audio.wake.engine import WakeWordEngine
from audio.wake.locate import frames_since_keyword

FRAMES_A_CHUNK = 5
FRAMES_A_LEVEL = 16
# Without a second engine to locate the keyword: measured on 180 recordings, Porcupine notices it
# 0.07 to 0.4 s after its end, 0.2 s at the median.
KEYWORD_ENDS_BEFORE_S = 0.2
KEYWORD_TAIL_S = 0.25
LONGEST_KEYWORD_S = 1.2
LONGEST_EARCON_S = 0.4
# Where no wake word was said, clatter is likelier than a short word.
UNASKED_BEGINS_AFTER_S = 0.18
BURST_PAUSE_S = 0.3
BURST_MARGIN_S = 0.2
DEAF_AFTER_S = 1.0
# PocketSphinx notices a word up to 0.6 s after it was said, and in the hiss of a quiet microphone
# (measured: dither of one bit) it notices "stop" nine times in 28 s, where nobody spoke.
SPOKEN_WITHIN_S = 0.7


def new_id() -> str:
    """A short, unique id for an utterance."""
    return uuid.uuid4().hex[:12]


class Listener:
    """Implements `core.stage.Stage`.

    `stop_word` listens to the microphone while a reply plays; `locator` is a second engine of the
    kind of `engine`, to find where in the pre-roll the wake word ended.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        Frame,
        PlaybackStarted,
        PlaybackEnded,
        Complete,
    )

    def __init__(
        self,
        settings: ListeningSettings,
        engine: WakeWordEngine | None,
        own_voice: OwnVoice | None = None,
        stop_word: WakeWordEngine | None = None,
        locator: WakeWordEngine | None = None,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self._settings = settings
        self._engine, self._stop_word, self._locator = engine, stop_word, locator
        self._own_voice = own_voice or OwnVoice()
        self._new_id = new_id
        self._vad = Vad(settings.vad_aggressiveness)
        self._preroll = PreRoll(settings.preroll_s)
        self._levels: list[Sound] = []
        self._onset = self._unhurried(0.0)
        self._open: Recording | None = None
        self._replying = ""
        self._speech = False
        self._silent_at_s = 0.0
        self._heard_at_s = self._closed_at_s = 0.0
        self._voiced_at_s = float("-inf")

    @property
    def waiting(self) -> bool:
        """Whether the microphone is open and nobody has begun to speak."""
        return self._open is not None and self._open.endpointing.phase is Phase.WAITING

    def feed(self, message: Message) -> Iterator[Message]:
        """Take a frame, playback news, a verdict, or a `Tick` when no more frames come."""
        match message:
            case Frame():
                yield from self._hear(message)
            case PlaybackStarted():
                self._drop_unasked()  # what it would hear now is the assistant
                self._replying = message.utterance_id
                self._voiced_at_s = float("-inf")  # forget what was said before
            case PlaybackEnded():
                self._replying = ""
                if self._open is None and not message.interrupted:
                    yield from self._follow_up(message)
            case Complete() if self._open is not None:
                self._open.judge(message)
                if self._open.over:
                    yield from self._close()
            case Tick() if self._open is not None and self._deaf(message.at_s):
                yield from self._close()

    def deadline_s(self) -> float | None:
        """When to close an open microphone that gives no more frames."""
        return self._heard_at_s + DEAF_AFTER_S if self._open is not None else None

    def close(self) -> None:
        """Release the engines, which hold memory and files outside Python."""
        for engine in (self._engine, self._stop_word, self._locator):
            if engine is not None:
                engine.close()

    def _hear(self, frame: Frame) -> Iterator[Message]:
        self._heard_at_s = frame.at_s
        frame = msgspec.structs.replace(frame, samples=self._own_voice.removed_from(frame))
        sound = self._vad.hear(frame.samples)
        if sound.speech:
            self._voiced_at_s = frame.at_s
        self._speech = self._is_speech(sound, frame.at_s)
        heard = Heard(frame.at_s, frame.samples, self._speech)
        self._preroll.push(heard)
        yield from self._level(sound)
        keyword = self._noticed(frame)
        if keyword is not None:
            self._drop_unasked()
        if self._open is not None:
            self._open.wake_word = self._open.wake_word or keyword or ""
            yield from self._open.take(heard)
            if self._open.over:
                yield from self._close()
        elif keyword is not None:
            yield from self._woken(frame.at_s, keyword)
        elif self._engine is None:
            yield from self._begun(heard)
        elif self._replying and self._told_to_stop(frame):
            yield BargeIn(utterance_id=self._replying)

    def _is_speech(self, sound: Sound, at_s: float) -> bool:
        """While something is played the VAD hears that.

        A closed microphone then hears nobody; for an open one what held before an earcon holds on.
        """
        if not self._own_voice.sounds(at_s):
            self._silent_at_s = at_s
            return sound.speech
        if self._open is None:
            return False
        return self._speech if at_s - self._silent_at_s < LONGEST_EARCON_S else sound.speech

    def _noticed(self, frame: Frame) -> str | None:
        self._own_voice.step(frame.at_s)
        if self._engine is None:
            return None
        keyword = self._engine.process(np.frombuffer(frame.samples, np.int16))
        return keyword if keyword and not self._own_voice.said(keyword, frame.at_s) else None

    def _told_to_stop(self, frame: Frame) -> bool:
        if self._stop_word is None:
            return False
        word = self._stop_word.process(np.frombuffer(frame.samples, np.int16))
        spoken = frame.at_s - self._voiced_at_s < SPOKEN_WITHIN_S
        return word is not None and spoken and not self._own_voice.said(word, frame.at_s)

    def _woken(self, at_s: float, keyword: str) -> Iterator[Message]:
        if self._replying:
            yield BargeIn(utterance_id=self._replying)
        ended_s = at_s - self._since_keyword_s()
        begins_s = max(
            self._preroll.burst_starts_s(BURST_PAUSE_S, BURST_MARGIN_S),
            ended_s - LONGEST_KEYWORD_S,
        )
        yield from self._open_up(at_s, begins_s, ended_s + KEYWORD_TAIL_S, wake_word=keyword)

    def _since_keyword_s(self) -> float:
        if self._locator is None:
            return KEYWORD_ENDS_BEFORE_S + KEYWORD_TAIL_S
        recent = [heard.samples for heard in self._preroll]
        return frames_since_keyword(self._locator, recent) * FRAME_S

    def _follow_up(self, ended: PlaybackEnded) -> Iterator[Message]:
        """Open without the wake word: for an answer or, if only for a moment, for what goes on."""
        now_s, follows = ended.at_s, ended.utterance_id
        if ended.listen:
            yield from self._open_up(now_s, now_s, now_s, follows=follows)
        elif ended.heard and self._engine is not None and self._settings.follow_up_s:
            yield from self._open_up(now_s, now_s, now_s, follows=follows, unasked=True)

    def _drop_unasked(self) -> None:
        """Forget what was heard after a reply that asked nothing."""
        if self._open is not None and self._open.unasked:
            self._open = None

    def _begun(self, heard: Heard) -> Iterator[Message]:
        if self._onset.step(heard.at_s, heard.speech) is Phase.SPEAKING:
            begins_s = self._preroll.burst_starts_s(BURST_PAUSE_S, BURST_MARGIN_S)
            yield from self._open_up(heard.at_s, begins_s, begins_s)

    def _open_up(
        self,
        at_s: float,
        begins_s: float,
        command_from_s: float,
        *,
        wake_word: str = "",
        follows: str = "",
        unasked: bool = False,
    ) -> Iterator[Message]:
        settings = self._settings
        if follows:
            settings = self._brief if unasked else self._thoughtful
        self._open = Recording(
            settings,
            self._new_id(),
            wake_word=wake_word,
            follows=follows,
            unasked=unasked,
            endpointing=Endpointing(settings, at_s, heard_from_s=command_from_s),
            command_from_s=command_from_s,
        )
        # Sound from before the last utterance's end belongs to that utterance.
        since_s = max(begins_s, self._closed_at_s)
        before = [
            chunk for heard in self._preroll.since(since_s) for chunk in self._open.take(heard)
        ]
        if not unasked:
            yield Woke(utterance_id=self._open.utterance_id, wake_word=wake_word)
        yield from before

    def _close(self) -> Iterator[Message]:
        if self._open is not None:
            yield from self._open.end()
        self._open = None
        self._closed_at_s = self._heard_at_s
        self._onset = self._unhurried(self._heard_at_s)

    def _deaf(self, at_s: float) -> bool:
        return at_s - self._heard_at_s >= DEAF_AFTER_S

    @property
    def _thoughtful(self) -> ListeningSettings:
        """The settings for an answer, before which people think, and in its middle too."""
        waits_s = max(self._settings.trailing_silence_s, self._settings.thinking_silence_s)
        return msgspec.structs.replace(self._settings, trailing_silence_s=waits_s)

    @property
    def _brief(self) -> ListeningSettings:
        """The settings for what follows a reply that asked nothing."""
        waits_s = self._settings.follow_up_s
        return msgspec.structs.replace(self._settings, nothing_said_s=waits_s)

    def _unhurried(self, at_s: float) -> Endpointing:
        patient = msgspec.structs.replace(self._settings, nothing_said_s=float("inf"))
        return Endpointing(patient, at_s, begins_after_s=UNASKED_BEGINS_AFTER_S)

    def _level(self, sound: Sound) -> Iterable[Message]:
        self._levels.append(sound)
        if len(self._levels) < FRAMES_A_LEVEL:
            return ()
        power = np.mean([10 ** (s.rms_dbfs / 10) for s in self._levels])
        level = Level(
            rms_dbfs=round(10 * float(np.log10(power)), 1),
            noise_floor_dbfs=round(sound.noise_floor_dbfs, 1),
            speech=any(s.speech for s in self._levels),
        )
        self._levels.clear()
        return (level,)
