"""A running broker, and what is closed when a test is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.mosquitto import MOSQUITTO, Mosquitto


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    if MOSQUITTO is None:
        pytest.skip("mosquitto is not installed")
    broker = Mosquitto(tmp_path, "allow_anonymous true", "max_queued_messages 0")
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack
