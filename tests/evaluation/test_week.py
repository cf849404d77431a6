"""A household's conversations are held, and what is done otherwise than judged is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.evaluation.week import load_week
from tests.cli.test_bad_input import assistant, refused

HOME = """
areas: [{name: Kitchen, id: kitchen}, {name: Hall, id: hall}]
entities:
  - {name: Kitchen Lamp, id: light.kitchen, area: kitchen, state: "on"}
  - {name: Hall Lamp, id: light.hall, area: hall, state: "on"}
"""
WEEK = """
home: home.yaml
conversations:
  - id: mon-01
    at: "2026-11-23 06:45"
    area: kitchen
    utterances:
      - say: lights off
        can: home
        judged: right
        did: {reply: I turned off the kitchen lamp., effects: [light.kitchen off]}
      - {say: turn it back on, can: home, judged: wrong, did: {reply: Okay.}}
      - {say: what time is it, can: clock, judged: right, did: {reply: "It's 6:45 am."}}
  - id: mon-02
    at: "2026-11-23 07:00"
    area: hall
    utterances:
      - {say: lights off, can: home}
      - {say: order a pizza, can: none, judged: declined}
"""


@pytest.fixture
def week(tmp_path: Path) -> Path:
    (tmp_path / "home.yaml").write_text(HOME)
    (tmp_path / "week.yaml").write_text(WEEK)
    return tmp_path / "week.yaml"


def test_the_judgements_are_counted_and_what_changed_is_told(tmp_path: Path, week: Path) -> None:
    told = assistant(tmp_path, "eval", "week", week, "--json").stdout.splitlines()
    *outcomes, figures = map(json.loads, told)
    assert [(o["id"], o["changed"]) for o in outcomes] == [
        ("mon-01.1", False),
        ("mon-01.2", True),
        ("mon-01.3", False),
        ("mon-02.1", False),
        ("mon-02.2", False),
    ]
    assert outcomes[3]["did"]["effects"] == ["light.hall off"]
    assert (figures["utterances"], figures["judged"], figures["changed"]) == (5, 4, 1)
    assert (figures["right"], figures["declined"], figures["wrong"]) == (0.5, 0.25, 0.25)
    assert figures["right_of_able"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("conversations: []", "holds no utterance"),
        ("conversations: 3", "Expected `array`"),
        ("conversations: [{id: a, at: soon, utterances: []}]", "Invalid isoformat"),
        ("a: [", "expected"),
    ],
)
def test_a_file_that_is_no_week_is_refused_in_one_line(
    tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "week.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=told):
        load_week(file)
    refused(assistant(tmp_path, "eval", "week", file), told)


def test_the_week_in_the_repository_can_be_read() -> None:
    week = load_week(Path(__file__).parents[1] / "data" / "week.yaml")
    said = [u.say for conversation in week.conversations for u in conversation.utterances]
    assert len(said) == len(set(said)) >= 400
