"""The answers that the ear is told to expect: each of them is one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.english.replies import CANCEL
from assistant.skill.reply import Ask, Choose, Confirm
from skills.likely import likely_answers
from skills.picking import pick, refuses

LIGHTS = ("Bedroom Light", "Kitchen Light")
COMMANDS = ("turn off the light in the kitchen", "turn off the fan")


@pytest.mark.parametrize("options", [LIGHTS, COMMANDS, COMMANDS[:1]])
def test_every_one_is_understood(options: tuple[str, ...]) -> None:
    for answer in likely_answers(Choose("Which one?", options)):
        assert pick(answer, options) or refuses(answer) or CANCEL.fullmatch(answer), answer


def test_an_option_is_named_by_its_own_words_and_by_its_place() -> None:
    answers = likely_answers(Choose("Which one?", LIGHTS))
    assert {"bedroom light", "the bedroom", "the kitchen one", "the first", "neither"} <= {*answers}
    assert not {"light", "the light", "the third one", "yes"} & {*answers}


def test_a_single_option_may_be_accepted() -> None:
    assert "yes please" in likely_answers(Choose("Did you mean that?", COMMANDS[:1]))


def test_what_is_typed_alone_is_not_expected() -> None:
    answers = likely_answers(Confirm("Shall I?"))
    assert {"yes", "yeah", "no", "nope", "cancel"} <= {*answers}
    assert not {"on", "off", "true", "false"} & {*answers}


def test_a_value_may_be_anything() -> None:
    assert likely_answers(Ask("For how long?", timedelta)) == ()


def test_a_long_question_has_no_end_of_answers() -> None:
    many = [f"{' '.join(f'w{n}x{m}' for m in range(20))}" for n in range(9)]
    assert len(likely_answers(Choose("Which one?", many))) == 200 + 6
