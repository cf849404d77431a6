"""The built-in skills, and what is compiled of their sentences, made once a process."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from functools import cache

import msgspec
import pytest

from assistant.core.speakable import NO_NAMES, GivenNames, Speakable
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import NO_VOCABULARY, built_in
from skills.registry import Registry, load_registry

_compiled: dict[tuple[bytes, bool], Templates] = {}


@cache
def _loaded() -> Registry:
    return load_registry()


def built_in_skills() -> Registry:
    """The built-in skills, to which others can be added, and which a stage can bind to itself."""
    registry = copy(_loaded())
    for name, value in vars(registry).items():
        if isinstance(value, dict):
            setattr(registry, name, dict(value))
    return registry


def manifests() -> tuple[SkillManifest, ...]:
    """The manifests of the built-in skills."""
    return _loaded().manifests


def templates_of(home: Home, *, vocabulary: bool = False) -> Templates:
    """The sentences of the built-in skills in a home, with Home Assistant's where wanted."""
    key = msgspec.msgpack.encode(home), vocabulary
    if key not in _compiled:
        words = built_in() if vocabulary else NO_VOCABULARY
        _compiled[key] = Templates.compile(manifests(), home, words)
    return _compiled[key]


def speakable_of(
    skills: Collection[str],
    home: Home,
    names: GivenNames = NO_NAMES,
) -> Speakable:
    """What may be said to some built-in skills, by a tenth of the sentences that the ear gets."""
    templates = Templates.compile([one for one in manifests() if one.name in skills], home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nlu.grammar.templates.SPEAKABLE_SENTENCES", 2_000)
        return templates.speakable(names)
