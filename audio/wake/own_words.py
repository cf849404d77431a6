"""The engines for "stop", and for what the assistant itself says: they follow one rule together."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from assistant.core.settings.hearing import WakeSettings
from audio.wake.engine import WakeWordEngine
from audio.wake.keyphrase import KeyPhrases

# Engines are more sensitive on the assistant's own voice than on the microphone, so that every
# echo is noticed there too: none of 24 replies then stopped itself by its echo; with the same
# sensitivity for both, 3 of 48 did.
STOP_SENSITIVITY = 0.5
OWN_STOP_SENSITIVITY = 0.9
OWN_WAKE_BONUS = 0.2


def stop_word() -> WakeWordEngine:
    """What hears "stop" in a microphone, while a reply plays."""
    return KeyPhrases({"stop": STOP_SENSITIVITY})


def own_engines(
    make: Callable[[WakeSettings], WakeWordEngine], settings: WakeSettings
) -> tuple[WakeWordEngine, ...]:
    """What hears the wake words and "stop" in what is played."""
    willing = {k: min(1.0, s + OWN_WAKE_BONUS) for k, s in settings.keywords.items()}
    wake = make(msgspec.structs.replace(settings, keywords=willing))
    return wake, KeyPhrases({"stop": OWN_STOP_SENSITIVITY})
