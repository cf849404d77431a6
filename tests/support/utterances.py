"""Utterances as the listener tells of them."""

from __future__ import annotations

import msgspec

from assistant.core.messages import Utterance

_USUAL = Utterance(
    utterance_id="u",
    revision=0,
    wake_word="computer",
    duration_s=2.0,
    speech_s=1.5,
    speech_ended_at_s=10.0,
)


def utterance(name: str = "u", **changes: object) -> Utterance:
    """An utterance after the wake word, with other fields where `changes` has them."""
    return msgspec.structs.replace(_USUAL, utterance_id=name, **changes)
