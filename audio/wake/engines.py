"""The engines that know keywords by themselves: the first that knows one hears it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import NamedTuple

from assistant.core.errors import ConfigError, WakeWordError
from assistant.core.settings.hearing import WakeSettings
from audio.wake import microwakeword, porcupine
from audio.wake.engine import CountedEngine, WakeWordEngine, spoken
from audio.wake.keyphrase import KeyPhrases
from audio.wake.microwakeword import MicroWakeWords
from audio.wake.porcupine import Porcupine


class Engine(NamedTuple):
    """How an engine is made, whether it is worth trying for a keyword, and its package."""

    make: Callable[[Mapping[str, float]], WakeWordEngine]
    knows: Callable[[str], bool]
    package: str

    def counted(self, keywords: Mapping[str, float]) -> CountedEngine:
        """The engine for these keywords, with its version counted; raises as `make` does."""
        return CountedEngine(self.make(keywords), version(self.package))


ENGINES = {
    "porcupine": Engine(
        Porcupine, lambda k: spoken(k) in porcupine.known_keywords(), "pvporcupine"
    ),
    "microwakeword": Engine(
        MicroWakeWords, lambda k: spoken(k) in microwakeword.known_keywords(), "pymicro-wakeword"
    ),
    "pocketsphinx": Engine(KeyPhrases, lambda k: True, "pocketsphinx"),
}


def check(settings: WakeSettings) -> None:
    """Raise `ConfigError` for settings of wake words that cannot be."""
    if not settings.keywords:
        raise ConfigError("wake.no_keyword", "wake.keywords names no keyword")
    for keyword, sensitivity in settings.keywords.items():
        if not 0 <= sensitivity <= 1:
            message = f'wake.keywords: the sensitivity of "{keyword}" must lie from 0 to 1'
            raise ConfigError("wake.sensitivity", message)
    if settings.engine not in ("auto", *ENGINES):
        message = f'wake.engine "{settings.engine}" is none of auto, {", ".join(ENGINES)}'
        raise ConfigError("wake.unknown_engine", message)


def engines_for(engine: str, keywords: Mapping[str, float]) -> list[WakeWordEngine]:
    """The engines, as `wake.engine` names them, that hear keywords with their sensitivities.

    Raises `ConfigError`, which for "auto" lists what each engine knows, and `WakeWordError` where
    the engine that is named cannot run.
    """
    return _able(keywords) if engine == "auto" else [_named(engine, keywords)]


def _named(engine: str, keywords: Mapping[str, float]) -> WakeWordEngine:
    try:
        return ENGINES[engine].counted(keywords)
    except WakeWordError as error:
        if error.code != "wake.unknown_keyword":
            raise
        raise ConfigError(error.code, f"wake.keywords: {error.message}") from error


def _able(keywords: Mapping[str, float]) -> list[WakeWordEngine]:
    """For each keyword the first engine that knows it."""
    left, engines, refusal = dict(keywords), list[WakeWordEngine](), ""
    for engine in ENGINES.values():
        known = {k: s for k, s in left.items() if engine.knows(k)}
        if not known:
            continue
        try:
            engines.append(engine.counted(known))
        except WakeWordError as error:
            refusal = error.message
        else:
            left = {k: s for k, s in left.items() if k not in known}
    if not left:
        return engines
    for made in engines:
        made.close()
    named = ", ".join(f'"{keyword}"' for keyword in left)
    message = (
        f"no engine listens for {named}. "
        f"Porcupine knows: {', '.join(porcupine.known_keywords()) or 'nothing on this CPU'}; "
        f"microWakeWord: {', '.join(microwakeword.known_keywords())}; "
        f"PocketSphinx: any phrase of common English words ({refusal}); "
        f"a phrase of your own: assistant wake add PHRASE"
    )
    raise ConfigError("wake.unknown_keyword", message)
