"""A generator for other processes: several sentences at once, the shortest first, none kept."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answer.generation.stage import GeneratorStage
from assistant.answer.generation.token_scheduler import LIMIT
from assistant.core.documents.messages import Phrase, Phrased
from assistant.core.messages import BargeIn, Fact, Message, StageFailed, Tick
from tests.support.slow_phrases import slow_generator


def phrase(name: str, text: str, facts: Sequence[Fact] = ()) -> Phrase:
    return Phrase(utterance_id=name, text=text, facts=tuple(facts))


def told(stage: GeneratorStage, *asked: Message) -> list[Message]:
    replies = [reply for message in asked for reply in stage.feed(message)]
    while stage.deadline_s() is not None:
        replies += stage.feed(Tick(at_s=0.0))
    return replies


def sentences(replies: list[Message]) -> list[tuple[str, str, str]]:
    return [(r.utterance_id, r.text, r.code) for r in replies if isinstance(r, Phrased)]


def test_the_shortest_is_told_first_and_each_under_its_own_name() -> None:
    asked = (phrase("long", "a b c d e f g h i j"), phrase("short", "one two"))
    replies = sentences(told(slow_generator(), *asked))
    assert replies == [("short", "ONE TWO", ""), ("long", "A B C D E F G H I J", "")]


def test_facts_are_worded_too() -> None:
    facts = [Fact(name="chance", value="ten"), Fact(name="until", value="noon")]
    assert sentences(told(slow_generator(), phrase("u", "", facts))) == [("u", "TEN NOON", "")]


def test_where_there_are_no_words_the_reason_is_told() -> None:
    asked = (phrase("u", "too long"), phrase("v", "fine"))
    assert sorted(sentences(told(slow_generator(), *asked))) == [
        ("u", "", "answer.too_long"),
        ("v", "FINE", ""),
    ]


def test_a_fault_is_one_of_its_request_alone() -> None:
    replies = told(slow_generator(), phrase("u", "broken"), phrase("v", "fine"))
    (failed,) = (reply for reply in replies if isinstance(reply, StageFailed))
    assert failed.utterance_id == "u"
    assert sentences(replies) == [("v", "FINE", "")]


def test_what_nobody_waits_for_is_not_made() -> None:
    stage = slow_generator()
    assert not told(stage, phrase("u", "a b c"), BargeIn(utterance_id="u"))
    assert sentences(told(stage, phrase("v", "fine"), BargeIn(utterance_id="u"))) == [
        ("v", "FINE", "")
    ]


def test_more_than_it_can_hold_is_told_at_once() -> None:
    stage = slow_generator()
    asked = [phrase(f"u{number}", "x") for number in range(LIMIT + 1)]
    at_once = [reply for one in asked for reply in stage.feed(one)]
    assert sentences(at_once) == [(f"u{LIMIT}", "", "answer.overloaded")]
    assert len(sentences(told(stage))) == LIMIT
