"""The hostile parsers on a kernel without seccomp, as the parsing process would find it."""

from __future__ import annotations

from assistant.answer import confinement
from tests.answer.hostile import parse

__all__ = ["parse"]

confinement._filter_calls = lambda: False
