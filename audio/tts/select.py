"""Selects the voice that speaks, and those that take over when it cannot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from assistant.core.config import VoiceSettings as VoiceSettings
from assistant.core.degraded import Degraded
from assistant.core.errors import AssistantError, ModelError, SpeakingError
from assistant.core.models.manifest import Library
from audio.tts.espeak import Espeak
from audio.tts.flite import Flite
from audio.tts.piper import Piper
from audio.tts.voice import Samples, Voice

FAILURES_TO_OPEN = 3
"""Failures in a row after which a voice is skipped."""
SENTENCES_OPEN = 20
"""Sentences for which such a voice is skipped; then one attempt decides again."""

log = logging.getLogger(__name__)


class VoiceTier:
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
        """Note whether the attempt failed."""
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= FAILURES_TO_OPEN:
            self._skips_left = SENTENCES_OPEN


class Tiers:
    """Several voices as one: the first whose breaker is closed and that succeeds speaks.

    While the stage with these `faults` takes its simpler path, the first of several is skipped.
    """

    def __init__(
        self,
        voices: Sequence[Voice],
        refusals: Mapping[str, str] | None = None,
        faults: Degraded | None = None,
    ) -> None:
        self._tiers = [VoiceTier(voice) for voice in voices]
        self._faults = faults or Degraded("voice")
        self.refusals = refusals or {}
        """Engine → why it is not among the voices, and how to fix that."""
        self.name = voices[0].name

    def synthesise(self, text: str) -> Samples:
        """The sound of `text`; raises the last voice's `SpeakingError` when none can speak."""
        first, last = self._tiers[0], self._tiers[-1]
        for tier in self._tiers:
            if self._faults.simpler and tier is first and tier is not last:
                continue
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


def select(settings: VoiceSettings, library: Library, faults: Degraded | None = None) -> Tiers:
    """The voice of the settings first, then as tiers what else can be had here.

    A voice that is named and cannot be had is no reason to fall silent: the log says so, and
    `faults` is told of one whose model is damaged. Raises `SpeakingError` when there is no such
    engine, or no voice at all.
    """
    makers: dict[str, Callable[[str], Voice]] = {
        "piper": lambda name: Piper(library, name),
        "flite": Flite,
        "espeak-ng": Espeak,
    }
    if settings.engine not in ("auto", *makers):
        message = f'voice.engine "{settings.engine}" is none of auto, {", ".join(makers)}'
        raise SpeakingError("voice.unknown_engine", message)
    # Under "auto" a name can only mean one of piper's voices: the others come second.
    named = "piper" if settings.engine == "auto" else settings.engine
    voices: list[Voice] = []
    refusals: dict[str, str] = {}
    for engine in sorted(makers, key=lambda engine: engine != named):
        try:
            voices.append(makers[engine](settings.name if engine == named else ""))
        except AssistantError as error:
            refusals[engine] = error.message
            if isinstance(error, ModelError) and faults is not None:
                faults.note(engine, error)
                continue
            level = logging.WARNING if engine == settings.engine else logging.INFO
            log.log(level, "voice %s is not used: %s", engine, error.message)
    if not voices:
        raise SpeakingError("voice.none", "no voice can speak: " + "; ".join(refusals.values()))
    return _warmed(Tiers(voices, refusals, faults))


def _warmed(voice: Tiers) -> Tiers:
    """Load the voice's files from a slow card now, not when the first reply waits for them."""
    with suppress(SpeakingError):
        voice.synthesise("Ready.")
    return voice
