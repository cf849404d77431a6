"""The sentences in a skill's `locale` folder, beside those of its code: one file a language.

en.toml    sentences that are added to those of the code
xx.toml    sentences of another language, which are checked and wait for an assistant that speaks it

Each maps an intent to its sentences: RollDice = ["let the dice decide"].
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import SkillError
from assistant.english import LANGUAGE
from assistant.skill.manifest import IntentSchema, SkillManifest
from assistant.skill.template import read_template

FOLDER = "locale"
MOST_BYTES = 100_000
"""Most bytes of one file."""
SHOWN_CHARACTERS = 100
_CODE = re.compile(r"[a-z]{2,3}")
_SUFFIX = ".toml"

Read = Callable[[Path], bytes | None]
"""Gives a file's content, or None where it may not be read."""


def with_locale(manifest: SkillManifest, folder: Path, read: Read) -> SkillManifest:
    """The manifest with what the `locale` folder in `folder` adds.

    Raises `SkillError` that names each file and intent with a fault.
    """
    faults, intents, languages = list[str](), list(manifest.intents), list[str]()
    for file in _files(folder / FOLDER):
        language, where = file.stem, f"{FOLDER}/{file.name}"
        try:
            sentences = _parsed(file, read)
        except ValueError as error:
            faults.append(f"{where}: {error}")
            continue
        wrong = [f"{where}, {fault}" for fault in _faults(sentences, manifest)]
        faults += wrong
        languages.append(language)
        if language == LANGUAGE and not wrong:
            intents = [_extended(schema, sentences, intents) for schema in intents]
    if faults:
        named = (f'skill "{manifest.name}": {fault}' for fault in faults)
        raise SkillError("skill.locale", "\n".join(named))
    others = tuple(language for language in languages if language != LANGUAGE)
    return msgspec.structs.replace(manifest, intents=tuple(intents), other_languages=others)


def with_package_locale(manifest: SkillManifest, module: str) -> SkillManifest:
    """The manifest with the `locale` folder of an imported package; a plain module has none."""
    package = sys.modules[module]
    if package.__file__ is None or not hasattr(package, "__path__"):
        return manifest
    return with_locale(manifest, Path(package.__file__).parent, Path.read_bytes)


def _files(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SkillError("skill.unreadable", f"{folder}: {error.strerror}") from error
    return [folder / name for name in names if name.endswith(_SUFFIX) and name[0] != "."]


def _parsed(file: Path, read: Read) -> dict[str, Any]:
    """The content of a file; raises `ValueError` with what is wrong with it."""
    if not _CODE.fullmatch(file.stem):
        raise ValueError("is named after no language, as en.toml and de.toml are")
    try:
        content = read(file)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    if content is None:
        raise ValueError("cannot be read; it must be a plain file in the skill's folder")
    if len(content) > MOST_BYTES:
        raise ValueError(f"has more than {MOST_BYTES} bytes")
    try:
        return tomllib.loads(content.decode())
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _faults(sentences: dict[str, Any], manifest: SkillManifest) -> Iterator[str]:
    known = dict.fromkeys(schema.intent for schema in manifest.intents)
    for intent, given in sentences.items():
        shown = intent[:SHOWN_CHARACTERS]
        schemas = [schema for schema in manifest.intents if schema.intent == intent]
        if not schemas:
            hint = f"; {did_you_mean(shown, known)}" if known else ""
            yield f"{shown}: the skill's code has no sentences for such an intent{hint}"
        elif any(schema.fixed != schemas[0].fixed for schema in schemas):
            yield f"{shown}: its sentences fix different slots, so more of them belong in the code"
        elif not isinstance(given, list) or not given or not all(isinstance(s, str) for s in given):
            yield f'{shown}: needs a list of sentences, such as {shown} = ["…"]'
        else:
            slots = {slot.name for slot in schemas[0].slots}
            for sentence in given:
                fault = _sentence_fault(sentence, slots, manifest)
                yield from (f"{shown}: {fault}",) if fault else ()


def _sentence_fault(sentence: str, slots: set[str], manifest: SkillManifest) -> str:
    named, fault = read_template(sentence, manifest.rules)
    if fault:
        return fault
    unknown = sorted(named - slots)
    return (
        f'"{sentence}" names the slot {{{unknown[0]}}}, which it does not have' if unknown else ""
    )


def _extended(
    schema: IntentSchema, sentences: dict[str, list[str]], intents: list[IntentSchema]
) -> IntentSchema:
    """A schema with the sentences for its intent, of which the first of its schemas takes all."""
    first = next(one for one in intents if one.intent == schema.intent)
    if schema is not first or schema.intent not in sentences:
        return schema
    more = (*schema.sentences, *sentences[schema.intent])
    return msgspec.structs.replace(schema, sentences=tuple(dict.fromkeys(more)))
