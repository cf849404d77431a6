"""What may be said in a home: all that it can do, with its values as classes."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from assistant.core.messages import Interpretation, Transcript
from assistant.core.speakable import ANYTHING, Speakable
from assistant.skill.home import Entity
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar, compile_grammar
from nlu.interpreter import Interpreter
from nlu.speakable.composed import FOLLOW_UPS
from nlu.speakable.free_text import HEARD_OPEN
from nlu.speakable.sampling import Sampler
from nlu.speakable.speakable import key_of, possible
from nlu.speakable.usage import of_value
from nlu.speakable.value_classes import WORDS, ValueClasses
from nlu.stage import NluStage
from tests.support.grammars import manifests, speakable_of, templates_of
from tests.support.stand_ins import HOME

MANIFESTS = manifests()
CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz '.")


def test_sentences_are_words_and_classes(said: Speakable) -> None:
    assert set("".join(said.sentences)) <= CHARACTERS | said.classes.keys() | {ANYTHING}
    for phrases in said.classes.values():
        assert set("".join(phrases)) <= CHARACTERS


@pytest.mark.parametrize("begun", ["remind me to", "add", "announce that"])
def test_anything_may_be_wished_for_and_announced(said: Speakable, begun: str) -> None:
    assert any(sentence.startswith(f"{begun} {ANYTHING}") for sentence in said.sentences)


@pytest.mark.parametrize("begun", ["remember that", "make a note of"])
def test_anything_may_be_noted(begun: str) -> None:
    forms = templates_of(HOME).conditional
    assert forms is not None
    notes = [claim for claim in forms.claims if claim.schema.intent == "KeepNote"]
    drawn = Sampler(forms._grammar, notes, 1, ValueClasses(), free_text=HEARD_OPEN).draw_each(400)
    assert any(form.startswith(f"{begun} {ANYTHING}") for some in drawn for form in some)


def test_words_of_the_sentence_tell_what_anything_is_for(said: Speakable) -> None:
    opened = [sentence.split() for sentence in said.sentences if ANYTHING in sentence]
    assert opened
    assert all(words[0] != ANYTHING and len(words) > 2 for words in opened)


def test_every_class_is_said_and_every_name_is_in_one(said: Speakable) -> None:
    text = "".join((*said.sentences, *said.short))
    assert said.classes.keys() <= set(text)
    phrases = {phrase for values in said.classes.values() for phrase in values}
    assert {"ceiling light", "book light", "sound bar", "living room", "lounge"} <= phrases


@pytest.mark.parametrize("word", ["unlock", "close", "temperature", "weather", "skip", "thanks"])
def test_what_is_understood_beside_the_skills_sentences_can_be_heard(
    said: Speakable, word: str
) -> None:
    assert any(word in sentence.split() for sentence in said.sentences)


@pytest.mark.parametrize(
    "start", ["and ", "and in ", "no ", "what about ", "i meant ", "make it ", "a bit ", "turn it "]
)
def test_what_goes_on_from_a_sentence_can_be_heard(said: Speakable, start: str) -> None:
    assert any(sentence.startswith(start) for sentence in said.sentences)


def test_most_of_what_goes_on_is_understood_after_one_of_two_commands(
    said: Speakable, now: datetime
) -> None:
    """Not all: "make it ten minutes" goes on from no light, "open it" from no timer."""
    templates = templates_of(HOME, vocabulary=True)
    nlu = NluStage(templates, Interpreter(templates), lambda: now)
    drawn = Sampler(*_follow_ups(), seed=1).draw(70, [1.0] * len(FOLLOW_UPS.intents))
    understood = [
        any(_goes_on(nlu, first, text, f"{number} {first}") for first in COMMANDS)
        for number, text in enumerate(drawn)
    ]
    assert sum(understood) >= 0.85 * len(understood)


COMMANDS = ("turn on the ceiling light", "set a timer for ten minutes")


def _follow_ups() -> tuple[Grammar, tuple[Claim, ...]]:
    grammar = compile_grammar([FOLLOW_UPS], HOME)
    return grammar, grammar.claims


def _goes_on(nlu: NluStage, first: str, text: str, name: str) -> bool:
    """Whether a text is understood after a command."""
    meant = []
    for number, words in enumerate((first, text)):
        said = Transcript(utterance_id=f"{name} {number}", revision=0, text=words, at_s=number)
        meant += [m for m in nlu.feed(said) if isinstance(m, Interpretation)]
    return bool(meant[-1].commands or meant[-1].conditional)


def test_what_the_home_does_not_have_is_not_expected(said: Speakable) -> None:
    valve = Entity(name="Sprinkler", id="valve.lawn")
    more = msgspec.structs.replace(HOME, entities=(*HOME.entities, valve))
    grammar = templates_of(HOME, vocabulary=True)._grammar
    dry, watered = (
        [claim for claim in possible(grammar, home) if claim.schema.fixed.get("domain") == "valve"]
        for home in (HOME, more)
    )
    assert watered
    assert not dry
    assert not any("valve" in sentence.split() for sentence in said.sentences)


def test_a_new_name_is_in_its_classes() -> None:
    lamp = Entity(name="Moon Lamp", id="light.moon", area="study")
    more = msgspec.structs.replace(HOME, entities=(*HOME.entities, lamp))
    before, after = (
        [v for v in speakable_of({"home"}, one).classes.values() if "moon lamp" in v]
        for one in (HOME, more)
    )
    assert not before
    assert len(after) > 1


def test_what_is_usual_is_said_more_often(said: Speakable) -> None:
    def share(start: str) -> float:
        return sum(often for one, often in said.sentences.items() if one.startswith(start))

    assert share("turn on") > 2 * share("summarise")
    assert of_value("30") > of_value("12") > of_value("37")
    assert of_value("lamp") == 1.0


def test_a_rare_intent_has_all_its_words() -> None:
    said, talk = speakable_of({"talk"}, HOME), templates_of(HOME).examples()
    values = (phrase for phrases in said.classes.values() for phrase in phrases)
    words = {word for text in (*said.sentences, *values) for word in text.split()}
    rare = [text for intent in ("TalkMorning", "TalkScold") for text in talk[intent]]
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


NAMES = {"routines": {"name": ("movie time", "wind down")}}


def test_names_that_users_gave_are_sentences(said: Speakable) -> None:
    here = speakable_of({"routines"}, HOME, names=NAMES)
    forms = {"movie time", "wind down", "activate wind down routine", "begin my wind down"}
    assert forms <= here.sentences.keys()
    assert not forms & said.sentences.keys()


def test_names_of_other_skills_change_nothing() -> None:
    """Control."""
    others = {"nobody": {"name": ("movie time",)}}
    assert speakable_of({"routines"}, HOME, names=others) == speakable_of({"routines"}, HOME)


def test_names_are_part_of_the_key() -> None:
    keys = [key_of(MANIFESTS, HOME, (), names=names) for names in ({}, NAMES, NAMES)]
    assert keys[0] != keys[1] == keys[2]
