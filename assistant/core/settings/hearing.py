"""What is heard: microphone and loudspeaker, wake words, and when an utterance begins and ends."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from assistant.core.settings.section import SettingsSection, one_of

Pause = Annotated[float, Meta(ge=0.05, le=60.0)]
"""Seconds to wait while the user may speak."""
Seconds = Annotated[float, Meta(ge=0, le=3600)]
Share = Annotated[float, Meta(ge=0, le=1)]


class AudioSettings(SettingsSection, frozen=True, kw_only=True):
    """Microphone and loudspeaker."""

    input: str | Annotated[tuple[str, ...], Meta(min_length=1, max_length=8)] = "default"
    """Device by name or part of it, "default" (the first that sounds), "fifo:PATH" (16 kHz mono
    int16 is read), or a list of these, which are all listened to."""
    areas: Annotated[tuple[str, ...], Meta(max_length=8)] = ()
    """Ids of the areas where the microphones of a list stand, in its order; those that are left out
    stand where the device does. Each area has its own conversation, and its own "the lights"."""
    output: str = "default"
    """Device by name or part of it, "default", "none", or "folder:PATH" (WAV files are written)."""
    playback_grace_s: Seconds = 0.3
    """Seconds after playback in which a wake word that was part of the reply is ignored."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The microphones, of which there is at least one."""
        return (self.input,) if isinstance(self.input, str) else self.input


class WakeSettings(SettingsSection, frozen=True, kw_only=True):
    """Wake words."""

    engine: Annotated[str, one_of("auto", "porcupine", "microwakeword", "pocketsphinx")] = "auto"
    """"auto" (each keyword by the first that knows it), "porcupine", "microwakeword" or
    "pocketsphinx". What `assistant wake add` enrolled is heard by its enrolment."""
    keywords: dict[str, Share] = msgspec.field(default_factory=lambda: {"computer": 0.8})
    """Keyword → sensitivity from 0 to 1; all keywords are listened for at once."""


class ListeningSettings(SettingsSection, frozen=True, kw_only=True):
    """When an utterance begins and ends."""

    vad_aggressiveness: Annotated[int, Meta(ge=0, le=3)] = 2
    """webrtcvad's mode, 0 (lenient) to 3 (strict)."""
    preroll_s: Annotated[float, Meta(ge=0.0, le=10.0)] = 2.0
    """Seconds of sound before the wake word's detection that belong to the utterance."""
    trailing_silence_s: Pause = 0.7
    """Seconds of silence that end an utterance."""
    complete_silence_s: Pause = 0.2
    """Seconds of silence that end an utterance whose words are a whole sentence."""
    open_silence_s: Pause = 0.5
    """The same for a whole sentence that is likely to go on: "turn on the light" "in the hall"."""
    thinking_silence_s: Pause = 1.5
    """The same after a question, for words that are no answer yet."""
    follow_up_s: Annotated[float, Meta(ge=0.0, le=30.0)] = 3.0
    """Seconds after a reply in which what goes on from it needs no wake word; 0 for never."""
    nothing_said_s: Pause = 5.0
    """Seconds after which an open microphone closes when nobody speaks."""
    longest_s: Annotated[float, Meta(ge=1.0, le=120.0)] = 15.0
    """Seconds after which an utterance ends in any case."""
