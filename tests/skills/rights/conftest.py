"""Conversations in a home with rules about who may what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.settings.security import SecuritySettings
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, Talk

Ruled = Callable[..., Conversation]


@pytest.fixture(scope="session")
def nlu() -> NluStage:
    """One for all, which understands commands by their parts too."""
    templates = templates_of(HOUSE)
    composed = Interpreter(templates, None, Composer(HOUSE, "kitchen"))
    return NluStage(templates, composed, lambda: EVENING)


@pytest.fixture
def ruled(talks: Callable[..., Talk], nlu: NluStage) -> Ruled:
    """Makes conversations under the rules given, with a PIN."""

    def begin(pin: str = "1234", **rules: object) -> Conversation:
        security = SecuritySettings(**rules)  # type: ignore[arg-type]
        talk = talks(home=HOUSE, security=security, pin=pin)
        return Conversation(talk, nlu, float(next(FAR_APART)))

    return begin
