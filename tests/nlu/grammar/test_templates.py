"""Precedence, slots and faults of compiled templates."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import SkillError
from assistant.skill.home import Area, Entity, Home
from assistant.skill.manifest import SkillManifest, SlotSchema
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical
from tests.support.stand_ins import HOME, MANIFESTS, intent

TEXT = SlotSchema(name="text", kind="text")
DEVICE = SlotSchema(name="name", kind="entity", domains=("light",))
ROOM = SlotSchema(name="area", kind="area")


def compiled(*intents: object, home: Home = HOME, **rules: str) -> Templates:
    manifest = SkillManifest(name="s", api=1, intents=intents, rules=rules)  # type: ignore[arg-type]
    return Templates.compile((manifest,), home)


def best(templates: Templates, text: str) -> tuple[str, dict[str, str]] | None:
    matches = templates.match(text)
    return (
        (matches[0].intent, {s.schema.name: s.raw for s in matches[0].slots}) if matches else None
    )


def test_exact_words_come_before_free_text() -> None:
    templates = compiled(
        intent("Free", "play {text}", slots=(TEXT,)), intent("Exact", "play the radio")
    )
    assert best(templates, "play the radio") == ("Exact", {})
    assert best(templates, "play the piano") == ("Free", {"text": "piano"})


def test_the_less_free_text_the_better() -> None:
    templates = compiled(
        intent("Short", "play {text}", slots=(TEXT,)),
        intent("Long", "play {text} in the kitchen", slots=(TEXT,)),
    )
    assert best(templates, "play jazz in the kitchen") == ("Long", {"text": "jazz"})
    assert best(templates, "play jazz in the attic") == ("Short", {"text": "jazz in the attic"})


def test_a_device_by_its_whole_name_comes_before_its_room() -> None:
    home = Home(
        areas=(Area(name="Kitchen", id="kitchen"),),
        entities=(Entity(name="Kitchen Light", id="light.kitchen"),),
    )
    templates = compiled(
        intent("Room", "turn on [the] {area} light", slots=(ROOM,)),
        intent("Device", "turn on {name}", slots=(DEVICE,)),
        home=home,
    )
    assert best(templates, "turn on the kitchen light") == ("Device", {"name": "kitchen light"})


def test_longer_literal_text_comes_first() -> None:
    number = SlotSchema(name="level", kind="integer")
    templates = compiled(
        intent("Number", "volume {level}", slots=(number,)), intent("Literal", "volume ten")
    )
    assert best(templates, "volume ten") == ("Literal", {})


def test_the_first_skill_wins_a_tie_whatever_the_order_of_matching() -> None:
    first = SkillManifest(name="first", api=1, intents=(intent("One", "hello [there]"),))
    second = SkillManifest(name="second", api=1, intents=(intent("Two", "hello (there|you)"),))
    for manifests in ((first, second), (second, first)):
        (match, *_) = Templates.compile(manifests, HOME).match("hello there")
        assert match.skill == manifests[0].name


def test_free_text_without_content_is_none() -> None:
    templates = compiled(intent("Say", "announce {text}", slots=(TEXT,)))
    assert best(templates, "announce the") is None
    assert best(templates, "announce my") is None
    assert best(templates, "announce it again") is None
    assert best(templates, "announce lunch") == ("Say", {"text": "lunch"})


def test_polite_words_that_a_sentence_holds_are_kept() -> None:
    templates = compiled(intent("Know", "can you swim"), intent("Thank", "thank you"))
    assert best(templates, "can you swim please") == ("Know", {})
    assert best(templates, "Thank you.") == ("Thank", {})


def test_contractions_may_be_split_in_a_template() -> None:
    templates = compiled(intent("Who", "who('s| is) there"), intent("What", "what['s] up"))
    assert best(templates, "who's there") == best(templates, "who is there") == ("Who", {})
    assert best(templates, "what's up") == best(templates, "what up") == ("What", {})


def test_names_of_a_slots_domains_only() -> None:
    templates = compiled(intent("On", "turn on {name}", slots=(DEVICE,)))
    assert best(templates, "turn on the porch light") == ("On", {"name": "porch light"})
    assert best(templates, "turn on the coffee machine") is None


def test_fixed_slots_are_added_unless_the_sentence_fills_them(now: datetime) -> None:
    templates = compiled(intent("On", "lights on [in {area}]", slots=(ROOM,), area="Hall"))
    for text, room in (("lights on", "Hall"), ("lights on in the study", "Study")):
        slots = templates.slots(templates.match(text)[0], now)
        assert slots is not None
        assert [(slot.name, slot.value) for slot in slots] == [("area", room)]


def test_an_empty_home_matches_what_names_nothing() -> None:
    templates = Templates.compile(MANIFESTS, Home())
    assert best(templates, "what time is it") == ("HassGetCurrentTime", {})
    assert best(templates, "turn on the porch light") is None
    assert templates.sample(200)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("turn on <devise>", "no rule 'devise'; did you mean 'device'?"),
        ("turn on {nam}", "no list 'nam'; did you mean 'name'?"),
        ("turn on {area:room}", "no slot in the signature named 'room'"),
        ("turn on [the", "turn on [the"),
        ("turn on {name", "turn on {name"),
        ("turn <loop>", "no end to rule"),
        ("turn in <duration>", "no rule 'duration'; did you mean '{duration}'?"),
    ],
)
def test_a_wrong_sentence_is_refused_by_name(sentence: str, reason: str) -> None:
    with pytest.raises(SkillError) as fault:
        compiled(intent("On", sentence, slots=(DEVICE,)), device="{name}", loop="on <loop>")
    assert reason in fault.value.message
    assert "skill 's', intent On" in fault.value.message


WORDS = "turn on off the kitchen light set a timer for one twenty and then half hour to in my add"
SOUP = st.lists(st.sampled_from(WORDS.split()), max_size=30).map(" ".join)


@given(st.one_of(st.text(), SOUP))
def test_any_text_is_read_or_not_without_an_exception(templates: Templates, text: str) -> None:
    now = datetime(2026, 11, 20, 19, 0).astimezone()
    matches = templates.match(text)
    assert list(matches) == sorted(matches, key=lambda match: match.rank())
    Interpreter(templates)(canonical(text), now)


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("turn on the porch light", True),
        ("turn on the light and set a timer for one minute", True),
        ("announce lunch", True),
        ("ten minutes", True),
        ("yes", True),
        ("turn on the", False),
        ("turn on the light and", False),
        ("", False),
    ],
)
def test_what_recognition_may_take_for_a_sentence(
    templates: Templates, text: str, accepted: bool
) -> None:
    assert templates.accepts(text) is accepted


def test_very_long_texts_mean_nothing(templates: Templates) -> None:
    assert templates.match("announce " + "la " * 80) == ()
    assert templates.match("announce " + "la " * 79) != ()
    assert templates.match("and " * 10_000) == ()
