"""Reads a skill's `tests.yaml`: what is said to it, turn by turn, and what must come of that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import InputError
from assistant.core.files import read_text
from assistant.core.messages import SlotValue
from assistant.core.yaml_text import YamlError, read_yaml, yaml_lines

TESTS = "tests.yaml"
MOST_BYTES = 1 << 20
CONVERSATION = "conversation"

Texts = str | tuple[str, ...]


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must come of one turn; what is unset may be anything."""

    intent: str | tuple[str, ...] | msgspec.UnsetType | None = msgspec.UNSET
    """The intents that are carried out, in order; None for none at all."""
    slots: dict[str, SlotValue] | msgspec.UnsetType = msgspec.UNSET
    """All slots of the first intent, each as its value or as the words that were said."""
    reply: Texts = ()
    """Words that the reply contains."""
    asks: bool | str | msgspec.UnsetType = msgspec.UNSET
    """Whether the reply is a question, or words that the question contains."""
    absent: Texts = ()
    """Intents that are not carried out, and words that the reply does not contain."""
    within_ms: float | msgspec.UnsetType = msgspec.UNSET
    """Most milliseconds from the words to the reply."""


class Turn(msgspec.Struct, frozen=True):
    """What is said, what must come of it, and the line of each key in the file."""

    say: str
    expected: Expected
    lines: Mapping[str, int]


class Tests(msgspec.Struct, frozen=True):
    """The conversations of one file, each of one turn or more."""

    file: Path
    conversations: tuple[tuple[Turn, ...], ...]


KEYS = ("say", *Expected.__struct_fields__)


def load_tests(folder: Path) -> Tests:
    """Read the `tests.yaml` of a folder; raises `InputError`, naming file and line."""
    file = folder / TESTS
    if not folder.is_dir():
        raise InputError("skill.missing", f"{folder}: there is no such folder")
    try:
        text = read_text(file, MOST_BYTES)
        document, lines = read_yaml(text), yaml_lines(text)
    except OSError as error:
        raise InputError("tests.unreadable", f"{file}: {error.strerror}") from error
    except (YamlError, ValueError) as error:
        raise InputError("tests.malformed", f"{file}: {error}") from error
    if not isinstance(document, list) or not document:
        raise InputError("tests.none", f"{file}: holds no list of tests, such as: - say: hello")
    reader = _Reader(file, lines)
    return Tests(file, tuple(reader.conversation(one, (n,)) for n, one in enumerate(document)))


class _Reader:
    """Turns the values of one file into tests; what is wrong is told with its line."""

    def __init__(self, file: Path, lines: Mapping[tuple[str | int, ...], int]) -> None:
        self._file, self._lines = file, lines

    def conversation(self, given: Any, path: tuple[str | int, ...]) -> tuple[Turn, ...]:
        """One test of the list: a turn alone, or a conversation of several."""
        if not isinstance(given, dict) or CONVERSATION not in given:
            return (self._turn(given, path, (*KEYS, CONVERSATION)),)
        self._check_keys(given, path, (CONVERSATION,))
        turns = given[CONVERSATION]
        there = (*path, CONVERSATION)
        if not isinstance(turns, list) or not turns:
            raise self._fault(there, "a conversation is a list of turns, such as: - say: hello")
        return tuple(self._turn(one, (*there, n), KEYS) for n, one in enumerate(turns))

    def _turn(self, given: Any, path: tuple[str | int, ...], keys: Sequence[str]) -> Turn:
        if not isinstance(given, dict):
            raise self._fault(path, "a test says something, such as: - say: hello")
        self._check_keys(given, path, keys)
        say = given.get("say")
        if "say" not in given:
            raise self._fault(path, "a test needs `say` with the words that are said")
        if not isinstance(say, str) or not say.strip():
            what = "say: needs words; put yes, no, on, off and numbers in quotes"
            raise self._fault((*path, "say"), what)
        try:
            rest = {key: value for key, value in given.items() if key != "say"}
            expected = msgspec.convert(rest, Expected)
        except msgspec.ValidationError as error:
            key = re.search(r"`\$\.(\w+)", str(error))
            where = (*path, key[1]) if key else path
            raise self._fault(where, _wrong_value(str(error))) from error
        return Turn(say, expected, dict(self._lines_of(given, path)))

    def _check_keys(
        self, given: Mapping[Any, Any], path: tuple[str | int, ...], keys: Sequence[str]
    ) -> None:
        for key in given:
            if key not in keys:
                nearest = did_you_mean(str(key), keys)
                raise self._fault((*path, str(key)), f'unknown key "{key}"; {nearest}')

    def _lines_of(
        self, given: Mapping[str, Any], path: tuple[str | int, ...]
    ) -> Iterator[tuple[str, int]]:
        yield from ((key, self._lines[(*path, key)]) for key in given)

    def _fault(self, path: tuple[str | int, ...], what: str) -> InputError:
        line = self._lines.get(path, 1)
        return InputError("tests.malformed", f"{self._file}, line {line}: {what}")


def _wrong_value(message: str) -> str:
    """The message of msgspec about a value in the words of whoever wrote the YAML."""
    what, _, where = message.partition(" - at `$.")
    quoted = "; put words in quotes" if "`str" in what and "got `array`" not in what else ""
    return f"{where.rstrip('`')}: {what}{quoted}" if where else what
