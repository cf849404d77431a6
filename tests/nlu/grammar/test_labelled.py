"""Labelled sentences: every intent has some, and each slot stands where its span says."""

from __future__ import annotations

from collections import Counter

import pytest

from assistant.skill.manifest import SkillManifest, SlotSchema
from nlu.grammar.labelled import Labelled
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import built_in
from tests.nlu.grammar.test_vocabulary import HOME, LAMPS
from tests.support.stand_ins import intent

TEMPLATES = Templates.compile((LAMPS,), HOME, built_in())
EACH = 30


@pytest.fixture(scope="module")
def drawn() -> list[Labelled]:
    return TEMPLATES.labelled(EACH, seed=5)


def test_every_intent_has_its_share(drawn: list[Labelled]) -> None:
    counts = Counter(one.intent for one in drawn)
    intents = {claim.schema.intent for claim in TEMPLATES.claims}
    assert counts.keys() == intents
    assert max(counts.values()) <= EACH + 179  # each of HassGetState's blocks one
    assert len({one.text for one in drawn if one.intent == "HassTurnOn"}) == counts["HassTurnOn"]


def test_the_same_seed_draws_the_same(drawn: list[Labelled]) -> None:
    assert TEMPLATES.labelled(EACH, seed=5) == drawn
    assert TEMPLATES.labelled(EACH, seed=6) != drawn


def test_sentences_come_back_with_their_intent(drawn: list[Labelled]) -> None:
    some = drawn[::7]
    best = [next(iter(TEMPLATES.match(one.text)), None) for one in some]
    right = sum(m is not None and m.intent == o.intent for m, o in zip(best, some, strict=True))
    assert right >= 0.95 * len(some)


def test_spans_hold_the_words_of_their_slots(drawn: list[Labelled]) -> None:
    rooms = {"kitchen", "living room", "lounge"}
    for one in drawn:
        assert [s for s in one.spans if not 0 <= s.start < s.end <= len(one.text)] == []
        said = {span.slot: one.text[span.start : span.end] for span in one.spans}
        assert said.get("area", "kitchen") in rooms
        assert not any(text != text.strip() for text in said.values())
        assert said.keys().isdisjoint(name for name, _ in one.fixed)
    assert any(span.kind == "entity" for one in drawn for span in one.spans)


def test_endings_hang_on_the_words_of_a_slot_and_are_none_of_it() -> None:
    device = SlotSchema(name="name", kind="entity", domains=("sensor",))
    number = SlotSchema(name="level", kind="integer")
    power = intent("Power", "tell me {name}'s power", slots=(device,))
    level = intent("Level", "a {level}%[k] level", slots=(number,))
    skill = SkillManifest(name="power", api=1, intents=(power, level))
    for one in Templates.compile((skill,), HOME).labelled(100):
        (span,) = one.spans
        words = one.text[span.start : span.end]
        rest = one.text.replace(words, "…")
        if one.intent == "Power":
            assert words in ("furnace", "floor lamp two")
            assert rest in ("tell me …'s power", "tell me the …'s power")
        else:
            first = "an" if words.startswith(("eight", "eleven")) else "a"
            assert rest in (f"{first} … percent level", f"{first} … percent k level")


def test_the_recognisers_sample_holds_the_skills_sentences_alone() -> None:
    own = Templates.compile((LAMPS,), HOME)
    assert TEMPLATES.sample(300, seed=1) == own.sample(300, seed=1)
    assert TEMPLATES.examples() == own.examples()
    assert "HassVacuumStart" in TEMPLATES.examples(vocabulary=True)
    assert any("vacuum" in text for text in TEMPLATES.sample(2_000, seed=1, vocabulary=True))
