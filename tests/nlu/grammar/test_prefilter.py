"""No sentence that matches is ever passed over, and few that cannot are looked at."""

from __future__ import annotations

import pytest
from hassil.recognize import recognize_all

from nlu.grammar.grammar import compile_grammar, with_vocabulary
from nlu.grammar.labelled import labelled
from nlu.grammar.prefilter import Prefilter
from nlu.grammar.vocabulary import built_in
from nlu.text.canonical import canonical
from tests.nlu.grammar.test_vocabulary import HOME
from tests.support.grammars import manifests, templates_of
from tests.support.stand_ins import MANIFESTS

GRAMMAR = with_vocabulary(compile_grammar(MANIFESTS, HOME), MANIFESTS, HOME, built_in())
CANDIDATES = Prefilter(GRAMMAR.claims, GRAMMAR.lists)


def found(text: str, candidates: Prefilter) -> set[str]:
    intents = candidates.intents(text)
    if intents is None:
        return set()
    return {
        f"{result.intent.name} {[(e.name, e.text) for e in result.entities_list]}"
        for result in recognize_all(text, intents)
    }


class Everything(Prefilter):
    """Passes nothing over."""

    def _holds(self, text: str, part: str, known: dict[str, bool]) -> bool:
        return True


class Hasty(Prefilter):
    """Control: takes the values of lists for words."""

    def _holds(self, text: str, part: str, known: dict[str, bool]) -> bool:
        return part in text


def test_nothing_that_matches_is_lost() -> None:
    everything, hasty = (one(GRAMMAR.claims, GRAMMAR.lists) for one in (Everything, Hasty))
    texts = [canonical(one.text).text for one in labelled(GRAMMAR, 12, seed=3)]
    wanted = {text: found(text, everything) for text in texts}
    assert sum(map(bool, wanted.values())) > 0.9 * len(texts)
    assert {text: found(text, CANDIDATES) for text in texts} == wanted
    assert {text: found(text, hasty) for text in texts} != wanted


def test_a_word_in_place_of_a_lists_value_is_enough() -> None:
    templates = templates_of(HOME)
    assert [m.intent for m in templates.match("get me a taxi early")] == ["CallTaxi"]


def test_a_part_of_a_text_may_begin_and_end_anywhere() -> None:
    text = "well is pet door closed now then"
    assert CANDIDATES.may_hold(text)
    assert CANDIDATES.intents(text) is None
    assert CANDIDATES.intents("is pet door closed") is not None
    assert CANDIDATES.intents("is pet door closed .") is not None  # hassil leaves the dot out


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("is pet door closed", 5),
        ("turn on lights", 10),
        ("i was thinking of dragons", 5),
        ("start rover in kitchen", 10),
    ],
)
def test_few_sentences_are_looked_at(text: str, most: int) -> None:
    intents = CANDIDATES.intents(text)
    looked_at = 0
    if intents is not None:
        looked_at = sum(len(d.sentences) for i in intents.intents.values() for d in i.data)
    assert looked_at <= most
    assert sum(len(claim.bound) for claim in GRAMMAR.claims) > 700


def test_words_without_a_sentence_have_no_candidates() -> None:
    assert CANDIDATES.intents("xyzzy") is None
    assert CANDIDATES.intents("") is None


@pytest.mark.parametrize(
    ("text", "holds"), [("dragons", False), ("ten dragons", False), ("2 dragons hours", True)]
)
def test_a_duration_needs_a_word_for_one(text: str, holds: bool) -> None:
    grammar = compile_grammar(manifests(), HOME)
    candidates = Prefilter(grammar.claims, grammar.lists)
    assert candidates._holds(text, "{duration}", {}) is holds
