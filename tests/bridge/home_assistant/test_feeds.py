"""The feeds of news that Home Assistant follows are described, and their latest headline told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assistant.bridge.home_assistant.feeds import LONGEST_TEXT
from assistant.core.messages import HomeDescribed, HomeStates
from assistant.skill.home import read_home
from tests.bridge.home_assistant.conftest import Bench
from tests.support.home_assistant import HomeAssistant, state

POST = "event.harbour_post"
HEADLINE = {
    "event_type": "feedreader",
    "title": "Ferry runs again",
    "link": "https://post.example/1",
    "description": "<p>It sails\n every hour.</p>",
    "content": "<p>A whole article.</p>",
}


def feed(**attributes: Any) -> dict[str, Any]:
    """A feed as `get_states` tells it."""
    told = {"event_types": ["feedreader"], **attributes}
    return state(POST, "2026-01-05T17:00:00.000+00:00", "Harbour Post", **told)


@pytest.fixture
def join_with(join: Callable[..., Bench], there: HomeAssistant) -> Callable[..., Bench]:
    def made(**attributes: Any) -> Bench:
        there.states[POST] = feed(**attributes)
        there.states["event.doorbell"] = state(
            "event.doorbell", "unknown", "Doorbell", event_types=["ring"], title="A", link="b"
        )
        there.states["event.broken"] = state("event.broken", "unknown", "Broken", event_types=7)
        return join()

    return made


def told(bench: Bench, title: str) -> dict[str, Any]:
    """The attributes of the feed, once it has this title."""
    states = bench.hears(
        HomeStates, lambda one: one.attributes.get(POST, {}).get("title", "") == title
    )
    return dict(states.attributes[POST])


def test_a_feed_is_described_and_a_doorbell_is_not(join_with: Callable[..., Bench]) -> None:
    described = join_with(**HEADLINE).hears(HomeDescribed)
    home = read_home(json.loads(described.text), "the description")
    events = [(one.id, one.name) for one in home.entities if one.domain == "event"]
    assert events == [(POST, "Harbour Post")]


def test_its_latest_headline_is_told_as_it_changes(
    join_with: Callable[..., Bench], there: HomeAssistant
) -> None:
    bench = join_with(**HEADLINE)
    first = {"title": "Ferry runs again", "description": "<p>It sails  every hour.</p>"}
    assert told(bench, "Ferry runs again") == first
    there.put(POST, "2026-01-05T18:00:00.000+00:00", **{**HEADLINE, "title": "Storm"})
    assert told(bench, "Storm")["description"] == first["description"]


def test_a_feed_without_a_headline_tells_none(join_with: Callable[..., Bench]) -> None:
    bench = join_with()
    assert bench.hears(HomeStates, lambda one: POST in one.states).attributes[POST] == {}


def test_long_texts_are_cut_and_others_are_left_out(join_with: Callable[..., Bench]) -> None:
    bench = join_with(title="t" * 100_000, description=None, content="c" * 100_000)
    assert told(bench, "t" * LONGEST_TEXT)["description"] == "c" * LONGEST_TEXT


def test_what_is_no_text_is_left_out(join_with: Callable[..., Bench]) -> None:
    bench = join_with(title="Storm", description={"no": "text"}, content="x" * (2 << 20))
    assert told(bench, "Storm") == {"title": "Storm"}
