"""The messages about versions of models."""

from __future__ import annotations

from assistant.core.parts import Control


class Replace(Control, frozen=True, kw_only=True):
    """A request that `stage` run `version` of `model`, if sound, from between two utterances on."""

    stage: str
    model: str
    version: str


class Replaced(Control, frozen=True, kw_only=True):
    """`stage` runs that version of the model, or `error` says why it kept the one it had."""

    stage: str
    model: str
    version: str
    error: str = ""
