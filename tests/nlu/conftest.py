"""Templates of the stand-in skills, compiled once."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from nlu.grammar.templates import Templates
from tests.support.stand_ins import COFFEE, HOME, MANIFESTS


@pytest.fixture(scope="session")
def templates() -> Templates:
    return Templates.compile((*MANIFESTS, COFFEE), HOME)


@pytest.fixture(scope="session")
def now() -> datetime:
    """A Friday evening."""
    return datetime(2026, 11, 20, 19, 0, tzinfo=ZoneInfo("Europe/Berlin"))
