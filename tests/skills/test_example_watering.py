"""The example skill that remembers and speaks first, as its user meets it over a few days."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.messages import SpokenReply
from skills.isolation.host import Host, all_granted
from skills.registry import load_registry
from tests.support.talking import Talk

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "skills" / "watering"
DAY_S = 86_400.0


@pytest.fixture
def begin(talks: Callable[..., Talk]) -> Callable[[int], Talk]:
    def talk(days: int) -> Talk:
        given = {"watering": {"days": days}}
        host = Host(all_granted([FOLDER]))
        return talks(registry=load_registry([FOLDER], settings=given, host=host))

    return talk


def told(talk: Talk, days: float) -> set[str]:
    return {m.text for m in talk.wait(days * DAY_S) if isinstance(m, SpokenReply)}


def test_it_speaks_up_on_the_evening_on_which_they_need_water(begin: Callable[[int], Talk]) -> None:
    talk = begin(2)
    assert talk.ask("LastWatered") == "I don't know."
    talk.ask("NoteWatering")
    assert told(talk, 1.9) == set()
    talk.restart()
    assert told(talk, 0.1) == {"The plants need water."}


def test_what_was_undone_is_not_remembered(begin: Callable[[int], Talk]) -> None:
    talk = begin(2)
    talk.ask("NoteWatering")
    assert talk.ask("LastWatered") == "You watered them today."
    assert talk.ask("Undo") == "I took that back."
    assert talk.ask("LastWatered") == "I don't know."
    assert told(talk, 4) == set()
