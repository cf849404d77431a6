"""What may be said, from fewer draws than recognition is given: they tell as much, sooner."""

from __future__ import annotations

import pytest

from assistant.core.speakable import Speakable
from tests.support.grammars import templates_of
from tests.support.stand_ins import HOME


@pytest.fixture(scope="session")
def said() -> Speakable:
    """A tenth of the sentences that recognition is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nlu.speakable.speakable._MOST_DRAWN", 40)
        patch.setattr("nlu.speakable.speakable._SHORT_DRAWN", 20)
        patch.setattr("nlu.grammar.templates.SPEAKABLE_SENTENCES", 2_000)
        return templates_of(HOME, vocabulary=True).speakable()
