"""Builds the parts of a satellite, as the settings say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from wyoming.info import Attribution, Info, WakeModel, WakeProgram
from wyoming.info import Satellite as SatelliteInfo

from assistant.core.config import Config
from assistant.core.errors import SpeakingError
from assistant.core.settings.hearing import WakeSettings
from assistant.core.stage import Source
from assistant.satellite.satellite import Satellite
from audio.canceller import EchoCanceller
from audio.ear import Ear
from audio.microphones.capture import Capture
from audio.own_voice import OwnVoice
from audio.playback import Playback
from audio.tts.flite import Flite
from audio.wake.engine import WakeWordEngine, spoken
from audio.wake.engines import check, engines_for
from audio.wake.joined import joined
from audio.wake.own_words import own_engines, sure_stop_word

PROGRAM = "Hark"
DISTRIBUTION = "hark-assistant"
SILENCE = (b"", 16_000)

log = logging.getLogger(__name__)


class Parts(NamedTuple):
    """A satellite, and what it is run with."""

    satellite: Satellite
    playback: Playback
    sources: tuple[Source, ...]


def parts(config: Config, name: str, area: str, opened: ExitStack) -> Parts:
    """Make a satellite; `opened` closes its devices. Raises `ConfigError` and `WakeWordError`."""
    wake = config.wake
    engines = own_engines(wake_word, wake)
    own_voice = OwnVoice(engines, config.audio.playback_grace_s, [EchoCanceller()])
    ear = Ear(config.listening, wake_word(wake), own_voice, sure_stop_word())
    opened.callback(ear.close)
    capture = Capture(config.audio.inputs[:1])
    opened.callback(capture.close)
    playback = Playback(config.audio.output, own_voice)
    opened.callback(playback.close)
    info = description(name, area, tuple(wake.keywords))
    made = Satellite(ear, playback, info, _speaker(), config.voice.earcons)
    return Parts(made, playback, (capture, playback))


def wake_word(settings: WakeSettings) -> WakeWordEngine:
    """What hears the wake words of the settings; phrases are enrolled on the base alone."""
    check(settings)
    return joined(engines_for(settings.engine, settings.keywords))


def description(name: str, area: str, keywords: tuple[str, ...]) -> Info:
    """What the satellite tells of itself."""
    try:
        known = version(DISTRIBUTION)
    except PackageNotFoundError:  # a small board has the files, and not all that Hark needs
        known = None
    common: dict[str, Any] = {
        "attribution": Attribution(name=PROGRAM, url=""),
        "installed": True,
        "version": known,
    }
    heard = [
        WakeModel(name=word, description=word, phrase=spoken(word), languages=["en"], **common)
        for word in keywords
    ]
    return Info(
        wake=[WakeProgram(name=PROGRAM, description="wake words", models=heard, **common)],
        satellite=SatelliteInfo(
            name=name,
            description=f"{PROGRAM} satellite",
            area=area or None,
            has_vad=False,
            active_wake_words=list(keywords),
            supports_trigger=True,
            **common,
        ),
    )


def _speaker() -> Callable[[str], tuple[bytes, int]]:
    """The voice for when the base is away; silence where there is none."""
    try:
        voice = Flite()
    except SpeakingError as error:
        log.warning("without the base it says nothing: %s (%s)", error.message, error.code)
        return lambda words: SILENCE

    def say(words: str) -> tuple[bytes, int]:
        try:
            samples = voice.synthesise(words)
        except SpeakingError as error:
            log.warning("it cannot speak: %s (%s)", error.message, error.code)
            return SILENCE
        return samples.pcm.tobytes(), samples.rate_hz

    return say
