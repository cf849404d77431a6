"""What a question asks for and names, and sentences that hold it or do not."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.encoder import WIDTH, Embeddings
from assistant.answer.retrieval.mentions import holds
from assistant.answer.retrieval.requirements import Requirements, WordMeanings
from assistant.answer.retrieval.statements import Statement, statements
from assistant.answer.retrieval.wording import worded
from assistant.english.asking.answer_kinds import kind_of
from assistant.english.asking.mentions import named, predicate
from tests.support.calibrations import READER

LIST = Passage(
    title="The house",
    place="Rooms > Paint",
    text="We painted all rooms in May.\n"
    "Larder: walls: Chalk; door: oak\nNook: walls: Slate.\n2 tins",
)


def apart(texts: Sequence[str]) -> Embeddings:
    """Embeddings of words none of which is like another."""
    rows = np.zeros((len(texts), WIDTH), np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[zlib.crc32(text.encode()) % WIDTH] = 1.0
    return rows


def one(count: int) -> Embeddings:
    return np.eye(1, WIDTH, dtype=np.float32).repeat(count, axis=0)


def required(question: str) -> Requirements:
    return Requirements(question, READER, WordMeanings(apart))


def of(passage: Passage, text: str) -> Statement:
    return next(s for s in statements(passage) if s.text.startswith(text))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how long does the ginger cake bake", ("ginger", "cake")),
        ("when do the swifts nest", ("swifts",)),
        ("what's the wifi password for the office", ("wifi", "office")),
        ("where is it", ()),
        ("who swept the chimney in 2021", ("chimney", "2021")),
    ],
)
def test_what_a_question_is_about_is_named(question: str, words: tuple[str, ...]) -> None:
    assert named(question) == words


@pytest.mark.parametrize(
    ("word", "known", "held"),
    [
        ("windows", "window", True),
        ("kids", "children", True),
        ("saturday", "weekends", True),
        ("kitchen", "chicken", False),
        ("2021", "2020", False),
        ("bin", "recycling", True),
        ("recycling", "bin", False),
        ("pets", "dog", True),
        ("dog", "cat", False),
        ("top", "topping", True),
    ],
)
def test_a_word_is_held_by_one_that_stands_for_it(word: str, known: str, held: bool) -> None:
    assert holds({known}, word) is held


@pytest.mark.parametrize(
    ("question", "kind", "tells", "does_not"),
    [
        ("when is the fair", "time", "It is on 4 June.", "It is on the green."),
        ("how long does it last", "length", "For two hours.", "For people of all ages."),
        ("how much does it cost", "money", "It is £3.", "It is at 3 Mill Lane."),
        ("how tall is the pole", "size", "It is 3 m tall.", "It was £3."),
        ("what's Ann's phone number", "phone", "Ann: 01225 555 011", "Ann: ann@x.example"),
        ("who keeps the key", "person", "The key is with Ann Hale.", "The key is in a pot."),
        ("who sits tonight", "person", "Jess babysits on Friday.", "Sitter is on Friday, May 2."),
        ("where is it", "place", "It is in the shed.", "It is on Friday at noon."),
        ("why is it off", "reason", "It is off because it leaks.", "20 g dark chocolate"),
        ("what's the postcode", "post code", "Hull HU1 2AB", "3 Mill Row, 01632 960109"),
        ("how old is Pip", "age", "Pip is six years old.", "Pip: bed at 6:45 pm"),
        ("how often does it run", "frequency", "It runs every hour.", "It runs on gas."),
    ],
)
def test_a_question_says_what_its_answer_holds(
    question: str, kind: str, tells: str, does_not: str
) -> None:
    found = kind_of(question)
    assert found is not None
    assert found.name == kind
    assert found.held.search(tells)
    assert not found.held.search(does_not)


def test_a_row_is_not_about_what_its_neighbours_name() -> None:
    wanted = required("what colour is the larder")
    assert wanted.missing(of(LIST, "Larder")) == ()
    assert wanted.missing(of(LIST, "Nook")) == ("larder",)


def test_prose_may_refer_to_what_stands_before_it() -> None:
    tap = Passage(title="Taps", text="The garden tap leaks. It was mended in 2024.")
    wanted = required("when was the garden tap mended")
    second = of(tap, "It was")
    missing = wanted.missing(second)
    assert missing == ("garden",)
    assert 0 < wanted.penalty(second, missing) < wanted.penalty(of(LIST, "2 tins"), ("garden",))


@pytest.mark.parametrize(
    ("question", "start", "answer", "said"),
    [
        ("what colour is the larder", "Larder", "Chalk", "Larder, walls: Chalk."),
        ("which door has the larder", "Larder", "Chalk", "Larder, door: oak."),
        ("which room has walls like slate", "Nook", "Nook", "Nook: walls: Slate."),
        ("how many tins", "2 tins", "2", "Paint: 2 tins."),
        ("when did we paint", "We painted", "May", ""),
    ],
)
def test_rows_and_items_are_said_as_sentences(
    question: str, start: str, answer: str, said: str
) -> None:
    assert worded(question, of(LIST, start), answer) == said


def test_a_word_of_like_meaning_stands_for_a_missing_one() -> None:
    alike = Requirements("when was the tap mended", READER, WordMeanings(lambda t: one(len(t))))
    row = of(LIST, "Nook")
    assert alike.unlike(row, ("tap",)) == ()
    assert required("when was the tap mended").unlike(row, ("tap",)) == ("tap",)
    assert alike.unlike(row, ("kitchen", "2024")) == ("kitchen", "2024")


def test_a_label_that_is_asked_for_begins_the_sentence() -> None:
    line = Passage(title="House", text="Wifi password: fox-42\nPost: at ten")
    asked = "what's the wifi password at home"
    assert worded(asked, of(line, "Wifi"), "fox-42") == "The wifi password is fox-42."
    assert worded("when's the post", of(line, "Post"), "ten") == "Post: at ten."


def test_a_diary_tells_the_day_in_its_heading() -> None:
    diary = Passage(title="Garden", place="14 March", text="Sowed the leeks under glass.")
    wanted, entry = required("when did we sow the leeks"), of(diary, "Sowed")
    assert wanted.told(entry)
    assert worded("when did we sow the leeks", entry, "leeks", wanted.day_of(entry)) == (
        "14 March: Sowed the leeks under glass."
    )


@pytest.mark.parametrize(
    "text", ["what's his number", "and what is their number", "what is Ann's number"]
)
def test_the_number_of_a_person_is_a_telephone_number(text: str) -> None:
    kind = kind_of(text)
    assert kind is not None
    assert kind.name == "phone"


def test_a_question_for_yes_or_no_needs_what_it_asks() -> None:
    assert predicate("can I eat in the garden") == ("eat",)
    assert predicate("where can I eat") == ()
    assert required("can I eat in the garden").named == ("garden", "eat")


def test_one_of_several_numbers_may_be_lacking() -> None:
    rate = Passage(title="Forest", text="From 2000 to 2005 the rate rose by a fifth.")
    (statement,) = statements(rate)
    several = required("how did the rate in 2000 compare to that in 1995")
    one = required("what was the rate in 1995")
    assert several.penalty(statement, ("1995",)) < READER.lacks_exact
    assert one.penalty(statement, ("1995",)) == READER.lacks_exact


def test_an_event_is_not_about_what_somebody_does_otherwise() -> None:
    party = Passage(
        title="Plans", place="Olga's party", kind="event", text="Olga's party is on May 6 at 18:00."
    )
    (statement,) = statements(party)
    assert required("when does she play").penalty(statement, ()) > 0
    assert required("when does it start").penalty(statement, ()) == 0


COATS = Passage(
    title="Fence",
    text="First coat: thin, dry for 4 hours.\nSecond coat: dry overnight, 9 hours.\n"
    "1. Drops of oil, 3 drops a hinge.",
)


def test_what_is_told_of_the_second_is_not_of_the_first() -> None:
    wanted = required("how long does the first coat dry")
    first, second = of(COATS, "First"), of(COATS, "Second")
    assert not wanted.penalty(first, ())
    assert wanted.penalty(second, ()) == READER.lacks_exact
    assert not required("how long does a coat dry").penalty(second, ())


def test_the_number_of_an_item_is_no_amount() -> None:
    item = of(COATS, "1. Drops")
    places = [(item.start, item.start + 2), (item.start + 17, item.start + 24)]
    fitting = required("how many drops a hinge").fitting(item, places)
    assert fitting.tolist() == [False, True]


def test_a_day_beside_it_does_not_make_the_subject_weigh_less() -> None:
    coat = of(COATS, "First")
    alone = required("how long does the varnish dry")
    dated = required("how long does the varnish dry on sundays")
    assert alone.penalty(coat, ("varnish",)) == dated.penalty(coat, ("varnish",))
