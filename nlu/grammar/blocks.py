"""Reads and checks blocks of sentences in Home Assistant's intent format.

The format: https://developers.home-assistant.io/docs/voice/intent-recognition/template-sentence-syntax
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from assistant.core.messages import SlotValue
from assistant.skill.manifest import Facts

_FRACTION_DIGITS = {"halves": (5,), "tenths": tuple(range(1, 10))}


class BlockError(Exception):
    """A file holds something that is no block, list or rule; the message says where."""


@dataclass(frozen=True)
class ValueList:
    """What `{list}` may stand for: `values` (words → value), `numbers`, or any words at all."""

    name: str
    values: tuple[tuple[str, SlotValue], ...] = ()
    numbers: range | None = None
    times: float | None = None
    decimals: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of slot that it fills."""
        return "number" if self.numbers is not None else "choice" if self.values else "text"


@dataclass(frozen=True)
class Block:
    """Sentences of one intent that share their slots, with all rules and lists they may name."""

    intent: str
    sentences: tuple[str, ...]
    rules: Mapping[str, str]
    lists: Mapping[str, ValueList]
    origin: str
    """The file, for messages."""
    fixed: Mapping[str, SlotValue]
    requires: Facts = ()
    excludes: Facts = ()
    area: str = ""
    """The only area where its sentences can be said, "" for any."""
    area_slot: str = ""
    keywords: frozenset[str] = frozenset()
    custom: bool = False
    """Whether the user wrote it."""

    @property
    def specific(self) -> int:
        """How many facts it fixes or requires: of two blocks that fit, the one with more wins."""
        return len(self.fixed) + len(self.requires)


class _Data(msgspec.Struct, frozen=True):
    """One entry under an intent's `data`; keys that only replies need are ignored."""

    sentences: list[str]
    slots: dict[str, SlotValue] = {}
    requires_context: dict[str, Any] = {}
    excludes_context: dict[str, Any] = {}
    expansion_rules: dict[str, str] = {}
    lists: dict[str, Any] = {}
    required_keywords: list[str] = []


class _FileIntent(msgspec.Struct, frozen=True):
    data: list[Any] = []


class SentenceFile(msgspec.Struct, frozen=True):
    """A file of intents in Home Assistant's format; other keys are ignored."""

    language: str = "en"
    intents: dict[str, _FileIntent | None] = {}
    lists: dict[str, Any] = {}
    expansion_rules: dict[str, str] = {}
    skip_words: list[str] = []


class _Range(msgspec.Struct, frozen=True):
    start: int = msgspec.field(name="from")
    stop: int = msgspec.field(name="to")
    step: int = 1
    multiplier: float | None = None
    fractions: str | None = None


class _In(msgspec.Struct, frozen=True):
    words: str = msgspec.field(name="in")
    value: SlotValue = msgspec.field(name="out", default=None)


def read_document(document: object) -> SentenceFile:
    """Convert a parsed file; raises `BlockError`."""
    found: SentenceFile = _convert(document, SentenceFile)
    return found


def read_lists(document: SentenceFile, prefix: str = "") -> dict[str, ValueList]:
    """A document's lists by name; `prefix` distinguishes them from others of the same name."""
    return _lists(document.lists, prefix)


def read_blocks(
    document: SentenceFile,
    rules: Mapping[str, str],
    lists: Mapping[str, ValueList],
    origin: str,
    custom: bool = False,
) -> Iterator[Block]:
    """The blocks of a document; raises `BlockError` that names the intent."""
    for intent, entry in document.intents.items():
        for number, given in enumerate(entry.data if entry else ()):
            try:
                data = _convert(given, _Data)
                own = _lists(data.lists, f"{origin} {intent} {number} ")
                known = {**lists, **own} if own else lists
                yield _block(intent, data, rules, known, origin, custom)
            except BlockError as error:
                raise BlockError(f"intent {intent}, block {number + 1}: {error}") from error


def _block(
    intent: str,
    data: _Data,
    rules: Mapping[str, str],
    lists: Mapping[str, ValueList],
    origin: str,
    custom: bool,
) -> Block:
    context = dict(data.requires_context)
    area = context.pop("area", None) if "area" in context else None
    requires = _facts(context)
    filled = {_slot(given, name): values[0] for name, given, values in _filling(context)}
    return Block(
        intent=intent,
        sentences=tuple(data.sentences),
        rules={**rules, **data.expansion_rules} if data.expansion_rules else rules,
        lists=lists,
        origin=origin,
        fixed={**filled, **data.slots},
        requires=requires,
        excludes=_facts(data.excludes_context),
        area=next(iter(_values(area)), ""),
        area_slot=_slot(area, "area") if "area" in data.requires_context else "",
        keywords=frozenset(data.required_keywords),
        custom=custom,
    )


def _filling(context: Mapping[str, Any]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """The values that the context itself puts into slots: `domain: {value: light, slot: true}`."""
    for name, given in context.items():
        values = _values(given)
        if len(values) == 1 and _slot(given, name):
            yield name, given, values


def _facts(context: Mapping[str, Any]) -> Facts:
    return tuple((name, values) for name, given in context.items() if (values := _values(given)))


def _values(given: Any) -> tuple[str, ...]:
    """The values that a context may have; () for any."""
    if isinstance(given, Mapping):
        given = given.get("value")
    if given is None:
        return ()
    return (
        tuple(map(str, given))
        if isinstance(given, Sequence | set) and not isinstance(given, str)
        else (str(given),)
    )


def _slot(given: Any, name: str) -> str:
    """The slot that a context's value is copied to, "" for none."""
    wanted = given.get("slot") if isinstance(given, Mapping) else None
    return wanted if isinstance(wanted, str) else name if wanted else ""


def _lists(given: Mapping[str, Any], prefix: str) -> dict[str, ValueList]:
    found = {}
    for name, definition in given.items():
        try:
            found[name] = _list(prefix + name, definition)
        except BlockError as error:
            raise BlockError(f"list {name}: {error}") from error
    return found


def _list(name: str, given: Any) -> ValueList:
    name = name.replace(":", " ")  # hassil splits at a colon
    if isinstance(given, Mapping) and "values" in given:
        values = _convert(given["values"], list[str | _In])
        return ValueList(name, tuple(_said(value) for value in values))
    if isinstance(given, Mapping) and "range" in given:
        limits = _convert(given["range"], _Range)
        if limits.step < 1 or limits.start > limits.stop:
            raise BlockError("its range is empty")
        numbers = range(limits.start, limits.stop + 1, limits.step)
        decimals = _FRACTION_DIGITS.get(limits.fractions or "", ())
        return ValueList(name, numbers=numbers, times=limits.multiplier, decimals=decimals)
    if isinstance(given, Mapping) and given.get("wildcard"):
        return ValueList(name)
    raise BlockError('it has none of "values", "range" and "wildcard: true"')


def _said(value: str | _In) -> tuple[str, SlotValue]:
    if isinstance(value, str):
        return value, value
    return value.words, value.words if value.value is None else value.value


def _convert(given: object, kind: Any) -> Any:
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise BlockError(str(error)) from error
