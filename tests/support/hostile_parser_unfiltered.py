"""The hostile parsers on a kernel without seccomp, as the parsing process would find it."""

from __future__ import annotations

from assistant.answer.ingest import sandbox
from tests.support.hostile_parser import parse

__all__ = ["parse"]

sandbox._filter_calls = lambda: False
