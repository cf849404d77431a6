"""YAML as plain values, read safely from untrusted files.

PyYAML expands aliases without limit (a few lines may stand for more values than fit into memory),
recurses as deep as the text nests, and lets through what Python's conversions raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MOST_VALUES = 200_000
"""Most values of one document; an alias counts as all the values that it stands for."""
DEEPEST = 100
_TOO_DEEP = f"nested more than {DEEPEST} deep"
LONGEST_NUMBER = 300
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = "tag:yaml.org,2002:int"
_TIME = "tag:yaml.org,2002:timestamp"


class YamlError(Exception):
    """A text cannot be read as YAML; the message is one line."""


def read_yaml(text: str) -> Any:
    """The values of the one document in `text`; raises `YamlError`.

    Dates stay text, which each caller reads in its own way.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        # PyYAML's own message takes five lines.
        raise YamlError(" ".join(str(error).split())) from error
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise YamlError(f"a value is not what its tag says: {type(error).__name__}") from error


def yaml_lines(text: str) -> dict[tuple[str | int, ...], int]:
    """The line, from 1, of each value of the one document in `text`, which `read_yaml` takes.

    A value is found by the keys and indices that lead to it; for that of a key it is the key's
    line. Raises `YamlError` for a key that a mapping has twice.
    """
    root = yaml.compose(text, _Loader)
    return dict(_lines(root, (), 1)) if root is not None else {}


def _lines(
    node: Node, path: tuple[str | int, ...], line: int
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    yield path, line
    if isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(item, (*path, index), item.start_mark.line + 1)
    elif isinstance(node, MappingNode):
        seen = set[str]()
        for key, value in node.value:
            if key.value in seen:
                twice = f'line {key.start_mark.line + 1}: the key "{key.value}" is there twice'
                raise YamlError(twice)
            seen.add(str(key.value))
            yield from _lines(value, (*path, str(key.value)), key.start_mark.line + 1)


class _Loader(yaml.SafeLoader):
    """A safe loader that counts the values it composes."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._values = 0
        self._sizes: dict[str, int | None] = {}
        """Anchor → the values it stands for; None while it is being composed."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        """Refuse what nests too deep at once: the scanner reads on, and looks at all of it."""
        if self.flow_level >= DEEPEST:
            mark = self.get_mark()
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, mark)
        super().fetch_flow_collection_start(token)

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            self._count(self._sizes.get(event.anchor, 1), event)
            return super().compose_node(parent, index)
        before = self._values
        self._depth += 1
        if self._depth > DEEPEST:
            raise _refused(_TOO_DEEP, event)
        self._count(1, event)
        if event.anchor:
            self._sizes[event.anchor] = None
        node = super().compose_node(parent, index)
        if event.anchor:
            self._sizes[event.anchor] = self._values - before
        if isinstance(node, ScalarNode):
            _check(node, event)
        self._depth -= 1
        return node

    def _count(self, values: int | None, event: Any) -> None:
        if values is None:
            raise _refused("an alias stands for what it is in", event)
        self._values += values
        if self._values > MOST_VALUES:
            raise _refused(f"more than {MOST_VALUES} values", event)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIME]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _check(node: ScalarNode, event: Any) -> None:
    """Refuse a value that can be read but not written again."""
    if _SURROGATE.search(node.value):
        raise _refused("an escape stands for half a character", event)
    if node.tag == _INTEGER and len(node.value) > LONGEST_NUMBER:
        raise _refused(f"a number of more than {LONGEST_NUMBER} digits", event)


def _refused(what: str, event: Any) -> yaml.YAMLError:
    return yaml.composer.ComposerError(None, None, what, event.start_mark)
