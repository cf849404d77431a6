"""Selects the wake word engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.core.config import WakeSettings
from assistant.core.errors import ConfigError, WakeWordError
from audio.wake import microwakeword, porcupine
from audio.wake.engine import WakeWordEngine
from audio.wake.keyphrase import KeyPhrases
from audio.wake.microwakeword import MicroWakeWords
from audio.wake.porcupine import Porcupine

ENGINES: dict[str, Callable[[Mapping[str, float]], WakeWordEngine]] = {
    "porcupine": Porcupine,
    "microwakeword": MicroWakeWords,
    "pocketsphinx": KeyPhrases,
}


def select(settings: WakeSettings) -> WakeWordEngine:
    """The engine of the settings; "auto" takes the first of `ENGINES` that knows all keywords.

    Raises `ConfigError`, which for "auto" lists what each engine knows, and `WakeWordError` where
    the engine that is named cannot run.
    """
    if not settings.keywords:
        raise ConfigError("wake.no_keyword", "wake.keywords names no keyword")
    for keyword, sensitivity in settings.keywords.items():
        if not 0 <= sensitivity <= 1:
            message = f'wake.keywords: the sensitivity of "{keyword}" must lie from 0 to 1'
            raise ConfigError("wake.sensitivity", message)
    if settings.engine == "auto":
        return _first_able(settings.keywords)
    if settings.engine not in ENGINES:
        message = f'wake.engine "{settings.engine}" is none of auto, {", ".join(ENGINES)}'
        raise ConfigError("wake.unknown_engine", message)
    try:
        return ENGINES[settings.engine](settings.keywords)
    except WakeWordError as error:
        if error.code != "wake.unknown_keyword":
            raise
        raise ConfigError(error.code, f"wake.keywords: {error.message}") from error


def _first_able(keywords: Mapping[str, float]) -> WakeWordEngine:
    refusals: list[WakeWordError] = []
    for engine in ENGINES.values():
        try:
            return engine(keywords)
        except WakeWordError as error:
            refusals.append(error)
    named = ", ".join(f'"{keyword}"' for keyword in keywords)
    message = (
        f"no engine listens for {named} together. "
        f"Porcupine knows: {', '.join(porcupine.known_keywords()) or 'nothing on this CPU'}; "
        f"microWakeWord: {', '.join(microwakeword.known_keywords())}; "
        f"PocketSphinx: any phrase of common English words ({refusals[-1].message})"
    )
    raise ConfigError("wake.unknown_keyword", message)
