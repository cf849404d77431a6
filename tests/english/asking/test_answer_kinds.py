"""A question and a text in; whether the text holds what is asked for out."""

from __future__ import annotations

import pytest

from assistant.english.asking.answer_kinds import tells_kind


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("and where is it", "It is behind the shed.", True),
        ("and where is it", "Thanks for all your help.", False),
        ("what time", "The bus leaves at 8:20.", True),
        ("what's gran's address", "Gran's address is 3 Station Road, Oxford.", True),
        ("what's gran's address", "Gran's e-mail address is gran@example.org.", False),
        ("what's gran's e-mail address", "Gran's e-mail address is gran@example.org.", True),
        ("and that", "The bus leaves at 8:20.", False),
    ],
)
def test_a_text_holds_the_kind_of_thing_that_is_asked_for(
    question: str, text: str, told: bool
) -> None:
    assert tells_kind(question, text) is told
