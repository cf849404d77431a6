"""Talks with the skills about the sensors of a plant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.sensing import PLANT
from tests.support.talking import Talk


@pytest.fixture
def watching(talks: Callable[..., Talk]) -> Talk:
    """A talk on which nobody has spoken for a while."""
    talk = talks(home=HOUSE, sensors=PLANT)
    talk.wait(1.0)
    talk.at_s += 60.0
    return talk


@pytest.fixture
def say(watching: Talk, nlu: NluStage) -> Conversation:
    return Conversation(watching, nlu, float(next(FAR_APART)))
