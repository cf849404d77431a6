"""Labels, events, entries and steps answer by their form; what is beside them does not."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.retrieval.forms import Forms, told_steps
from assistant.answer.retrieval.moments import moments
from assistant.answer.retrieval.requirements import Requirements, WordMeanings
from assistant.answer.retrieval.statements import Statement, statements
from assistant.answer.retrieval.wording import worded
from tests.answer.retrieval.test_requirements import apart
from tests.support.calibrations import READER

POLICY = Passage(
    title="Boat policy",
    text="Deductible: 90 euros for each claim\nMooring: up to 400 euros\nHolder: R. Voss",
)
FAULTS = Passage(
    title="Kiln",
    place="Faults",
    text="K3: meaning: lid open; what to do: Shut the lid. Ring Ola.\n"
    "K7: meaning: too hot; what to do: Cool it, see above.",
)
STEPS = Passage(
    title="Kiln", place="Filling the tank", text="Turn the kiln off.\nOpen the cap\nPour slowly"
)
LOG = Passage(
    title="Allotment log",
    text="2 May Leeks in: Musselburgh, 40 plants.\n9 May Slugs. Leeks watered twice.\n"
    "16 May Beans sown. Netting up.",
)
FERRY = Passage(
    title="Plans",
    place="Ferry with Olga",
    kind="event",
    starts="2027-05-04T07:30",
    text="Ferry with Olga is on Tuesday, May 4, 2027 at 07:30 at North Quay.\n"
    "Tickets are due today.",
)
PARTY = Passage(
    title="Plans",
    place="Party (Olga)",
    kind="event",
    starts="2027-05-06",
    text="Party (Olga) is on Thursday, May 6, 2027, all day.",
)
NETWORKS = Passage(
    title="Networks",
    text="House: attic-net, password plum-7. The shed uses it\n"
    "Visitors: guest-net, password pear-9",
)


def forms(question: str) -> Forms:
    return Forms(question, Requirements(question, READER, WordMeanings(apart)))


def shown(question: str, *passages: Passage) -> list[str]:
    found = [s for passage in passages for s in statements(passage)]
    pairs = zip(found, forms(question).shown(found), strict=True)
    return [statement.text for statement, so in pairs if so]


def first(passage: Passage, text: str) -> Statement:
    return next(s for s in statements(passage) if s.text.startswith(text))


@pytest.mark.parametrize(
    ("question", "passage", "begins"),
    [
        ("what's the deductible on it", POLICY, "Deductible"),
        ("what does K7 mean", FAULTS, "K7"),
        ("when is the ferry", FERRY, "Ferry"),
        ("where's the ferry again", FERRY, "Ferry"),
        ("when did I plant the beans", LOG, "16 May"),
        ("when did we water the leeks", LOG, "Leeks watered"),
    ],
)
def test_the_form_of_a_sentence_shows_that_it_answers(
    question: str, passage: Passage, begins: str
) -> None:
    (found,) = shown(question, passage)
    assert found.startswith(begins)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("what's the deductible for the car", POLICY),
        ("what does K9 mean", FAULTS),
        ("where does Olga live", FERRY),
        ("where is the party", PARTY),
        ("when did I plant the peas", LOG),
        ("when do I plant the beans", LOG),
        ("when did I buy the leeks", LOG),
        ("how do you empty the tank", STEPS),
    ],
)
def test_another_thing_does_not_answer_by_its_form(question: str, passage: Passage) -> None:
    assert shown(question, passage) == []


def test_steps_are_told_in_their_order() -> None:
    assert len(shown("how do you fill the tank", STEPS)) == 3
    told = told_steps(STEPS, first(STEPS, "Open"))
    assert told == "Turn the kiln off. Open the cap. Pour slowly."


def test_of_many_steps_the_number_is_told() -> None:
    many = Passage(title="Kiln", text="\n".join(["Turn it by one more notch and wait."] * 12))
    assert told_steps(many, first(many, "Turn")).endswith(" There are 2 more.")


def test_a_reference_to_what_stands_elsewhere_is_no_step_and_is_not_said() -> None:
    row = first(FAULTS, "K7")
    assert not Requirements("how do I cool it", READER, WordMeanings(apart)).told(row)
    assert worded("what do I do at K7", row, "Cool it") == "K7, what to do: Cool it."


def test_a_cell_is_said_with_all_its_sentences() -> None:
    assert worded("what do I do at K3", first(FAULTS, "K3"), "Shut the lid") == (
        "K3, what to do: Shut the lid. Ring Ola."
    )


def test_where_several_cells_may_be_meant_the_row_is_said() -> None:
    row = Passage(title="Loads", text="Linen: heat: 60 °C; load: 5 kg.")
    asked = "how much can I put in with linen"
    assert worded(asked, first(row, "Linen"), "60") == "Linen: heat: 60 °C; load: 5 kg."


def test_an_item_without_what_is_named_is_outdone_by_one_that_has_it() -> None:
    found = list(statements(NETWORKS))
    lost = dict(
        zip([s.text for s in found], forms("the shed password").outdone(found), strict=True)
    )
    assert [text for text, so in lost.items() if so] == ["Visitors: guest-net, password pear-9"]
    assert not any(forms("the barn password").outdone(found))


def test_a_sentence_of_an_item_is_outdone_by_one_that_says_more_of_what_is_named() -> None:
    child = Passage(title="Sitter", text="Ida: tea at five. Bath first. Bed at seven, one story.")
    found = list(statements(child))
    lost = forms("what time is Ida's bed").outdone(found)
    assert [s.text for s, so in zip(found, lost, strict=True) if not so] == [
        "Bed at seven, one story."
    ]
    assert not any(forms("what time is Ida's tea").outdone(found[:1]))


def test_the_only_amount_answers_where_the_question_names_nothing_else() -> None:
    asked = forms("how much did she charge")
    one, other = first(POLICY, "Deductible"), first(POLICY, "Holder")
    assert asked.only([one, other]) == [True, False]
    assert asked.only([one, first(POLICY, "Mooring")]) == [False, False]
    assert forms("which one was it").only([one]) == [False]


def test_a_day_that_only_the_day_of_writing_tells_is_told_as_a_day() -> None:
    line = first(FERRY, "Tickets")
    wanted = Requirements("when are the tickets due", READER, WordMeanings(apart))
    assert wanted.told(line)
    assert worded("when are the tickets due", line, "today", wanted.day_of(line)) == (
        "Ferry with Olga: Tickets are due on Tuesday, May 4."
    )
    undated = Passage(title="Note", text="Tickets are due today.")
    assert not wanted.told(first(undated, "Tickets"))


@pytest.mark.parametrize(
    ("question", "text", "counts"),
    [
        ("what's the deductible for theft", "The deductible is 90 euros for damage.", True),
        ("what's the deductible for damage", "The deductible is 90 euros for damage.", False),
        ("where can I park", "The boat lies at 4 Quay Lane.", True),
        ("where is the boat", "The boat lies at 4 Quay Lane.", False),
    ],
)
def test_what_a_question_is_for_and_does_must_be_said(
    question: str, text: str, counts: bool
) -> None:
    wanted = Requirements(question, READER, WordMeanings(apart))
    (said,) = statements(Passage(title="Boat", text=text))
    assert (wanted.penalty(said, wanted.missing(said)) > 0) is counts


BINS = Passage(
    title="Collections",
    text="Thu 10 December: bin: paper.\nThu 17 December: bin: glass and ash.",
)
DOSES = Passage(
    title="Looking after Ole",
    place="Medicine",
    text="8:00: what: iron.\n13:00: what: fish oil.\n21:30: what: valerian.",
)
LOAVES = Passage(
    title="Bakes",
    place="Rye rolls",
    text="300 g rye flour\n200 g white flour\nLet the dough rise for an hour. Shape it and let it"
    " rise for another half hour. Bake for 18 minutes.",
)
OFFICE = Passage(
    title="Court",
    place="Caretaker",
    text="In the office by the gate. Monday to Friday 8:00 to 11:30.",
)
DAY = datetime(2026, 12, 10, tzinfo=UTC)
EVENING = DAY.replace(hour=21)


def timely(question: str, within: Filter, *passages: Passage) -> list[str]:
    wanted = Requirements(question, READER, WordMeanings(apart))
    found = [s for passage in passages for s in statements(passage)]
    asked = Forms(question, wanted, moments(question, within))
    return [s.text for s, so in zip(found, asked.shown(found), strict=True) if so]


def test_the_row_of_the_day_answers() -> None:
    today = Filter(since=DAY, until=DAY + timedelta(days=1))
    assert timely("which bin is it today", today, BINS) == ["Thu 10 December: bin: paper."]
    other = Filter(since=DAY + timedelta(days=1), until=DAY + timedelta(days=2))
    assert timely("which bin is it tomorrow", other, BINS) == []


@pytest.mark.parametrize(
    ("question", "within", "row"),
    [
        ("what does Ole take at one o'clock", Filter(), "13:00: what: fish oil."),
        (
            "what tablets does Ole get now",
            Filter(now=EVENING),
            "21:30: what: valerian.",
        ),
        ("what does Ole take in the morning", Filter(), "8:00: what: iron."),
    ],
)
def test_the_line_of_the_hour_answers(question: str, within: Filter, row: str) -> None:
    assert timely(question, within, DOSES) == [row]


ROUNDS = Passage(
    title="Collections",
    place="March 2027",
    text="Wed 3: Brown bin.\nWed 10: Paper bin and glass.\nWed 17: Brown bin.\nWed 24: Paper bin.",
)


def of_other_days(question: str, today: date, *passages: Passage) -> list[str]:
    wanted = Requirements(question, READER, WordMeanings(apart))
    found = [s for passage in passages for s in statements(passage)]
    asked = Forms(question, wanted, moments(question, Filter(today=today)))
    return [s.text for s, so in zip(found, asked.of_other_days(found), strict=True) if so]


@pytest.mark.parametrize(
    ("question", "today", "left"),
    [
        ("which bin is it", date(2027, 3, 3), "Wed 3: Brown bin."),
        ("which bin goes out", date(2027, 3, 4), "Wed 10: Paper bin and glass."),
        ("when is the paper bin", date(2027, 3, 11), "Wed 24: Paper bin."),
    ],
)
def test_where_no_day_is_asked_for_the_next_row_is_meant(
    question: str, today: date, left: str
) -> None:
    every = [s.text for s in statements(ROUNDS) if "aper" in s.text or "paper" not in question]
    assert of_other_days(question, today, ROUNDS) == [row for row in every if row != left]


@pytest.mark.parametrize(
    ("question", "today"),
    [
        ("which bin was it", date(2027, 3, 3)),
        ("which bin is it", date(2027, 4, 3)),
        ("which boat is it", date(2027, 3, 3)),
    ],
)
def test_no_row_is_left_out_for_what_is_over_or_is_not_named(question: str, today: date) -> None:
    assert of_other_days(question, today, ROUNDS) == []


def test_the_row_of_a_day_stands_under_its_month() -> None:
    since = datetime(2027, 3, 17, tzinfo=UTC)
    within = Filter(since=since, until=since + timedelta(days=1))
    assert timely("which bin is it on wednesday", within, ROUNDS) == ["Wed 17: Brown bin."]


def test_what_tells_of_another_hour_counts_less() -> None:
    found = list(statements(DOSES))
    asked = forms("what does Ole take at one o'clock")
    assert not any(asked.outdone(found))
    question = "what does Ole take at one o'clock"
    wanted = Requirements(question, READER, WordMeanings(apart))
    assert Forms(question, wanted, moments(question, None)).outdone(found) == [True, False, True]


def test_a_short_item_answers_under_its_heading_and_the_fullest_one_alone() -> None:
    found = list(statements(LOAVES))
    facts = forms("how much rye flour for the rolls").facts(found)
    assert [s.text for s, so in zip(found, facts, strict=True) if so] == ["300 g rye flour"]
    assert not any(forms("how much sugar for the rolls").facts(found))


def test_what_alone_is_told_under_a_heading_answers() -> None:
    assert shown("is the caretaker there now", OFFICE) == ["Monday to Friday 8:00 to 11:30."]
    assert shown("is the plumber there now", OFFICE) == []


def test_the_steps_of_one_thing_are_told_together() -> None:
    found = list(statements(LOAVES))
    asked = forms("how long do the rolls rise")
    told = asked.further(next(s for s in found if "half hour" in s.text), found)
    assert [s.text for s in told] == [
        "Let the dough rise for an hour.",
        "Shape it and let it rise for another half hour.",
    ]
    baked = next(s for s in found if "18 minutes" in s.text)
    assert forms("how long do the rolls bake").further(baked, found) == [baked]


def test_what_a_code_means_is_told_with_what_to_do() -> None:
    row = first(FAULTS, "K3")
    assert worded("what does K3 mean", row, "lid open") == (
        "K3: meaning: lid open; what to do: Shut the lid."
    )


NEWS = Passage(
    title="Scouts newsletter",
    text="The coach leaves at five and returns on Sunday with all medicine.\n"
    "Medicine goes to Bea in a bag.\nBring a torch. We start early.",
)


def test_what_somebody_said_about_a_thing_begins_with_it() -> None:
    assert shown("what did the scouts say about medicine", NEWS) == [
        "Medicine goes to Bea in a bag."
    ]
    assert shown("what did the scouts say about hikes", NEWS) == []


def test_what_to_bring_is_told_by_what_asks_for_it() -> None:
    asked = forms("must I take anything with me")
    told = [s.text for s in statements(NEWS) if asked.tells(s)]
    assert told == ["Bring a torch."]


def test_a_question_for_yes_or_no_is_told_by_what_it_asks() -> None:
    asked = forms("is he allergic to anything")
    boy = Passage(title="Sitter", place="Ole", text="Allergic to nuts. Reads till nine.")
    assert [s.text for s in statements(boy) if asked.tells(s)] == ["Allergic to nuts."]
