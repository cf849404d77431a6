"""Selects the wake word engines: of the enrolled phrases, and of those that engines know."""

from __future__ import annotations

from pathlib import Path

from assistant.core.models.manifest import Library
from assistant.core.settings.hearing import WakeSettings
from audio.wake.engine import WakeWordEngine, spoken
from audio.wake.engines import check, engines_for
from audio.wake.joined import joined
from audio.wake.own.embedding import SpeechEmbedding
from audio.wake.own.listening import OwnWakeWords
from audio.wake.own.store import EnrolledPhrases


def select(
    settings: WakeSettings,
    enrolled: EnrolledPhrases | None = None,
    library: Library | None = None,
) -> WakeWordEngine:
    """What hears the keywords of the settings: the phrases that are `enrolled`, and an engine.

    The engine named in the settings hears all that are not enrolled; with "auto" each is heard by
    the first that knows it.
    `library` holds the embedding, by default what ships. Raises `ConfigError`, which for "auto"
    lists what each engine knows, and `WakeWordError` where the engine that is named cannot run.
    """
    check(settings)
    phrases = enrolled.phrases if enrolled is not None else ()
    own = {k: s for k, s in settings.keywords.items() if spoken(k) in phrases}
    others = {k: s for k, s in settings.keywords.items() if k not in own}
    engines: list[WakeWordEngine] = []
    if own and enrolled is not None:
        embedding = SpeechEmbedding(library or Library(Path()))
        engines.append(OwnWakeWords({k: enrolled.load(k) for k in own}, own, embedding))
    if others:
        engines += engines_for(settings.engine, others)
    return joined(engines)
