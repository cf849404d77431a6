"""Home Assistant's English vocabulary, and the user's own sentences, as claims of our grammar.

The sentences come from the package `home-assistant-intents` (CC BY 4.0, home-assistant/intents).
A time span is our `{duration}`, so that an interpretation has seconds, as skills expect.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from assistant.core.errors import InputError
from nlu.grammar.blocks import Block, ValueList, read_blocks, read_document, read_lists

_RULES = {
    "timer_duration": "{duration}",
    "timer_start": "{duration:start_duration}",
    # The package's has "my room" as well, which need not be the one where it is said.
    "here": "([in] here|[in] (this|the) (room|area|space))",
}
"""Our rules that replace the package's own: for a time span, and for the speaker's room."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Blocks of sentences, the user's first, and words that may stand anywhere in a sentence."""

    blocks: tuple[Block, ...] = ()
    skip_words: tuple[str, ...] = ()


NO_VOCABULARY = Vocabulary()


@dataclass(frozen=True)
class Package:
    """The package's vocabulary, and the rules and lists that other files may use."""

    vocabulary: Vocabulary
    rules: Mapping[str, str]
    lists: Mapping[str, ValueList]


def package_file() -> Path:
    """The file of the package's English sentences; raises ModuleNotFoundError without it."""
    return Path(str(importlib.resources.files("home_assistant_intents"))) / "data" / "en.json"


@lru_cache(maxsize=1)
def package() -> Package:
    """The package's English sentences, read once; raises `InputError` when it is not installed."""
    try:
        content = package_file().read_bytes()
    except (ModuleNotFoundError, OSError) as error:
        message = "home-assistant-intents is not installed; run `make run-set`"
        raise InputError("vocabulary.missing", message) from error
    document = read_document(msgspec.json.decode(content))
    rules = {**document.expansion_rules, **_RULES}
    lists = read_lists(document)
    blocks = tuple(read_blocks(document, rules, lists, "home-assistant-intents"))
    return Package(Vocabulary(blocks, tuple(document.skip_words)), rules, lists)


def built_in() -> Vocabulary:
    """The package's vocabulary alone."""
    return package().vocabulary
