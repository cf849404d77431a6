"""Transcripts in, the whole message list out."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from assistant.core.messages import (
    Command,
    Complete,
    Interpretation,
    Message,
    Slot,
    Transcript,
    Word,
)
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.stage import NluStage


@pytest.fixture(scope="module")
def interpreter(templates: Templates) -> Interpreter:
    return Interpreter(templates)


@pytest.fixture
def stage(templates: Templates, interpreter: Interpreter, now: datetime) -> NluStage:
    """A stage of the test's own, to which nothing was said; its sentences are all tests'."""
    return NluStage(templates, interpreter, lambda: now)


def heard(
    text: str, *alternatives: str, confidences: tuple[float, ...] = (), revision: int = 3
) -> Transcript:
    words = tuple(
        Word(text=w, start_s=0, end_s=1, confidence=c)
        for w, c in zip(text.split(), confidences, strict=False)
    )
    return Transcript(
        utterance_id="u",
        revision=revision,
        text=text,
        words=words,
        alternatives=alternatives,
        confidence=min(confidences, default=1.0),
        ends=0.5,
    )


def complete(whole: bool) -> Complete:
    return Complete(utterance_id="u", revision=3, complete=whole)


def test_a_sentence_is_complete_and_means_a_command(stage: NluStage) -> None:
    timer = Command(
        intent="HassStartTimer",
        slots=(Slot(name="duration", value=600, raw="ten minutes"),),
    )
    text = "set a timer for ten minutes"
    assert list(stage.feed(heard(text))) == [
        complete(True),
        Interpretation(utterance_id="u", revision=3, text=text, commands=(timer,)),
    ]


def test_silence_means_nothing(stage: NluStage) -> None:
    assert list(stage.feed(heard(""))) == [
        complete(False),
        Interpretation(utterance_id="u", revision=3, text=""),
    ]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("turn off the light", True),
        ("what time is it", True),
        ("turn off the light and", False),
        ("turn off", False),
        ("set a timer", False),
        ("set a timer for ten", False),
        ("announce dinner is", False),
        ("turn off the light and what time is it", True),
        ("ten minutes", True),
        ("yes", True),
        ("who wrote hamlet", False),
    ],
)
def test_whether_a_sentence_is_complete(stage: NluStage, text: str, whole: bool) -> None:
    assert next(iter(stage.feed(heard(text)))) == complete(whole)


@pytest.mark.parametrize(("ends", "goes_on"), [(0.05, True), (0.1, False), (0.9, False)])
def test_a_whole_sentence_is_likely_to_go_on_or_not(
    stage: NluStage, ends: float, goes_on: bool
) -> None:
    said = msgspec.structs.replace(heard("turn off the light"), ends=ends)  # "in the kitchen"
    verdict = next(iter(stage.feed(said)))
    assert verdict == Complete(utterance_id="u", revision=3, complete=True, goes_on=goes_on)


def test_a_bare_answer_goes_on_as_text(stage: NluStage) -> None:
    _, interpretation = stage.feed(heard("the kitchen"))
    assert isinstance(interpretation, Interpretation)
    assert (interpretation.text, interpretation.commands) == ("the kitchen", ())


def test_what_nothing_claims_names_something_near(stage: NluStage) -> None:
    _, interpretation = stage.feed(heard("switch of the coffee machin"))
    assert isinstance(interpretation, Interpretation)
    assert "coffee machine" in interpretation.unclaimed.nearest


def test_what_was_refused_is_not_offered(stage: NluStage) -> None:
    for text in ("don't turn on the coffee machine", "she said turn on the coffee machine"):
        _, interpretation = stage.feed(heard(text))
        assert interpretation == Interpretation(utterance_id="u", revision=3, text=text)


def test_an_alternative_that_is_exact_is_taken_with_less_confidence(stage: NluStage) -> None:
    transcript = heard(
        "turn of the light",
        "turn oaf the light",
        "turn off the light",
        confidences=(0.9, 0.4, 0.8, 1),
    )
    _, interpretation = stage.feed(transcript)
    assert isinstance(interpretation, Interpretation)
    assert interpretation.text == "turn off the light"
    assert [(c.intent, c.confidence) for c in interpretation.commands] == [("HassTurnOff", 0.4)]


def test_an_alternative_with_free_text_or_without_need_is_not_taken(stage: NluStage) -> None:
    free = list(stage.feed(heard("and ounce lunch", "announce lunch")))[1]
    needless = list(stage.feed(heard("turn on the light", "turn off the light")))[1]
    answer = list(stage.feed(heard("yes", "stop")))[1]
    assert isinstance(free, Interpretation)
    assert isinstance(needless, Interpretation)
    assert isinstance(answer, Interpretation)
    assert free.commands == answer.commands == ()
    assert [c.intent for c in needless.commands] == ["HassTurnOn"]


def test_the_same_transcript_means_the_same_again(stage: NluStage) -> None:
    first: list[Message] = list(stage.feed(heard("wake me at six")))
    list(stage.feed(heard("stop")))
    assert list(stage.feed(heard("wake me at six"))) == first
    assert stage.deadline_s() is None


def test_an_expected_answer_is_whole_and_not_weighed_against_others(stage: NluStage) -> None:
    plain = heard("purple one", "what time is it")
    said = msgspec.structs.replace(plain, expected=True, ends=0.0)
    verdict, meant = stage.feed(said)
    assert verdict == complete(True)
    assert isinstance(meant, Interpretation)
    assert (meant.text, meant.commands) == ("purple one", ())
    _, other = stage.feed(plain)
    assert isinstance(other, Interpretation)
    assert other.text == "what time is it"


def unasked(text: str) -> Transcript:
    return msgspec.structs.replace(heard(text), utterance_id="after", unasked=True, at_s=5.0)


@pytest.mark.parametrize("text", ["and in the bedroom too", "no the bedroom", "what about the den"])
def test_what_goes_on_from_the_last_command_needs_no_wake_word(stage: NluStage, text: str) -> None:
    list(stage.feed(heard("turn on the light in the kitchen")))
    _, alone = stage.feed(msgspec.structs.replace(unasked(text), unasked=False))
    _, meant = stage.feed(unasked(text))
    assert isinstance(meant, Interpretation)
    assert isinstance(alone, Interpretation)
    assert meant.commands == alone.commands


def test_of_what_is_unasked_no_other_reading_is_tried(stage: NluStage) -> None:
    list(stage.feed(heard("turn on the light in the kitchen")))
    said = msgspec.structs.replace(
        heard("purple one", "and in the bedroom too"), utterance_id="after"
    )
    _, asked = stage.feed(said)
    _, meant = stage.feed(msgspec.structs.replace(said, unasked=True))
    assert isinstance(asked, Interpretation)
    assert isinstance(meant, Interpretation)
    assert (meant.commands, asked.text) == ((), "and in the bedroom too")


@pytest.mark.parametrize(
    "text",
    ["what time is it", "thanks", "who wrote hamlet", "it was all in the kitchen", "bedroom", ""],
)
def test_what_stands_for_itself_is_nobodys_business_without_one(stage: NluStage, text: str) -> None:
    list(stage.feed(heard("turn on the light in the kitchen")))
    verdict, meant = stage.feed(unasked(text))
    assert isinstance(verdict, Complete)
    assert not verdict.complete
    assert meant == Interpretation(utterance_id="after", revision=3, text="")
    _, later = stage.feed(msgspec.structs.replace(unasked("and in the bedroom too"), at_s=9.0))
    assert isinstance(later, Interpretation)
    assert later.commands  # what was not for it is forgotten


@pytest.mark.parametrize("text", ["four eight six seven", "4867", "twelve thirty four"])
def test_digits_of_a_secret_are_handed_on_unread(stage: NluStage, text: str) -> None:
    before = stage.explain("and the kitchen")
    verdict, meant = stage.feed(msgspec.structs.replace(heard(text), secret=True))
    assert verdict == complete(False)  # more digits may follow
    assert meant == Interpretation(utterance_id="u", revision=3, text=text, secret=True)
    assert stage.explain("and the kitchen") == before


def test_other_words_after_a_question_for_a_secret_are_a_command_if_surely_one(
    stage: NluStage,
) -> None:
    for text, intents in (("turn off the light", ["HassTurnOff"]), ("for to won ate pin", [])):
        _, meant = stage.feed(msgspec.structs.replace(heard(text), secret=True))
        assert isinstance(meant, Interpretation)
        assert [command.intent for command in meant.commands] == intents
        assert meant.secret
