"""Sentences in, a network out that can say them and ends where they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.constrained.word_network import WordNetwork, compile_network

SENTENCES = ("turn on the light", "turn off the light", "turn on the fan", "stop")
MANY_GO_ON = tuple(f"verb{n} {word}" for n in range(30) for word in ("on", f"word{n}"))


def network_of(*sentences: str, prefixes: Sequence[str] = ()) -> WordNetwork:
    """The network of sentences that are each said as often as they come."""
    return compile_network(Counter(sentences), prefixes)


def can_say(network: WordNetwork, sentence: str) -> bool:
    states = closure(network, {network.start})
    for word in sentence.split():
        after = {a.target for a in network.arcs if a.source in states and a.word == word}
        states = closure(network, after)
    return network.final in states


def closure(network: WordNetwork, states: set[int]) -> set[int]:
    while True:
        more = {a.target for a in network.arcs if a.source in states and not a.word} - states
        if not more:
            return states
        states = states | more


@pytest.mark.parametrize("sentence", [*SENTENCES, "turn off the fan"])
def test_it_says_the_sentences_and_what_their_word_pairs_allow(sentence: str) -> None:
    assert can_say(network_of(*SENTENCES), sentence)


@pytest.mark.parametrize("sentence", ["", "turn", "turn on the", "light", "stop the light"])
def test_it_says_nothing_else(sentence: str) -> None:
    assert not can_say(network_of(*SENTENCES), sentence)


def test_a_prefix_may_stand_before_a_sentence_and_need_not() -> None:
    network = network_of(*SENTENCES, prefixes=["hey jarvis"])
    assert can_say(network, "hey jarvis stop")
    assert can_say(network, "stop")
    assert not can_say(network, "hey jarvis")


def test_the_order_of_the_sentences_is_of_no_account() -> None:
    assert network_of(*SENTENCES) == network_of(*SENTENCES[::-1])


def test_states_with_the_same_continuations_are_one() -> None:
    one, two = network_of("set a timer"), network_of("set a timer", "start a timer")
    assert one.states == two.states == 5
    assert len(two.arcs) == len(one.arcs) + 1


def test_what_is_said_more_often_is_likelier() -> None:
    network = compile_network({"go on": 0.5, "stop": 1.5})
    likely = {a.word: a.probability for a in network.arcs if a.source == network.start}
    assert likely == {"go": pytest.approx(0.25), "stop": pytest.approx(0.75)}


def test_without_a_word_there_is_no_model() -> None:
    with pytest.raises(ValueError, match="at least one sentence"):
        network_of("", "  ")


words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5).map(" ".join)


@given(st.lists(words, min_size=1, max_size=20))
def test_every_sentence_can_be_said_and_each_state_shares_out_one(sentences: list[str]) -> None:
    network = network_of(*sentences)
    assert all(can_say(network, sentence) for sentence in sentences)
    for state in range(network.states):
        leaving = [arc.probability for arc in network.arcs if arc.source == state]
        assert not leaving or sum(leaving) == pytest.approx(1.0)


def test_the_fsg_text_lists_every_arc() -> None:
    network = network_of("stop")
    lines = network.fsg().splitlines()
    assert lines[0].startswith("FSG_BEGIN")
    assert lines[-1] == "FSG_END"
    assert sum(line.startswith("TRANSITION") for line in lines) == len(network.arcs)


NAMES = {"@": {"lamp": 1.0, "floor light": 1.0, "floor fan": 2.0, "floor": 1.0}}


@pytest.mark.parametrize("name", NAMES["@"])
def test_every_value_stands_where_its_class_does(name: str) -> None:
    network = network_of("turn on the @", "turn off the @ now").expanded(NAMES)
    assert can_say(network, f"turn on the {name}")
    assert can_say(network, f"turn off the {name} now")
    assert not can_say(network, f"{name} now")
    assert not network.words & NAMES.keys()


def test_a_value_is_as_likely_as_its_share_of_the_class() -> None:
    network = network_of("the @").expanded(NAMES)
    first = {a.word: a.probability for a in network.arcs if a.word in ("lamp", "floor")}
    assert first["lamp"] == pytest.approx(0.2)
    second = [a for a in network.arcs if a.word == "fan"]
    assert second[0].probability == pytest.approx(0.5)


def test_the_arcs_out_of_a_state_stay_probabilities() -> None:
    network = network_of("turn on the @", "turn off the @ now").expanded(NAMES)
    for state in {arc.source for arc in network.arcs}:
        out = sum(arc.probability for arc in network.arcs if arc.source == state)
        assert out == pytest.approx(1.0)


def test_without_its_class_a_word_is_a_word() -> None:
    network = network_of("turn on the @")
    assert network.expanded({}) == network


def test_words_stand_where_anything_may_and_what_follows_it_follows_them() -> None:
    network = network_of("add @ to it", "note that @").opened("@", ["x", "y"], 0.5)
    assert can_say(network, "add x y x to it")
    assert can_say(network, "note that x x y x")
    assert not can_say(network, "add x to it")  # three phones are the least
    assert not can_say(network, "x y x to it")
    assert "@" not in network.words


def test_what_is_strict_follows_only_two_words_that_it_was_seen_after() -> None:
    sentences = {"note that @": 1.0, "is that it": 999.0, "put that on": 999.0}
    assert can_say(compile_network(sentences), "is that @")
    strict = compile_network(sentences, strict=["@"])
    assert can_say(strict, "note that @")
    assert not can_say(strict, "is that @")


def test_a_word_that_many_states_go_on_with_is_said_by_one_arc() -> None:
    network = network_of(*MANY_GO_ON)
    shared = network.shared()
    assert sum(arc.word == "on" for arc in network.arcs) == len(MANY_GO_ON) // 2
    assert sum(arc.word == "on" for arc in shared.arcs) == 1
    assert all(can_say(shared, sentence) for sentence in MANY_GO_ON)
    assert not can_say(shared, "verb1 word2")
    few = network_of(*SENTENCES)
    assert few.shared() == few


def test_a_phrase_may_be_as_long_as_any() -> None:
    """A name of a thousand words once ended the recognition for good."""
    network = compile_network({"open CLASS": 1.0})
    long = " ".join(["a"] * 5_000)
    grown = network.expanded({"CLASS": {long: 1.0, "door": 3.0}})
    (door,) = (arc for arc in grown.arcs if arc.word == "door")
    assert door.probability == 0.75
    assert sum(arc.word == "a" for arc in grown.arcs) == 5_000
