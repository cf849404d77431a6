"""microWakeWord: four keywords, half a per cent of a core, any x86-64 or aarch64 board."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures, Model

from assistant.core.errors import WakeWordError
from audio.frames import FRAME_S
from audio.wake.engine import spoken, unknown

USUAL_SENSITIVITY = 0.7
REFRACTORY_S = 1.0

MODELS = {model.value.replace("_", " "): model for model in Model}


class MicroWakeWords:
    """Keyword → sensitivity from 0 to 1, where 0.7 is the cutoff that the model was made with."""

    name = "microwakeword"
    locates = True
    doubt = None

    def __init__(self, keywords: Mapping[str, float]) -> None:
        missing = unknown(keywords, MODELS)
        if missing:
            known = ", ".join(sorted(MODELS))
            message = f'microWakeWord does not know "{missing[0]}"; it knows {known}'
            raise WakeWordError("wake.unknown_keyword", message)
        self._features = MicroWakeWordFeatures()
        self._models = {k: _load(k, sensitivity) for k, sensitivity in keywords.items()}
        self._resting_s = 0.0

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""
        self._resting_s = max(0.0, self._resting_s - FRAME_S)
        found = None
        for features in self._features.process_streaming(frame.tobytes()):
            for keyword, model in self._models.items():
                if model.process_streaming(features):
                    found = keyword
        # The probability stays high for some frames after the word.
        if found is None or self._resting_s > 0:
            return None
        self._resting_s = REFRACTORY_S
        return found

    def close(self) -> None:
        """Release the models."""
        for model in self._models.values():
            model.close()


def known_keywords() -> tuple[str, ...]:
    """The phrases that the package has models for."""
    return tuple(sorted(MODELS))


def _load(keyword: str, sensitivity: float) -> MicroWakeWord:
    try:
        model = MicroWakeWord.from_builtin(MODELS[spoken(keyword)])
    except (OSError, ValueError) as error:
        message = f"microWakeWord cannot start on this machine: {error}"
        raise WakeWordError("wake.microwakeword", message) from error
    doubt = (1 - model.probability_cutoff) * sensitivity / USUAL_SENSITIVITY
    model.probability_cutoff = max(0.0, 1 - doubt)
    return model
