"""Sentences with their meaning, from files in the format of Home Assistant's intent tests.

In addition, a test of our own has one `sentence` and a list of `commands`, each an intent with its
slots, in the order in which they must be carried out; [] where none may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import InputError
from assistant.core.messages import SlotValue
from assistant.core.yaml_text import YamlError, read_yaml
from assistant.skill.home import Home, read_home

FIXTURES = "_fixtures.yaml"
_EXTENDED = ("floors", "areas", "entities")

Wanted = SlotValue | list[SlotValue]


class WantedCommand(msgspec.Struct, frozen=True):
    """A command that a test expects; `intent` is "" where any will do.

    A list of values for a slot means any of them.
    """

    intent: str = ""
    slots: Mapping[str, Wanted] = {}


class HomeTestCase(msgspec.Struct, frozen=True):
    """Sentences that mean the same commands; `area` is where the speaker is, "" for unknown.

    `kind` describes the sentence of a test of our own, such as "corrected".
    """

    sentences: tuple[str, ...]
    commands: tuple[WantedCommand, ...]
    area: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Suite:
    """The cases of one file, and the home that they are about."""

    path: Path
    home: Home
    cases: tuple[HomeTestCase, ...]


class _TestIntent(msgspec.Struct, frozen=True):
    name: str = ""
    slots: dict[str, Wanted] | None = None
    context: dict[str, Any] | None = None


class _Test(msgspec.Struct, frozen=True):
    sentences: list[str] | str | None = None
    intent: _TestIntent | None = None
    slots: dict[str, Wanted] | None = None
    context: dict[str, Any] | None = None
    sentence: str | None = None
    commands: list[WantedCommand] | None = None
    kind: str = ""

    def __post_init__(self) -> None:
        ours = self.sentence is not None and self.commands is not None
        if ours == (self.sentences is not None):
            raise ValueError("a test needs `sentences`, or else a `sentence` with its `commands`")


class _TestFile(msgspec.Struct, frozen=True):
    tests: list[_Test]


def load_suites(path: Path, home: Path | None = None) -> list[Suite]:
    """The suites of one file, or of every YAML file in a folder and below, by name.

    Each file's own floors, areas and devices extend those of the `_fixtures.yaml` beside it or
    above it, or else those of the file `home`. Raises `InputError` for a path that is missing, is
    no YAML, or holds no sentence at all.
    """
    if not path.exists():
        raise InputError("sentences.missing", f"{path}: no such file or folder")
    suffixes = (".yaml", ".yml")
    found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in suffixes)
    fixtures: dict[Path | None, Mapping[str, Any]] = {None: {}}
    suites = []
    for file in (f for f in found if f.name != FIXTURES):
        beside = _fixtures_of(file, path) or home
        if beside not in fixtures:
            fixtures[beside] = _read(beside) if beside else {}
        suites.append(_suite(file, fixtures[beside]))
    if not any(case.sentences for suite in suites for case in suite.cases):
        raise InputError("sentences.none", f"{path}: holds no test sentence")
    return suites


def _fixtures_of(file: Path, root: Path) -> Path | None:
    """The fixtures beside a file, or above it up to `root`."""
    for folder in file.parents:
        if (folder / FIXTURES).is_file():
            return folder / FIXTURES
        if folder in (root, root.parent):
            return None
    return None


def _read(file: Path) -> Mapping[str, Any]:
    try:
        document = read_yaml(file.read_text("utf-8"))
    except OSError as error:
        raise InputError("sentences.unreadable", f"{file}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError) as error:
        raise InputError("sentences.malformed", f"{file}: {error}") from error
    if not isinstance(document, Mapping):
        raise InputError("sentences.malformed", f"{file}: is no mapping with a list of tests")
    return document


def _suite(file: Path, fixtures: Mapping[str, Any]) -> Suite:
    document = _read(file)
    try:
        tests = msgspec.convert(document, _TestFile).tests
    except msgspec.ValidationError as error:
        raise InputError("sentences.malformed", f"{file}: {error}") from error
    home = read_home({part: _extended(part, fixtures, document) for part in _EXTENDED}, str(file))
    return Suite(file, home, tuple(_case(test) for test in tests))


def _extended(part: str, fixtures: Mapping[str, Any], document: Mapping[str, Any]) -> list[Any]:
    """The fixtures' list followed by the file's own, which replaces entries with the same id."""
    own, common = (given.get(part) or [] for given in (document, fixtures))
    if not isinstance(own, list) or not isinstance(common, list):
        return [own]  # refused, by name, as no list of them
    ids = {x["id"] for x in own if isinstance(x, Mapping) and "id" in x}
    return [*(x for x in common if not isinstance(x, Mapping) or x.get("id") not in ids), *own]


def _case(test: _Test) -> HomeTestCase:
    if test.sentences is None:
        return HomeTestCase((test.sentence or "",), tuple(test.commands or ()), kind=test.kind)
    wanted = test.intent or _TestIntent()
    slots = wanted.slots if wanted.slots is not None else test.slots or {}
    contexts = (wanted.context or {}, test.context or {})
    area = next((context["area"] for context in contexts if context.get("area")), "")
    return HomeTestCase(
        sentences=tuple([test.sentences] if isinstance(test.sentences, str) else test.sentences),
        commands=(WantedCommand(wanted.name, slots),),
        area=str(_plain(area)),
        kind=test.kind,
    )


def _plain(value: Any) -> Any:
    return value.get("value", "") if isinstance(value, Mapping) else value


def sentences(suites: list[Suite]) -> Iterator[tuple[Suite, HomeTestCase, str]]:
    """Every sentence with its case and suite."""
    for suite in suites:
        for case in suite.cases:
            for sentence in case.sentences:
                yield suite, case, sentence
