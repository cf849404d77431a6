"""What a skill or a voice may have kept is bounded, whatever it is kept in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.database import Database
from assistant.core.errors import AssistantError, StorageError
from assistant.skill import Context, Reply, Skill
from skills import state as state_file
from skills.state import QUOTAS, Quota, open_state
from tests.support.grammars import built_in_skills
from tests.support.talking import Talk

LONG = "x" * 60_000


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Database]:
    with closing(open_state(tmp_path / "state.db")) as database:
        yield database


def insert(database: Database, text: str = "milk", number: int = 0) -> None:
    sql = "INSERT INTO list_items (id, list_id, text) VALUES (?, 'shopping', ?)"
    database.execute(sql, f"{number}", text)


def refusal(database: Database, sql: str, *parameters: object) -> str:
    with pytest.raises(StorageError) as refused:
        database.execute(sql, *parameters)
    assert refused.value.code == "storage.quota"
    return refused.value.message


def test_every_table_has_its_quota_and_names_it(state: Database) -> None:
    for table in QUOTAS:
        columns = state.execute("SELECT name, type FROM pragma_table_info(?)", table)
        names = [name for name, _ in columns if name != "number"]
        large = "y" * (QUOTAS[table].row_bytes + 1)
        values = [large if kind == "TEXT" else 1 for name, kind in columns if name != "number"]
        marks = ", ".join("?" * len(names))
        quoted = ", ".join(f'"{name}"' for name in names)
        told = refusal(state, f"INSERT INTO {table} ({quoted}) VALUES ({marks})", *values)
        assert told.endswith(f"{table} may not have a row of more than {len(large) - 1} bytes")


def test_rows_are_counted_and_some_may_go_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, "list_items", Quota(3, 100))
    with closing(open_state(tmp_path / "state.db")) as state:
        for number in range(3):
            insert(state, number=number)
        sql = "INSERT INTO list_items (id, list_id, text) VALUES ('3', 'shopping', 'tea')"
        assert refusal(state, sql).endswith("list_items may not have more than 3 rows")
        state.execute("DELETE FROM list_items WHERE id = '0'")
        state.execute(sql)


def test_a_row_may_not_grow_beyond_it(state: Database) -> None:
    insert(state)
    refusal(state, "UPDATE list_items SET text = ?", LONG)
    state.execute("UPDATE list_items SET text = ?", "y" * 1_000)


def test_what_was_kept_before_there_were_quotas_can_be_checked_off_and_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with monkeypatch.context() as before:
        before.setattr(state_file, "QUOTAS", {})
        with closing(open_state(path)) as state:
            insert(state, LONG)
    with closing(open_state(path)) as state:
        state.execute("UPDATE list_items SET done = 1")
        state.execute("UPDATE list_items SET text = ?", LONG[1:])
        state.execute("DELETE FROM list_items")


def test_a_whole_file_that_is_full_is_not_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skills.state.LARGEST_BYTES", 400_000)
    with closing(open_state(tmp_path / "state.db")) as state:
        for number in range(50):
            insert(state, "y" * 1_000, number)
        sql = "INSERT INTO skill_values VALUES ('box', 'key', zeroblob(900000))"
        assert "it is full: it may have 400000 bytes" in refusal(state, sql)


def keeping(act: Callable[[Context], object]) -> Talk:
    skill = Skill("box")

    @skill.intent("Keep", "keep")
    def keep(context: Context) -> Reply:
        act(context)
        return Reply("Kept.")

    registry = built_in_skills()
    registry.add("box", lambda: skill)
    return Talk(registry=registry)


@pytest.mark.parametrize(
    "act",
    [
        lambda c: c.lists.add("shopping", LONG),
        lambda c: [c.lists.add("shopping", LONG[:1_000]) for _ in range(6_000)],
        lambda c: c.lists.make(LONG),
        lambda c: [c.lists.make(f"list {n}") for n in range(300)],
        lambda c: c.home.set_state("light.lamp", LONG),
        lambda c: c.home.set_attribute("light.lamp", "colour", LONG),
        lambda c: c.timers.start(timedelta(minutes=1), LONG),
    ],
    ids=["item", "items", "list", "lists", "state", "attribute", "timer"],
)
def test_nothing_of_a_turn_stays_that_keeps_too_much(act: Callable[[Context], object]) -> None:
    talk = keeping(lambda context: (context.lists.add("shopping", "before"), act(context)))
    with pytest.raises(AssistantError) as refused:
        talk.ask("Keep")
    assert refused.value.code == "storage.quota"
    assert talk.database.execute("SELECT text FROM list_items") == []
    talk.database.close()


def test_a_long_list_of_an_honest_household_is_kept() -> None:
    def act(context: Context) -> None:
        for number in range(1_000):
            context.lists.add("shopping", f"{number} {'ä' * 400}")

    talk = keeping(act)
    assert talk.ask("Keep") == "Kept."
    talk.database.close()
