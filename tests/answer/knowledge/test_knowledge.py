"""Passages go in with their source and come out by words, by filters and by id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answer.knowledge.database import KnowledgeDatabase
from assistant.answer.knowledge.knowledge import Damage, Knowledge
from assistant.answer.knowledge.passage_store import PassageStore
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.sources import SourceStore

MANUAL, DIARY = Path("/d/manual.md"), Path("/d/diary.md")
FILTER = Passage(text="Rinse the filter under the tap.", title="Dishwasher", place="Cleaning")
SALT = Passage(text="Fill up the salt when the lamp is on.", title="Dishwasher", place="Salt")
DOOR = Passage(text="The door's seal is wiped with vinegar.", title="Dishwasher", place="Cleaning")
ZURICH = timezone(timedelta(hours=1))
ONES = np.ones((1, 4), np.float32)


def event(starts: str, ends: str = "", *people: str) -> Passage:
    return Passage(
        text=f"Meeting {starts}",
        title="Work",
        kind="event",
        starts=starts,
        ends=ends,
        people=people,
    )


@pytest.fixture
def knowledge() -> Iterator[Knowledge]:
    opened = Knowledge(None, ZURICH)
    yield opened
    opened.close()


def add(knowledge: Knowledge, source: Path, *passages: Passage) -> list[int]:
    knowledge.sources.add(source, f"hash of {passages}", "Dishwasher", "document", passages)
    return ids(knowledge, source)


def ids(knowledge: Knowledge, source: Path) -> list[int]:
    stored = knowledge.passages.read(knowledge.passages.within(Filter()))
    return [s.id for s in stored if s.source == source]


def texts(knowledge: Knowledge, words: str, within: Filter | None = None) -> list[str]:
    found = knowledge.passages.matching(words, 10, within)
    return [s.passage.text for s in knowledge.passages.read([number for number, _ in found])]


def test_what_was_added_is_found_by_its_words_at_once(knowledge: Knowledge) -> None:
    first, _ = add(knowledge, MANUAL, FILTER, SALT)
    assert texts(knowledge, "How do I clean the filters?") == [FILTER.text]
    (stored,) = knowledge.passages.read([first])
    assert (stored.passage, stored.source) == (FILTER, MANUAL)


def test_accents_endings_and_case_make_no_difference(knowledge: Knowledge) -> None:
    add(knowledge, DIARY, Passage(text="We drank CAFÉ au lait while walking.", title="Diary"))
    assert len(texts(knowledge, "cafe")) == len(texts(knowledge, "walked")) == 1


def test_stop_words_count_only_when_nothing_else_is_said(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, FILTER, SALT, DOOR)
    assert texts(knowledge, "where is the vinegar") == [DOOR.text]
    assert len(texts(knowledge, "the")) == 3


def test_common_words_count_only_when_no_rarer_is_said() -> None:
    with closing(KnowledgeDatabase(None)) as database:
        passages = PassageStore(database, common=2)
        dripping = Passage(text="A tap drips.", title="Dishwasher")
        told = (MANUAL, "hash", "Dishwasher", "document")
        SourceStore(database).add(*told, [FILTER, SALT, dripping])
        assert len(passages.matching("dishwasher salt", 10)) == 1
        assert len(passages.matching("dishwasher", 10)) == 3


def test_the_better_match_comes_first(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, SALT, FILTER, DOOR)
    found = knowledge.passages.matching("salt lamp filter", 2)
    assert knowledge.passages.read([found[0][0]])[0].passage == SALT
    assert found[0][1] > found[1][1] > 0


def test_titles_and_places_are_words_too(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, FILTER, SALT)
    assert len(texts(knowledge, "dishwasher")) == 2
    assert texts(knowledge, "cleaning") == [FILTER.text]


@pytest.fixture(scope="module")
def with_passages() -> Iterator[Knowledge]:
    with closing(Knowledge(None)) as opened:
        opened.sources.add(MANUAL, "", "a", "document", [FILTER, SALT])
        yield opened


@given(text=st.text() | st.text(alphabet="\"'()*:^-+{}~!ANDORNEAR \0ab"))
def test_no_text_is_a_bad_query(with_passages: Knowledge, text: str) -> None:
    searched = with_passages.passages.matching(text, 5)
    assert len(searched) <= 5


def test_the_query_language_is_not_spoken(knowledge: Knowledge) -> None:
    """The control: unquoted, these would be a column filter, an exclusion and a prefix."""
    add(knowledge, MANUAL, FILTER, SALT)
    assert texts(knowledge, "place:salt NOT filt*") == [SALT.text]
    assert len(texts(knowledge, '"filter" NOT "tap"')) == 1


def test_a_very_long_question_is_no_error(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, FILTER)
    assert len(texts(knowledge, "filter " + " ".join(f"word{n}" for n in range(5000)))) == 1


# ── changes ─────────────────────────────────────────────────────────────────────────────────


def test_what_has_not_changed_keeps_its_id_and_its_vector(knowledge: Knowledge) -> None:
    first, second = add(knowledge, MANUAL, FILTER, SALT)
    knowledge.vectors.keep("e", [first, second], np.repeat(ONES, 2, axis=0))
    again = add(knowledge, MANUAL, DOOR, SALT)
    assert second in again
    assert first not in again
    assert knowledge.sources.forgotten() == [first]
    (waiting,) = knowledge.vectors.unencoded("e", 10)
    assert waiting[1] == f"Dishwasher. Cleaning. {DOOR.text}"
    assert knowledge.vectors.encoded("e").tolist() == [second]
    assert texts(knowledge, "filter") == []


def test_a_passage_that_stands_twice_is_kept_twice(knowledge: Knowledge) -> None:
    before = add(knowledge, MANUAL, SALT, SALT)
    assert len(before) == 2
    assert add(knowledge, MANUAL, SALT, SALT) == before
    assert len(add(knowledge, MANUAL, SALT)) == 1


def test_what_was_left_off_in_the_middle_counts_as_changed_and_goes_on(
    knowledge: Knowledge,
) -> None:
    many = [Passage(text=f"step {n}", title="Dishwasher") for n in range(50)]
    turns = knowledge.sources.adding(MANUAL, "hash", "Dishwasher", "document", many, "stamp")
    next(turns)
    next(turns)
    turns.close()  # type: ignore[attr-defined]
    assert knowledge.sources.contents() == {MANUAL: ("", "")}
    before = ids(knowledge, MANUAL)
    assert 0 < len(before) < 50
    after = add(knowledge, MANUAL, *many)
    assert (len(after), after[: len(before)]) == (50, before)
    left = knowledge.sources.removing(MANUAL)
    next(left)
    assert 0 < len(ids(knowledge, MANUAL)) < 50
    assert knowledge.sources.remove(MANUAL) < 50


def test_what_is_removed_is_found_no_more_and_its_ids_never_come_again(
    knowledge: Knowledge,
) -> None:
    old = add(knowledge, MANUAL, FILTER, SALT)
    assert knowledge.sources.remove(MANUAL) == 2
    assert knowledge.sources.remove(MANUAL) == 0
    assert texts(knowledge, "filter salt") == []
    assert min(add(knowledge, MANUAL, FILTER)) > max(old)


def test_every_change_raises_the_generation(knowledge: Knowledge) -> None:
    seen = [knowledge.generation]
    (number,) = add(knowledge, MANUAL, FILTER)
    seen.append(knowledge.generation)
    knowledge.vectors.keep("e", [number], ONES)
    seen.append(knowledge.generation)
    knowledge.sources.remove(MANUAL)
    seen.append(knowledge.generation)
    assert seen == sorted(set(seen))
    knowledge.passages.matching("filter", 5)
    assert knowledge.generation == seen[-1]


def test_sources_tell_what_waits_and_what_failed(knowledge: Knowledge) -> None:
    first, _ = add(knowledge, MANUAL, FILTER, SALT)
    knowledge.vectors.keep("e", [first], ONES)
    knowledge.sources.fail(DIARY, "stamp", "diary.md is damaged")
    diary, manual = knowledge.sources.all()
    assert (manual.title, manual.passages, manual.unencoded) == ("Dishwasher", 2, 1)
    assert (diary.passages, diary.fault) == (0, "diary.md is damaged")


def test_a_fault_keeps_what_was_read_before(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, FILTER)
    knowledge.sources.fail(MANUAL, "stamp", "half of it")
    assert texts(knowledge, "filter") == [FILTER.text]
    add(knowledge, MANUAL, FILTER)
    assert knowledge.sources.all()[0].fault == ""


def test_a_moved_file_keeps_its_passages(knowledge: Knowledge) -> None:
    before = add(knowledge, MANUAL, FILTER)
    knowledge.sources.move(MANUAL, DIARY, "stamp")
    assert ids(knowledge, DIARY) == before
    assert ids(knowledge, MANUAL) == []


# ── vectors ─────────────────────────────────────────────────────────────────────────────────


def test_vectors_come_back_as_they_were_kept(knowledge: Knowledge) -> None:
    numbers = add(knowledge, MANUAL, FILTER, SALT)
    kept = np.random.default_rng(1).normal(size=(2, 384)).astype(np.float32)
    knowledge.vectors.keep("e", numbers, kept)
    found = knowledge.vectors.read("e", [*numbers, 99])
    assert found.keys() == set(numbers)
    assert np.allclose(found[numbers[1]], kept[1], atol=2e-3)
    assert knowledge.vectors.matrix("e", [99])[1].shape == (0, 0)


def test_a_vector_for_a_passage_that_is_gone_is_left_out(knowledge: Knowledge) -> None:
    (number,) = add(knowledge, MANUAL, FILTER)
    knowledge.sources.remove(MANUAL)
    knowledge.vectors.keep("e", [number], ONES)
    assert knowledge.vectors.encoded("e").tolist() == []


def test_another_encoder_sees_everything_anew(knowledge: Knowledge) -> None:
    (number,) = add(knowledge, MANUAL, FILTER)
    knowledge.vectors.keep("e", [number], ONES)
    assert knowledge.vectors.unencoded("e", 10) == []
    assert knowledge.vectors.unencoded("f", 10) == [
        (number, f"Dishwasher. Cleaning. {FILTER.text}")
    ]
    assert knowledge.vectors.encoded("f").tolist() == []


# ── filters ─────────────────────────────────────────────────────────────────────────────────


def found(knowledge: Knowledge, **narrowed: object) -> list[str]:
    within = Filter(**narrowed)  # type: ignore[arg-type]
    by_words = set(texts(knowledge, "meeting", within))
    by_filter = {s.passage.text for s in knowledge.passages.read(knowledge.passages.within(within))}
    assert by_words == {text for text in by_filter if text.startswith("Meeting")}
    return sorted(text.removeprefix("Meeting ") for text in by_filter)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_filter_lets_through_its_kinds(knowledge: Knowledge) -> None:
    add(knowledge, MANUAL, FILTER, event("2026-03-02"))
    assert found(knowledge, kinds=("event", "contact")) == ["2026-03-02"]
    assert len(found(knowledge)) == 2


def test_a_filter_keeps_to_the_document_of_a_passage(knowledge: Knowledge) -> None:
    every = knowledge.passages.read(knowledge.passages.within(Filter()))
    for one in every:
        beside = knowledge.passages.read(knowledge.passages.within(Filter(beside=one.id)))
        alone = one.passage.kind in ("event", "contact")
        assert one in beside
        assert {other.source for other in beside} == {one.source}
        assert not alone or beside == [one]


def test_a_filter_knows_people_by_each_word_of_their_names(knowledge: Knowledge) -> None:
    anna, bo = "2026-01-01", "2026-01-02"
    add(knowledge, DIARY, event(anna, "", "Anna  Berg", "Carl"), event(bo, "", "Bo Annason"))
    assert found(knowledge, people=("anna",)) == [anna]
    assert found(knowledge, people=("Anna Berg",)) == [anna]
    assert found(knowledge, people=("nobody", "BO")) == [bo]
    assert found(knowledge, people=("%", "_")) == []


def test_a_filter_knows_when(knowledge: Knowledge) -> None:
    whole_day, morning, abroad = "2026-03-02", "2026-03-03T09:00:00", "2026-03-03T23:30:00+00:00"
    add(knowledge, DIARY, FILTER, event(whole_day), event(morning), event(abroad))
    second, third = at("2026-03-02T00:00+01:00"), at("2026-03-03T00:00+01:00")
    assert found(knowledge, since=second, until=third) == [whole_day]
    # Half past eleven at night in London is the fourth already in Zurich.
    assert found(knowledge, since=third, until=third + timedelta(days=1)) == [morning]
    assert found(knowledge, since=third + timedelta(days=1)) == [abroad]
    assert found(knowledge, until=second) == []
    assert found(knowledge, since=at("2026-03-03T08:00:00").replace(tzinfo=UTC)) == [
        morning,
        abroad,
    ]


def test_what_lasts_is_found_while_it_lasts(knowledge: Knowledge) -> None:
    fair = event("2026-03-01T10:00:00+01:00", "2026-03-05T18:00:00+01:00")
    add(knowledge, DIARY, fair)
    day = at("2026-03-03T00:00+01:00")
    assert len(found(knowledge, since=day, until=day + timedelta(days=1))) == 1
    assert found(knowledge, since=at("2026-03-05T18:00+01:00")) == []


def test_a_date_that_is_none_is_no_date(knowledge: Knowledge) -> None:
    add(knowledge, DIARY, event("some day"), event("0001-01-01"))
    assert found(knowledge, since=datetime.fromtimestamp(0, UTC)) == []


def test_ids_can_be_narrowed_too(knowledge: Knowledge) -> None:
    first, second = add(knowledge, MANUAL, FILTER, event("2026-03-02"))
    assert knowledge.passages.inside([second, first], Filter(kinds=("event",))) == [second]
    assert knowledge.passages.inside([second, first], Filter()) == [second, first]


# ── the file ────────────────────────────────────────────────────────────────────────────────


def test_all_of_it_is_there_after_a_restart(tmp_path: Path) -> None:
    before = Knowledge(tmp_path / "knowledge.db")
    (number,) = add(before, MANUAL, FILTER)
    before.vectors.keep("e", [number], ONES)
    before.roots.keep({MANUAL: True, DIARY: False})
    told = (before.sources.all(), before.generation, before.vectors.identity, before.roots.all())
    before.close()
    after = Knowledge(tmp_path / "knowledge.db")
    assert (
        after.sources.all(),
        after.generation,
        after.vectors.identity,
        after.roots.all(),
    ) == told
    assert after.vectors.encoded("e").tolist() == [number]
    after.close()


def test_another_file_is_told_apart() -> None:
    with closing(Knowledge(None)) as one, closing(Knowledge(None)) as other:
        assert one.vectors.identity != other.vectors.identity


def test_a_file_that_is_none_is_set_aside_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "knowledge.db"
    file.write_bytes(b"no database " * 1000)
    opened = Knowledge(file)
    assert "knowledge.db.damaged-1" in caplog.text
    assert "documents add PATH (answer.damaged)" in caplog.text
    assert (opened.sources.all(), opened.roots.all(), opened.damage) == ([], {}, Damage.FORGOTTEN)
    opened.close()
    again = Knowledge(file)
    assert again.damage is None
    again.close()


def test_of_a_damaged_file_the_wanted_folders_are_kept(tmp_path: Path) -> None:
    file, wanted = tmp_path / "knowledge.db", {Path("/docs"): True, Path("/docs/old"): False}
    first = Knowledge(file)
    first.roots.keep(wanted)
    for number in range(200):
        passages = [Passage(text=f"word {number} " * 40, title="t")]
        first.sources.add(Path(f"/docs/{number}.txt"), str(number), "t", "document", passages)
    first.close()
    content = file.read_bytes()
    file.write_bytes(content[:-8192] + b"\xff" * 8192)  # what is wanted stands on an early page
    opened = Knowledge(file)
    assert (opened.damage, opened.roots.all()) == (Damage.READ_AGAIN, wanted)
    assert opened.sources.all() == []
    opened.close()
