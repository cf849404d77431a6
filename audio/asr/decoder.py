"""PocketSphinx's decoder, whose work is counted as that of a model."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pocketsphinx

from assistant.core.models.usage import Meter

_METER = Meter("pocketsphinx", version("pocketsphinx"))


class CountedDecoder(pocketsphinx.Decoder):  # type: ignore[misc]  # it has no types
    """A decoder; each piece of sound that it takes counts as a run, as does each end.

    What it makes of them afterwards, such as words with their times, is not counted.
    """

    def process_raw(self, sound: bytes, *args: Any, **options: Any) -> Any:
        """Decode the next `sound`, 16 kHz int16."""
        with _METER.run():
            return super().process_raw(sound, *args, **options)

    def end_utt(self) -> None:
        """End the utterance, with the passes that follow the first."""
        with _METER.run():
            super().end_utt()
