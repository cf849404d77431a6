"""Which of whisper and PocketSphinx hears, and which helps.

Where whisper is done with a command soon after its end, it hears alone. On a slower machine
PocketSphinx leads, and whisper has a second look at speech that fits no sentence. Whisper that
fails is left out until the next start. On the simpler path there is no second look.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.degraded import Degraded
from assistant.core.errors import RecognitionError
from assistant.core.files import replace_file
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.recognizer import Recognition, Recognizer, SecondLook, agree, recognition
from audio.asr.second_look.general import GeneralEnglish
from audio.asr.whisper import FLOOR_FRAMES, FRAMES_PER_S, WhisperRecognizer

PART = "whisper"
LEADS_WITHIN_S = 0.4
"""Seconds within which whisper must be done with a command of four to lead."""
LOOKS_WITHIN_S = 1.0
"""Most seconds that anybody waits for whisper's second look."""
_COMMAND_S = 4.0
_MEASURED = "processor time"
"""What is measured; another measure makes the pace anew."""
_FILE = "whisper-pace.json"


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How long whisper takes on this machine for a command of four seconds."""

    key: str
    command_s: float

    @property
    def leads(self) -> bool:
        """Whether whisper is quick enough to be waited for at every command."""
        return self.command_s <= LEADS_WITHIN_S

    def looks_at(self, speech_s: float) -> bool:
        """Whether `speech_s` of free speech are recognised in time."""
        windows = max(1.0, speech_s * FRAMES_PER_S / FLOOR_FRAMES)
        return self.command_s * windows <= LOOKS_WITHIN_S


def pace(whisper: WhisperRecognizer, key: str, cache: Path) -> Pace:
    """How quick `whisper` is here: measured once for a `key`, then read from the folder `cache`."""
    if (known := known_pace(key, cache)) is not None:
        return known
    measured = Pace(key=_here(key), command_s=round(whisper.command_s(_COMMAND_S), 4))
    cache.mkdir(parents=True, exist_ok=True)
    replace_file(cache / _FILE, msgspec.json.encode(measured), 0o600, durable=False)
    return measured


def known_pace(key: str, cache: Path) -> Pace | None:
    """What was measured here for a `key`; None when nothing was."""
    known = read_pace(cache)
    return known if known is not None and known.key == _here(key) else None


def _here(key: str) -> str:
    return f"{key} {os.uname().machine} {os.cpu_count()} {_MEASURED}"


def read_pace(cache: Path) -> Pace | None:
    """What was measured last; None when nothing was, or by another version."""
    try:
        return msgspec.json.decode((cache / _FILE).read_bytes(), type=Pace)
    except (OSError, msgspec.MsgspecError):
        return None


class Ahead:
    """Whisper hears alone; `instead` makes what hears once it has failed. Implements `Recognizer`.

    What it failed on is heard by the other one, too.
    """

    name = WhisperRecognizer.name
    forks = False

    def __init__(
        self, whisper: Recognizer, instead: Callable[[], Recognizer], faults: Degraded
    ) -> None:
        self._whisper, self._make, self._faults = whisper, instead, faults
        self._instead: Recognizer | None = None
        self._started: tuple[Sequence[str], bool, bool] = ((), False, False)
        self._heard: list[NDArray[np.int16]] = []

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one, which `answers` are likely to be."""
        self._started, self._heard = (answers, unasked, in_a_row), []
        (self._instead or self._whisper).start(answers, unasked, in_a_row)

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""
        if self._instead is None:
            self._heard.append(samples)
        (self._instead or self._whisper).feed(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        if self._instead is not None:
            return self._instead.finish()
        try:
            return self._whisper.finish()
        except RecognitionError as error:
            self._faults.note(PART, error)
        self._instead = self._make()
        self._instead.start(*self._started)
        for samples in self._heard:
            self._instead.feed(samples)
        return self._instead.finish()


class Spared:
    """A second look that is left out while the stage takes its simpler path.

    It then hears nothing, as where it would be late. Implements `SecondLook`.
    """

    def __init__(self, look: SecondLook, faults: Degraded) -> None:
        self._look, self._faults = look, faults
        self.forks = look.forks

    def start(self) -> None:
        """Forget the last utterance."""
        self._look.start()

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Let the look follow."""
        if not self._faults.simpler:
            self._look.follow(sound, cepstral_mean, passed_s)

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """What the look hears in all of `sound`."""
        if self._faults.simpler:
            return recognition((), GeneralEnglish.name)
        return self._look.finish(sound, cepstral_mean, speech_s)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether the look hears what `text` says."""
        return not self._faults.simpler and self._look.agrees(sound, cepstral_mean, text)


class Aside:
    """Whisper as the second look, else `otherwise`. Implements `SecondLook`."""

    forks = False

    def __init__(
        self, whisper: WhisperRecognizer, here: Pace, otherwise: SecondLook, faults: Degraded
    ) -> None:
        self._whisper, self._pace = whisper, here
        self._otherwise, self._faults = otherwise, faults

    def start(self) -> None:
        """Forget the last utterance."""
        self._otherwise.start()

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Let the other look follow where whisper would be late; whisper looks at the end."""
        if not self._looks_at(len(sound) / 2 / SAMPLE_RATE_HZ):
            self._otherwise.follow(sound, cepstral_mean, passed_s)

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """Whisper's words of `sound`, or those of the other look."""
        if self._looks_at(len(sound) / 2 / SAMPLE_RATE_HZ):
            try:
                words = self._whisper.words(np.frombuffer(sound, np.int16))
                return recognition(words, self._whisper.name)
            except RecognitionError as error:
                self._faults.note(PART, error)
        return self._otherwise.finish(sound, cepstral_mean, speech_s)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether whisper, or the other look, hears what `text` says."""
        if self._looks_at(len(sound) / 2 / SAMPLE_RATE_HZ):
            try:
                words = self._whisper.words(np.frombuffer(sound, np.int16))
                return agree(text, recognition(words, self._whisper.name).text)
            except RecognitionError as error:
                self._faults.note(PART, error)
        return self._otherwise.agrees(sound, cepstral_mean, text)

    def _looks_at(self, sound_s: float) -> bool:
        return PART not in self._faults and self._pace.looks_at(sound_s)
