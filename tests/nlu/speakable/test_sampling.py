"""Sentences for the language model: every word of every list, in fair shares, as spoken."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from itertools import pairwise

import pytest

from assistant.english.templates import DOUBLED
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.speakable.sampling import Sampler
from nlu.speakable.spoken import spoken
from nlu.text.canonical import canonical
from tests.support.stand_ins import COFFEE, HOME, MANIFESTS

LIMIT = 6000


@pytest.fixture(scope="module")
def sample(templates: Templates) -> list[str]:
    return templates.sample(LIMIT, seed=1)


def test_the_same_seed_gives_the_same_sample(templates: Templates) -> None:
    again = Templates.compile((*MANIFESTS, COFFEE), HOME)
    assert again.sample(500, seed=1) == templates.sample(500, seed=1)
    assert templates.sample(500, seed=2) != templates.sample(500, seed=1)


def test_what_is_drawn_of_a_claim_depends_on_no_other(templates: Templates) -> None:
    grammar = templates._grammar
    *others, last = (claim for claim in grammar.claims if claim.written)
    (alone,) = Sampler(grammar, [last], seed=1).draw_each(20)
    *_, beside = Sampler(grammar, [*others, last], seed=1).draw_each(20)
    assert alone == beside
    assert len(set(alone)) > 1


def test_it_draws_until_hardly_any_pair_of_words_is_new(templates: Templates) -> None:
    """The share of another 500 sentences whose neighbours were all drawn, of one claim of many."""
    grammar = templates._grammar
    claim = next(one for one in grammar.claims if one.schema.intent == "HassStartTimer")
    (other,) = Sampler(grammar, [claim], seed=2).draw_each(500)

    def known(most: int) -> float:
        sampler = Sampler(grammar, [claim], seed=1)
        pairs = {p for s in sampler.draw_weighed(100, [1.0], most) for p in pairwise(s.split())}
        return sum(pairs.issuperset(pairwise(s.split())) for s in other) / len(other)

    assert known(4000) > 0.9
    assert known(100) < 0.7


def test_about_as_many_as_asked_for(sample: list[str]) -> None:
    assert 0.98 * LIMIT <= len(sample) <= LIMIT


def test_every_sentence_means_something(
    templates: Templates, sample: list[str], now: datetime
) -> None:
    distinct = sorted(set(sample))[::16]
    lost = [s for s in distinct if not Interpreter(templates)(canonical(s), now).commands]
    assert [s for s in lost if not templates.accepts(s)] == []
    assert len(lost) < len(distinct) / 10  # bare answers


def test_sentences_are_words_only(sample: list[str]) -> None:
    characters = set("".join(sample))
    assert characters <= set("abcdefghijklmnopqrstuvwxyz '.")


def test_no_preposition_is_said_twice(sample: list[str]) -> None:
    assert not [text for text in sample if DOUBLED.search(text)]
    assert DOUBLED.search("what is planned for on tuesday")
    assert not DOUBLED.search("turn the lamp on in the hall for an hour")


def test_every_name_and_choice_is_said(sample: list[str]) -> None:
    text = "\n".join(sample)
    names = [name for e in HOME.entities for name in (e.name, *e.aliases)]
    names += [name for area in HOME.areas for name in (area.name, *area.aliases)]
    names += [c for s in COFFEE.intents[0].slots for c in s.choices]
    unsaid = [n for n in names if spoken(n) not in text]
    assert set(unsaid) <= {"Groceries's"}
    assert "sound bar" in text  # SoundBar, as two words
    assert "soundbar" in text
    assert "a.m." in text


def test_every_number_of_a_range_is_said(sample: list[str]) -> None:
    text = "\n".join(sample)
    unsaid = [n for n in range(2, 61) if spoken(f"{n} minute") not in text]
    assert unsaid == []


def test_a_huge_intent_does_not_drown_the_small(
    templates: Templates, sample: list[str], now: datetime
) -> None:
    counts: Counter[str] = Counter()
    for sentence in sample[::8]:
        matches = templates.match(sentence)
        counts.update({m.intent for m in matches[:1]})
    intents = {claim.schema.intent for claim in templates.claims}
    assert set(counts) == intents
    assert min(counts.values()) >= LIMIT / 8 / 1000
    assert max(counts.values()) <= LIMIT / 8 / 5


def test_an_unseen_sample_holds_hardly_a_new_trigram(
    templates: Templates, sample: list[str]
) -> None:
    def trigrams(sentences: list[str]) -> Counter[tuple[str, ...]]:
        found: Counter[tuple[str, ...]] = Counter()
        for sentence in sentences:
            words = ["<s>", *sentence.split(), "</s>"]
            found.update(tuple(words[i : i + 3]) for i in range(len(words) - 2))
        return found

    known, other = trigrams(sample), trigrams(templates.sample(LIMIT, seed=7))
    new = sum(times for gram, times in other.items() if gram not in known)
    assert new / math.fsum(other.values()) < 0.15


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Set it to 25%, please!", "set it to twenty five percent please"),
        ("7 am", "seven a.m."),
        ("wake me at 7 pm", "wake me at seven p.m."),
        ("6 05 am", "six oh five a.m."),
        ("12 45 pm", "twelve forty five p.m."),
        ("7 o'clock pm", "seven o'clock p.m."),
        ("pm", "pm"),
        ("who am i", "who am i"),
        ("the one i am in", "the one i am in"),
        ("6 05", "six oh five"),
        ("an latte", "a latte"),
        ("a iced mocha", "an iced mocha"),
        ("a hour", "an hour"),
        ("an one hour timer", "a one hour timer"),
        ("lock the the door", "lock the door"),
        ("Floor Lamp 2", "floor lamp two"),
    ],
)
def test_spoken_form(written: str, said: str) -> None:
    assert spoken(written) == said


def test_an_example_for_each_intent(templates: Templates, now: datetime) -> None:
    for claim in templates.claims:
        example = templates.example(claim.schema.intent)
        (command, *_) = Interpreter(templates)(canonical(example), now).commands
        assert command.intent == claim.schema.intent
    assert templates.example("NoSuchIntent") == ""
