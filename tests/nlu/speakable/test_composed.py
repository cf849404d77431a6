"""What the mind composes of its parts: the ear knows it, and the mind does."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.core.messages import Interpretation, Transcript
from assistant.core.speakable import Speakable
from assistant.skill.home import Area, Entity, Home
from nlu.grammar.grammar import compile_grammar
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.speakable.composed import COMPOSED
from nlu.speakable.sampling import Sampler
from nlu.stage import NluStage
from tests.support.grammars import templates_of

HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Hall", id="hall")),
    entities=(
        Entity(name="Ceiling Light", id="light.ceiling", area="kitchen"),
        Entity(name="Floor Lamp", id="light.floor", area="hall"),
        Entity(name="Wall Lamp", id="light.wall", area="hall"),
        Entity(name="Thermostat", id="climate.hall", area="hall"),
        Entity(name="Blinds", id="cover.blinds", area="kitchen"),
        Entity(name="TV", id="media_player.tv", area="hall"),
    ),
)


@pytest.fixture(scope="module")
def templates() -> Templates:
    return templates_of(HOME, vocabulary=True)


def test_most_of_what_is_composed_is_understood(templates: Templates, now: datetime) -> None:
    """Not all: "make the blinds louder" is drawn, too, and there are no models here."""
    nlu = NluStage(templates, Interpreter(templates), lambda: now)
    grammar = compile_grammar([COMPOSED], HOME)
    drawn = Sampler(grammar, grammar.claims, seed=1).draw_each(10)
    understood = [
        _is_understood(nlu, text, 1000.0 * number)
        for number, text in enumerate(text for texts in drawn for text in texts)
    ]
    assert len(understood) == 10 * len(COMPOSED.intents)
    assert sum(understood) >= 0.6 * len(understood)


def _is_understood(nlu: NluStage, text: str, at_s: float) -> bool:
    """Whether there is a command in a text, or one for the skill that knows, and no name alone."""
    said = Transcript(utterance_id=text, revision=0, text=text, at_s=at_s)
    (meant,) = (m for m in nlu.feed(said) if isinstance(m, Interpretation))
    known = [one for commands in meant.conditional for one in commands]
    return any(command.intent != "RunRoutine" for command in (*meant.commands, *known))


@pytest.mark.parametrize(
    "words",
    ["except", "a bit", "did i leave", "are any lights", "the heating", "but not"],
)
def test_the_ear_knows_it(said: Speakable, words: str) -> None:
    assert any(words in sentence for sentence in said.sentences)


def test_contractions_are_made_and_no_other(said: Speakable) -> None:
    text = " ".join(said.sentences)
    assert all(short in text for short in ("what's", "where's", "don't", "i'm", "it's"))
    assert "i've got to" not in text
    assert not any(sentence.endswith(("what's", "it's", "i'm")) for sentence in said.sentences)


@pytest.mark.parametrize(
    ("value", "beside"),
    [("to do", "packing"), ("christmas", "my birthday"), ("london", "new york"), ("mum", "dad")],
)
def test_what_stands_in_a_slot_of_free_text_is_of_its_sort(
    said: Speakable, value: str, beside: str
) -> None:
    assert any(value in values and beside in values for values in said.classes.values())
