"""The messages about versions of models."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from assistant.core.parts import Control


class Replace(Control, frozen=True, kw_only=True):
    """A request that `stage` run `version` of `model`, if sound, from between two utterances on."""

    stage: str
    model: str
    version: str
    share: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """The share of utterances that it reads on trial beside the version in use; 0 for all."""
    utterances: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    """How many utterances a trial compares."""


class Replaced(Control, frozen=True, kw_only=True):
    """`stage` runs that version of the model, or `error` says why it kept the one it had."""

    stage: str
    model: str
    version: str
    error: str = ""
    share: float = 0.0
    """As in Replace."""


class Tried(Control, frozen=True, kw_only=True):
    """The trial of that version has ended: `stage` runs it from now on, or the one it had."""

    stage: str
    model: str
    version: str
    taken: bool
    reason: str
    """Figures, and no words of the user."""


class ModelUse(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one version of a model has used in a process since that began."""

    model: str
    version: str
    cpu_s: Annotated[float, Meta(ge=0)]
    """Processor time in seconds."""
    runs: Annotated[int, Meta(ge=0)]
    """How often it was run."""


class ModelsUsed(Control, frozen=True, kw_only=True):
    """What the models of the process of `stage` have used, in all; one that is lost costs nothing.

    Where several stages share a process, one of them tells of all.
    """

    stage: str
    began_s: float
    """When the process began, on CLOCK_BOOTTIME; another one counts from nothing."""
    models: tuple[ModelUse, ...]
