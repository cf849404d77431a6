"""How likely a sentence ends with the words so far: what the network's sentences do."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from assistant.core.constrained.word_network import compile_network
from assistant.core.speakable import ANYTHING, Speakable, SpeakableSource, always
from audio.asr.domain import prepare, prepare_sought
from audio.asr.likelihood import Likelihood
from tests.support.belief import BELIEF

ORDERS = {"a small latte": 1.0, "a small latte with milk": 9.0, "stop": 3.0, "stop now": 1.0}
NOTES = {f"remember that {ANYTHING}": 2.0, f"add {ANYTHING} to the list": 2.0, "that is all": 1.0}


def ending(folder: Path, speakable: Speakable) -> Likelihood:
    source = SpeakableSource("k", lambda: speakable)
    return Likelihood(prepare(source, ["computer"], folder).network)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Likelihood:
    return ending(tmp_path_factory.mktemp("orders"), Speakable(sentences=ORDERS))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Likelihood:
    return ending(tmp_path_factory.mktemp("notes"), Speakable(sentences=NOTES))


def test_what_mostly_goes_on_and_what_mostly_ends(orders: Likelihood) -> None:
    assert 0.0 < orders.of_ending("a small latte") < 0.3
    assert orders.of_ending("a small latte with milk") > 0.9
    assert orders.of_ending("a small latte with") < 0.1
    assert 0.6 < orders.of_ending("stop") < 0.9


def test_what_whisper_seeks_ends_as_often_and_short_forms_with_it(tmp_path: Path) -> None:
    spoken = Speakable(sentences=ORDERS, short={"and stop": 1.0}, classes={})
    sought = prepare_sought(SpeakableSource("k", lambda: spoken), (), tmp_path)
    ends = Likelihood(sought.ends)
    assert 0.0 < ends.of_ending("a small latte") < 0.3
    assert ends.of_ending("a small latte with milk") > 0.9
    assert ends.of_ending("and stop") > 0.5
    assert ends.of_ending("a small") == 0.0


def test_each_value_of_a_class_ends_as_often(tmp_path: Path) -> None:
    sentences = {"turn on \ue000": 3.0, "turn on \ue000 light": 1.0}
    classes = {"\ue000": {"den": 1.0, "dining room": 1.0}}
    rooms = ending(tmp_path, Speakable(sentences=sentences, classes=classes))
    assert rooms.of_ending("turn on den") == pytest.approx(rooms.of_ending("turn on dining room"))
    assert rooms.of_ending("turn on den") > 0.4 > rooms.of_ending("turn on dining")


@pytest.mark.parametrize("text", ["", "with lemonade", "small a", "stop lemonade"])
def test_no_sentences_words_end_nothing(orders: Likelihood, text: str) -> None:
    assert orders.of_ending(text) == 0.0


def test_a_prefix_may_come_before_and_the_phone_loop_says_nothing(tmp_path: Path) -> None:
    stop = Likelihood(prepare(always(["stop"]), ["computer"], tmp_path).network)
    assert stop.of_ending("stop") > 0.9
    assert stop.of_ending("computer stop") > 0.9


def test_a_sentence_is_plausible_and_a_salad_of_its_words_is_not(tmp_path: Path) -> None:
    rooms = [
        "attic",
        "bedroom",
        "cellar",
        "den",
        "garage",
        "hall",
        "kitchen",
        "larder",
        "office",
        "pantry",
        "study",
        "utility",
    ]
    sentences = {f"turn {way} the {room} light": 1.0 for way in ("on", "off") for room in rooms}
    lights = ending(tmp_path, Speakable(sentences=sentences | {"and turn on room": 1.0}))
    for sentence in sentences:
        assert BELIEF.pocketsphinx.is_plausible(lights.of(sentence), 5)
    salad = "light off attic turn and light on cellar the off den"
    assert not BELIEF.pocketsphinx.is_plausible(lights.of(salad), 10)
    assert lights.of("lemonade") == -math.inf


@pytest.mark.parametrize(
    "text",
    [
        "remember that i parked on level three",
        "computer remember that is all",
        "add wooden spoons to the list",
        "add to the list to the list",
    ],
)
def test_any_words_fit_where_anything_may_stand(notes: Likelihood, text: str) -> None:
    assert notes.fits(text)
    assert notes.opens(text)


@pytest.mark.parametrize(
    "text",
    ["", "that is all", "remember that", "i parked", "add wooden spoons", "that i parked", "add"],
)
def test_no_words_fit_elsewhere(notes: Likelihood, text: str) -> None:
    assert not notes.fits(text)


def test_a_sentence_opens_with_the_words_before_anything(notes: Likelihood) -> None:
    assert [text for text in ("", "remember", "remember that", "that is") if notes.opens(text)] == [
        "remember that"
    ]


def test_without_free_text_nothing_opens(orders: Likelihood) -> None:
    assert not orders.opens("a small latte with milk")
    assert not orders.fits("a small latte with milk")


def test_a_shared_network_is_as_likely(tmp_path: Path) -> None:
    often = {f"verb{n} {word}": 1.0 + n for n in range(30) for word in ("on", f"word{n}")}
    network = compile_network(often)
    files = tmp_path / "own.fsg", tmp_path / "shared.fsg"
    for file, made in zip(files, (network, network.shared()), strict=True):
        file.write_text(made.fsg())
    own, shared = map(Likelihood, files)
    texts = [*often, "verb3", "verb3 word4", "on"]
    assert [shared.of(text) for text in texts] == [own.of(text) for text in texts]
    assert [shared.of_ending(text) for text in texts] == [own.of_ending(text) for text in texts]
    assert math.isfinite(own.of("verb3 on"))
    assert own.of("verb3 word4") == -math.inf
