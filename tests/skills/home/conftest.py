"""Talks in a house with one of nearly everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.house import in_house
from tests.support.talking import Talk


@pytest.fixture
def house(talks: Callable[..., Talk]) -> Talk:
    return in_house(talks)


@pytest.fixture
def bridged(talks: Callable[..., Talk]) -> Talk:
    return in_house(talks, broker=True)
