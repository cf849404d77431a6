"""Words without their endings."""

from __future__ import annotations

import pytest

from assistant.english.stems import base_verb


@pytest.mark.parametrize(
    ("gerund", "verb"),
    [
        ("turning", "turn"),
        ("setting", "set"),
        ("closing", "close"),
        ("dimming", "dim"),
        ("telling", "tell"),
        ("ring", "ring"),
        ("light", "light"),
    ],
)
def test_verbs_of_gerunds(gerund: str, verb: str) -> None:
    assert base_verb(gerund) == verb
