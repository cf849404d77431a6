"""Which voice speaks, and which takes over when it cannot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from assistant.core.config import Voice as VoiceSettings
from assistant.core.errors import AssistantError, SpeakingError
from assistant.core.manifest import Library
from audio.tts.espeak import Espeak
from audio.tts.flite import Flite
from audio.tts.piper import Piper
from audio.tts.voice import Samples, Voice

FAILURES_TO_OPEN = 3
"""Failures in a row after which a voice is no longer asked …"""
SENTENCES_OPEN = 20
"""… for so many sentences; then one attempt decides anew."""

log = logging.getLogger(__name__)


class Tier:
    """One voice with its circuit breaker, which counts sentences and so needs no clock."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self._failures = self._skips_left = 0

    def asked(self) -> bool:
        """Whether the voice may try the sentence at hand; call once a sentence."""
        if self._skips_left:
            self._skips_left -= 1
            return False
        return True

    def settle(self, failed: bool) -> None:
        """Take note of how the attempt went."""
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= FAILURES_TO_OPEN:
            self._skips_left = SENTENCES_OPEN


class Tiers:
    """Several voices as one: the first whose breaker is closed and that succeeds speaks."""

    def __init__(self, voices: Sequence[Voice]) -> None:
        self._tiers = [Tier(voice) for voice in voices]
        self.name = voices[0].name

    def synthesise(self, text: str) -> Samples:
        """The sound of `text`; raises the last voice's `SpeakingError` when none can speak."""
        last = self._tiers[-1]
        for tier in self._tiers:
            if not tier.asked() and tier is not last:
                continue
            try:
                samples = tier.voice.synthesise(text)
            except SpeakingError as error:
                tier.settle(failed=True)
                log.warning("voice %s: %s (%s)", tier.voice.name, error.message, error.code)
                if tier is last:
                    raise
            else:
                tier.settle(failed=False)
                self.name = tier.voice.name
                return samples
        raise AssertionError("the last tier is always asked")


def select(settings: VoiceSettings, library: Library) -> Voice:
    """The voice of the settings; "auto" joins those that can be had here as tiers.

    A voice that is named is the first tier and what "auto" would take comes after it. Raises
    `SpeakingError` when a named voice cannot be had, or none at all.
    """
    makers: dict[str, Callable[[str], Voice]] = {
        "piper": lambda name: Piper(library, name),
        "flite": Flite,
        "espeak-ng": Espeak,
    }
    if settings.engine not in ("auto", *makers):
        message = f'voice.engine "{settings.engine}" is none of auto, {", ".join(makers)}'
        raise SpeakingError("voice.unknown_engine", message)
    first = []
    if settings.engine != "auto":
        first = [makers.pop(settings.engine)(settings.name)]
    # The name belongs to the engine that is named; under "auto" it is tried on piper.
    fallbacks, refusals = _available(makers, settings.name if not first else "")
    if not (first or fallbacks):
        raise SpeakingError("voice.none", "no voice can speak: " + "; ".join(refusals))
    return Tiers([*first, *fallbacks])


def _available(
    makers: dict[str, Callable[[str], Voice]], piper_name: str
) -> tuple[list[Voice], list[str]]:
    voices: list[Voice] = []
    refusals: list[str] = []
    for engine, make in makers.items():
        try:
            voices.append(make(piper_name if engine == "piper" else ""))
        except AssistantError as error:
            refusals.append(error.message)
            log.info("voice %s is not used: %s", engine, error.message)
    return voices, refusals
