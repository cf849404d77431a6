"""Whose models are taken, and what they run on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection


class ModelsSettings(SettingsSection, frozen=True, kw_only=True):
    """Whose models are taken, and what they run on."""

    roots: str = ""
    """File of the three root public keys, in minisign's format, that vouch for who may sign models;
    "" for those that came with the assistant, if any did."""
    providers: tuple[Annotated[str, Meta(pattern="^[A-Za-z0-9_]+$")], ...] = ("cpu",)
    """What the models of onnxruntime run on, tried in this order before the CPU: "cuda", "tensorrt"
    or another execution provider of the installed onnxruntime. `assistant doctor` says which there
    are and which is quickest."""
