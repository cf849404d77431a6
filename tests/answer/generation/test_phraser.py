"""Facts in, the generator's words or none out; and words of a generator that is not there."""

from __future__ import annotations

import pytest

from assistant.answer.generation.fact_check import added, alike, unnamed
from assistant.answer.generation.generator import GenerationBudget, Generator
from assistant.answer.generation.phraser import FAILURES_TO_REST, RESTS, Phraser
from assistant.answer.generation.prompt import Notation
from assistant.core.degraded import Degraded
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Fact
from tests.support.simpler import Switched
from tests.support.tiny_decoder import Scripted, tokenizer


class Shelf:
    """Where the generator should be."""

    def __init__(self) -> None:
        self.asked = 0

    def load(self) -> Generator:
        self.asked += 1
        raise ModelError("model.corrupt", "model.onnx is corrupt")


def test_a_generator_that_cannot_be_loaded_costs_no_answer() -> None:
    shelf = Shelf()
    phraser = Phraser(shelf.load)
    with pytest.raises(AnswerError, match="corrupt"):
        phraser.phrase("how long?", "It is covered for two years.", "Kettle")
    assert phraser.word([Fact(name="minutes", value="5")], "how long", "TimeLeft") == ""


def test_it_is_not_looked_for_at_every_question() -> None:
    shelf = Shelf()
    phraser = Phraser(shelf.load)
    for _ in range(RESTS + 2):
        with pytest.raises(AnswerError):
            phraser.phrase("how long?", "It is covered for two years.", "Kettle")
    assert shelf.asked == 2


CALLS = {"missed calls": "4", "last caller": "Ines"}
RAIN = {"chance": "16 percent", "from": "7:40", "until": "8:43"}
DOG = {"name": "Rex", "walked": "12:05"}


@pytest.mark.parametrize(
    ("facts", "wish", "worded"),
    [
        (CALLS, "You missed 4 calls, the last from Ines.", True),
        # A value left out, a word that no fact holds, a name that is not said.
        (CALLS, "You missed 4 calls.", False),
        (CALLS, "You missed 4 calls, the last from Ines in tears.", False),
        (DOG, "Rex is 12:05.", False),
        (DOG, "Rex was walked at 12:05.", True),
        # Two times might have been put in each other's place, whatever is said.
        (RAIN, "The chance is 16 percent from 7:40 until 8:43.", False),
        (RAIN, "The chance is 16 percent from 8:43 until 7:40.", False),
    ],
)
def test_facts_are_worded_only_as_what_they_are(
    facts: dict[str, str], wish: str, worded: bool
) -> None:
    notation = Notation(tokenizer([wish, " ".join(facts.values())] * 3))
    generator = Generator(Scripted(notation, wish, score=50.0), notation)
    given = [Fact(name=name, value=value) for name, value in facts.items()]
    assert Phraser(lambda: generator).word(given, "", "") == (wish if worded else "")


def test_words_that_the_model_was_forced_to_are_not_spoken() -> None:
    wish = "You missed 4 calls, the last from Ines."
    notation = Notation(tokenizer([wish] * 3))
    model = Scripted(notation, wish, score=5.0)
    phraser = Phraser(lambda: Generator(model, notation))
    given = [Fact(name=name, value=value) for name, value in CALLS.items()]
    # It is no failure after which the generator rests.
    assert [phraser.word(given, "", "") for _ in range(FAILURES_TO_REST)] == [""] * FAILURES_TO_REST
    model.score = 50.0
    assert phraser.word(given, "", "") == wish


def test_sentences_that_are_too_long_for_the_budget_are_no_reason_to_rest() -> None:
    text = "It is covered for two years."
    notation = Notation(tokenizer([text] * 3))
    generator = Generator(Scripted(notation, text), notation)
    phraser = Phraser(lambda: generator, GenerationBudget(tokens=2))
    for _ in range(FAILURES_TO_REST + 1):
        with pytest.raises(AnswerError) as unfinished:
            phraser.phrase("how long?", text, "Kettle", "two years")
        assert unfinished.value.code == "answer.unfinished"
    hasty = Phraser(lambda: generator, GenerationBudget(seconds=0.0))
    codes = []
    for _ in range(FAILURES_TO_REST + 1):
        with pytest.raises(AnswerError) as unfinished:
            hasty.phrase("how long?", text, "Kettle", "two years")
        codes.append(unfinished.value.code)
    assert codes == ["answer.unfinished"] * FAILURES_TO_REST + ["answer.resting"]


@pytest.mark.parametrize(
    ("values", "look_alike"),
    [
        (["7:40 am", "9 pm"], True),
        (["16 percent", "5 hours"], True),
        (["$237", "4"], True),
        (["Ines Holm", "Rex"], True),
        (["3 May", "Friday"], True),
        (["3 May", "9 pm", "4 degrees", "Ines", "cloudy"], False),
    ],
)
def test_values_of_one_look_are_alike(values: list[str], look_alike: bool) -> None:
    assert alike(values) is look_alike


def test_words_in_other_endings_are_the_same_and_binding_words_add_nothing() -> None:
    assert added("It was walked at the parks.", ["walking", "park"]) == []
    assert added("It was not walked far.", ["walk"]) == ["not", "far"]
    assert unnamed("The last calls are 4.", ["missed calls", "last caller", "time"]) == []
    assert unnamed("Ines was 4.", ["last caller", "name"]) == ["last caller"]


def test_the_generator_rests_on_the_simpler_path() -> None:
    wish, simpler = "You missed 4 calls, the last from Ines.", Switched()
    notation = Notation(tokenizer([wish] * 3))
    model = Scripted(notation, wish, score=50.0)
    faults = Degraded("answer", simpler.path)
    phraser = Phraser(lambda: Generator(model, notation), faults=faults)
    given = [Fact(name=name, value=value) for name, value in CALLS.items()]
    simpler.on()
    assert phraser.word(given, "", "") == ""
    with pytest.raises(AnswerError, match="simpler"):
        phraser.phrase("who called?", wish, "Calls")
    simpler.off()
    assert phraser.word(given, "", "") == wish
