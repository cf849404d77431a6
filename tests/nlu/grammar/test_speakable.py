"""What may be said in a home: all that it can do, with its values as classes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assistant.core.speakable import Speakable
from assistant.skill.home import Entity, Home
from nlu.grammar.speakable import key_of
from nlu.grammar.templates import Templates
from nlu.grammar.usage import of_value
from nlu.grammar.value_classes import WORDS
from nlu.grammar.vocabulary import built_in
from skills.registry import load_registry
from tests.support.stand_ins import HOME

MANIFESTS = load_registry().manifests
CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz '.")


def in_home(home: Home) -> Speakable:
    return Templates.compile(MANIFESTS, home, built_in()).speakable()


@pytest.fixture(scope="module")
def said() -> Speakable:
    return in_home(HOME)


def test_sentences_are_words_and_classes(said: Speakable) -> None:
    assert set("".join(said.sentences)) <= CHARACTERS | said.classes.keys()
    for phrases in said.classes.values():
        assert set("".join(phrases)) <= CHARACTERS


def test_every_class_is_said_and_every_name_is_in_one(said: Speakable) -> None:
    text = "".join(said.sentences)
    assert said.classes.keys() <= set(text)
    phrases = {phrase for values in said.classes.values() for phrase in values}
    assert {"ceiling light", "book light", "sound bar", "living room", "lounge"} <= phrases


@pytest.mark.parametrize("word", ["unlock", "close", "temperature", "weather", "skip", "thanks"])
def test_what_is_understood_beside_the_skills_sentences_can_be_heard(
    said: Speakable, word: str
) -> None:
    assert any(word in sentence.split() for sentence in said.sentences)


def test_what_the_home_does_not_have_is_not_expected(said: Speakable) -> None:
    mop = Entity(name="Robot", id="vacuum.robot")
    more = in_home(msgspec.structs.replace(HOME, entities=(*HOME.entities, mop)))
    mowers = [sum("vacuum" in s for s in one.sentences) for one in (said, more)]
    assert mowers[0] < mowers[1]


def test_a_new_name_is_in_its_classes(said: Speakable) -> None:
    lamp = Entity(name="Moon Lamp", id="light.moon", area="study")
    more = in_home(msgspec.structs.replace(HOME, entities=(*HOME.entities, lamp)))
    before, after = ([v for v in one.classes.values() if "moon lamp" in v] for one in (said, more))
    assert not before
    assert len(after) > 1


def test_what_is_usual_is_said_more_often(said: Speakable) -> None:
    def share(start: str) -> float:
        return sum(often for one, often in said.sentences.items() if one.startswith(start))

    assert share("turn on") > 2 * share("summarise")
    assert of_value("30") > of_value("12") > of_value("37")
    assert of_value("lamp") == 1.0


def test_a_rare_intent_has_all_its_words(said: Speakable) -> None:
    values = (phrase for phrases in said.classes.values() for phrase in phrases)
    words = {word for text in (*said.sentences, *values) for word in text.split()}
    talk = Templates.compile(MANIFESTS, HOME).examples()
    rare = [text for intent in ("TalkMorning", "TalkScold", "Sing") for text in talk[intent]]
    assert rare
    assert {word for text in rare for word in text.split()} <= words


def test_the_key_changes_with_what_it_depends_on(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("one")
    other = msgspec.structs.replace(HOME, entities=HOME.entities[1:])
    key = key_of(MANIFESTS, HOME, [file])
    assert key == key_of(MANIFESTS, HOME, [file])
    keys = {key, key_of(MANIFESTS[1:], HOME, [file]), key_of(MANIFESTS, other, [file])}
    file.write_text("two")
    keys.add(key_of(MANIFESTS, HOME, [file]))
    file.unlink()
    keys.add(key_of(MANIFESTS, HOME, [file]))
    assert len(keys) == 5


def test_no_class_has_a_letter_of_english() -> None:
    assert not WORDS & CHARACTERS
