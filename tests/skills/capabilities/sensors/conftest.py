"""Talks with the skills beside the sensors of a plant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.sensing import PLANT
from tests.support.talking import Talk

SILENCE_S = 60.0


@pytest.fixture
def watching(talks: Callable[..., Talk]) -> Callable[..., Talk]:
    """Makes talks in which nobody has spoken for a while."""

    def begin(**settings: object) -> Talk:
        talk = talks(**{"sensors": PLANT, **settings})
        talk.wait(1.0)
        talk.wait(SILENCE_S)
        return talk

    return begin
