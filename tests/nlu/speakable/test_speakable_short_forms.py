"""What is said in few words, for the recogniser's second network."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.core.messages import Interpretation, Transcript
from assistant.core.speakable import Speakable
from nlu.grammar.grammar import compile_grammar
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.speakable.composed import ELLIPSES
from nlu.speakable.sampling import Sampler
from nlu.stage import NluStage
from tests.support.grammars import speakable_of, templates_of
from tests.support.stand_ins import HOME


@pytest.fixture(scope="module")
def templates() -> Templates:
    return templates_of(HOME, vocabulary=True)


@pytest.mark.parametrize("words", ["off again", "cancel it", "another one", "as long", "and "])
def test_short_forms_of_skills_and_ellipses_can_be_heard(said: Speakable, words: str) -> None:
    assert any(words in form for form in said.short)


def test_they_are_short_and_apart_from_the_sentences(said: Speakable) -> None:
    assert max(len(form.split()) for form in said.short) <= 6
    assert len(said.short.keys() & said.sentences.keys()) < len(said.short) / 4
    assert all(often > 0.0 for often in said.short.values())


def test_a_skill_alone_has_none() -> None:
    assert not speakable_of({"timer"}, HOME).short


def test_most_ellipses_are_understood_after_a_command(templates: Templates, now: datetime) -> None:
    nlu = NluStage(templates, Interpreter(templates, None, Composer(HOME)), lambda: now)
    grammar = compile_grammar([ELLIPSES], HOME)
    drawn = [form for some in Sampler(grammar, grammar.claims, 1).draw_each(15) for form in some]
    understood = [_understood(nlu, form, str(number)) for number, form in enumerate(drawn)]
    assert sum(understood) >= 0.8 * len(understood)
    assert not _understood(nlu, "the old man went to the river", "talk")  # the control


COMMANDS = ("set the ceiling light to fifty percent", "open the garage door")


def _understood(nlu: NluStage, form: str, name: str) -> bool:
    """Whether a form is understood after one of some commands."""
    for first in COMMANDS:
        meant = []
        for number, words in enumerate((first, form)):
            said = Transcript(
                utterance_id=f"{name} {first} {number}", revision=0, text=words, at_s=number
            )
            meant += [m for m in nlu.feed(said) if isinstance(m, Interpretation)]
        if meant[-1].commands:
            return True
    return False
