"""Which wake word engine serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.core.config import Wake
from assistant.core.errors import WakeWordError
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


def select(settings: Wake) -> WakeWordEngine:
    """The engine of the settings; "auto" takes the first of `ENGINES` that knows all keywords.

    Raises `WakeWordError`, which for "auto" tells what each engine knows.
    """
    if not settings.keywords:
        raise WakeWordError("wake.no_keyword", "wake.keywords names no keyword")
    for keyword, sensitivity in settings.keywords.items():
        if not 0 <= sensitivity <= 1:
            message = f'wake.keywords: the sensitivity of "{keyword}" must lie from 0 to 1'
            raise WakeWordError("wake.sensitivity", message)
    if settings.engine == "auto":
        return _first_able(settings.keywords)
    if settings.engine not in ENGINES:
        message = f'wake.engine "{settings.engine}" is none of auto, {", ".join(ENGINES)}'
        raise WakeWordError("wake.unknown_engine", message)
    return ENGINES[settings.engine](settings.keywords)


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
    raise WakeWordError("wake.unknown_keyword", message)
