"""What a skill claims to understand, as values that cross a process border."""

from __future__ import annotations

import msgspec


class SlotSchema(msgspec.Struct, frozen=True, kw_only=True):
    """One slot of an intent, named as in the skill's signature.

    `kind` is one of "text", "integer", "number", "boolean", "duration", "time", "date", "datetime",
    "choice" (one of `choices`), "area", "entity" (of `domains`, all when empty). A template's
    `{name}` stands for the words of this slot; `{list:name}` names another list for it.
    """

    name: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    required: bool = True
    prompt: str = ""


class IntentSchema(msgspec.Struct, frozen=True, kw_only=True):
    """One intent: its sentences in hassil's template language and its slots.

    `fixed` are slots that hold whenever one of `sentences` matched, such as domain = light.
    """

    intent: str
    sentences: tuple[str, ...]
    slots: tuple[SlotSchema, ...] = ()
    fixed: dict[str, str] = {}
    description: str = ""


class SkillManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One skill as the rest of the chain sees it; `rules` are its own expansion rules."""

    name: str
    api: int
    intents: tuple[IntentSchema, ...]
    rules: dict[str, str] = {}
    description: str = ""
