"""The engines for "stop", and for what the assistant itself says: they follow one rule together."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.settings.hearing import WakeSettings
from audio.wake.engine import Doubt, WakeWordEngine
from audio.wake.keyphrase import KeyPhrases

# Engines are more sensitive on the assistant's own voice than on the microphone, so that every
# echo is noticed there too: none of 24 replies then stopped itself by its echo; with the same
# sensitivity for both, 3 of 48 did.
STOP_SENSITIVITY = 0.5
DOUBTED_STOP_SENSITIVITY = 0.75
DOUBTED_STOP_S = 0.8
"""Seconds up to the moment where "stop" is noticed in which it may have been said."""
OWN_STOP_SENSITIVITY = 0.9
OWN_WAKE_BONUS = 0.2


def sure_stop_word() -> KeyPhrases:
    """What hears "stop" in a microphone, while a reply plays, where nobody is asked in doubt."""
    return KeyPhrases({"stop": STOP_SENSITIVITY})


class StopWord:
    """Hears "stop" in a microphone, while a reply plays. Implements `WakeWordEngine`.

    What only a more sensitive engine notices is in doubt.
    """

    name, locates = KeyPhrases.name, KeyPhrases.locates

    def __init__(self) -> None:
        self._sure = sure_stop_word()
        self._sensitive = KeyPhrases({"stop": DOUBTED_STOP_SENSITIVITY})
        self.doubt: Doubt | None = None

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; "stop" where it was just noticed."""
        word, doubted = self._sure.process(frame), self._sensitive.process(frame)
        self.doubt = Doubt(doubted, DOUBTED_STOP_S) if doubted and not word else None
        return word

    def close(self) -> None:
        """Release the models."""
        self._sure.close()
        self._sensitive.close()


def own_engines(
    make: Callable[[WakeSettings], WakeWordEngine], settings: WakeSettings
) -> tuple[WakeWordEngine, ...]:
    """What hears the wake words and "stop" in what is played."""
    willing = {k: min(1.0, s + OWN_WAKE_BONUS) for k, s in settings.keywords.items()}
    wake = make(msgspec.structs.replace(settings, keywords=willing))
    return wake, KeyPhrases({"stop": OWN_STOP_SENSITIVITY})
