"""The messages between the answer process and the parsing process, as msgspec's msgpack.

Orders and reports are packets; results come through a pipe and may be longer.
"""

from __future__ import annotations

import msgspec

from assistant.answer.knowledge.passages import Document, Passage


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """To the process, with the open file and the pipe for the result."""

    name: str
    note: bool


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the process: its parsers are loaded; `refused` names the defences that it lacks."""

    refused: tuple[str, ...] = ()


class ParsingEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the process: the child is gone; a negative `status` is the signal that ended it."""

    status: int


class Parsed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From a child: what the file holds."""

    sha256: str
    document: Document
    passages: tuple[Passage, ...]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From a child: why the file could not be parsed."""

    code: str
    message: str
