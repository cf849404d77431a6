"""What a satellite of Hark tells of a wake word beside its name, in the detection's context."""

from __future__ import annotations

from typing import Any

import msgspec

KEY = "hark"


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """How a wake word was noticed; a satellite that tells nothing sends no sound before it."""

    preroll_s: float = 0.0
    """Seconds of sound before the detection that come first."""
    keyword_ended_s: float = 0.0
    """Seconds before the detection at which the wake word ended."""
    clearness: float | None = None
    """Ratio of the wake word's energy to the noise, as the satellite's microphone hears them."""

    def context(self) -> dict[str, Any]:
        """The context of a detection."""
        return {KEY: msgspec.to_builtins(self)}

    @classmethod
    def of(cls, context: dict[str, Any] | None) -> Noticed:
        """What a detection's context tells; raises `msgspec.ValidationError` for another type."""
        return msgspec.convert((context or {}).get(KEY, {}), cls)
