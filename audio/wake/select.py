"""Selects the wake word engines: each keyword is heard by the first engine that knows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from assistant.core.config import WakeSettings
from assistant.core.errors import ConfigError, WakeWordError
from assistant.core.models.manifest import Library
from audio.wake import microwakeword, porcupine
from audio.wake.engine import WakeWordEngine, spoken
from audio.wake.joined import JoinedEngines
from audio.wake.keyphrase import KeyPhrases
from audio.wake.microwakeword import MicroWakeWords
from audio.wake.own.embedding import SpeechEmbedding
from audio.wake.own.listening import OwnWakeWords
from audio.wake.own.store import EnrolledPhrases
from audio.wake.porcupine import Porcupine


class Engine(NamedTuple):
    """How an engine is made, and whether it is worth trying for a keyword."""

    make: Callable[[Mapping[str, float]], WakeWordEngine]
    knows: Callable[[str], bool]


ENGINES = {
    "porcupine": Engine(Porcupine, lambda k: spoken(k) in porcupine.known_keywords()),
    "microwakeword": Engine(MicroWakeWords, lambda k: spoken(k) in microwakeword.known_keywords()),
    "pocketsphinx": Engine(KeyPhrases, lambda k: True),
}


def select(
    settings: WakeSettings,
    enrolled: EnrolledPhrases | None = None,
    library: Library | None = None,
) -> WakeWordEngine:
    """What hears the keywords of the settings: the phrases that are `enrolled`, and an engine.

    The engine named in the settings hears all that are not enrolled; with "auto" each is heard by
    the first of `ENGINES` that knows it.
    `library` holds the embedding, by default what ships. Raises `ConfigError`, which for "auto"
    lists what each engine knows, and `WakeWordError` where the engine that is named cannot run.
    """
    if not settings.keywords:
        raise ConfigError("wake.no_keyword", "wake.keywords names no keyword")
    for keyword, sensitivity in settings.keywords.items():
        if not 0 <= sensitivity <= 1:
            message = f'wake.keywords: the sensitivity of "{keyword}" must lie from 0 to 1'
            raise ConfigError("wake.sensitivity", message)
    if settings.engine not in ("auto", *ENGINES):
        message = f'wake.engine "{settings.engine}" is none of auto, {", ".join(ENGINES)}'
        raise ConfigError("wake.unknown_engine", message)
    phrases = enrolled.phrases if enrolled is not None else ()
    own = {k: s for k, s in settings.keywords.items() if spoken(k) in phrases}
    others = {k: s for k, s in settings.keywords.items() if k not in own}
    engines: list[WakeWordEngine] = []
    if own and enrolled is not None:
        embedding = SpeechEmbedding(library or Library(Path()))
        engines.append(OwnWakeWords({k: enrolled.load(k) for k in own}, own, embedding))
    if others:
        engines += _able(others) if settings.engine == "auto" else [_named(settings.engine, others)]
    return engines[0] if len(engines) == 1 else JoinedEngines(engines)


def _named(engine: str, keywords: Mapping[str, float]) -> WakeWordEngine:
    try:
        return ENGINES[engine].make(keywords)
    except WakeWordError as error:
        if error.code != "wake.unknown_keyword":
            raise
        raise ConfigError(error.code, f"wake.keywords: {error.message}") from error


def _able(keywords: Mapping[str, float]) -> list[WakeWordEngine]:
    """For each keyword the first engine that knows it."""
    left, engines, refusal = dict(keywords), list[WakeWordEngine](), ""
    for make, knows in ENGINES.values():
        known = {k: s for k, s in left.items() if knows(k)}
        if not known:
            continue
        try:
            engines.append(make(known))
        except WakeWordError as error:
            refusal = error.message
        else:
            left = {k: s for k, s in left.items() if k not in known}
    if not left:
        return engines
    for engine in engines:
        engine.close()
    named = ", ".join(f'"{keyword}"' for keyword in left)
    message = (
        f"no engine listens for {named}. "
        f"Porcupine knows: {', '.join(porcupine.known_keywords()) or 'nothing on this CPU'}; "
        f"microWakeWord: {', '.join(microwakeword.known_keywords())}; "
        f"PocketSphinx: any phrase of common English words ({refusal}); "
        f"a phrase of your own: assistant wake add PHRASE"
    )
    raise ConfigError("wake.unknown_keyword", message)
