"""What is said of the news, beside the skill's own tests.yaml."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assistant.core.errors import SkillError
from assistant.core.network.exchange import LONGEST_WAIT_S
from assistant.skill import Area, Context, Entity, Response, UnreachableError
from assistant.skill.home import Home
from assistant.skill.memory import MemoryNetwork
from assistant.skill.storage import LARGEST_VALUE_BYTES
from assistant.skill.testing import converse, memory_context
from skills.news import skill
from skills.news.sources import WAIT_S, NewsSettings, names
from tests.support.news_feeds import POST, VALLEY, atom, rss

HARBOUR, HERALD = "http://post.example/rss", "http://valley.example/atom"
FEEDS = {"Harbour Post": HARBOUR, "The Valley Herald": HERALD}
FIRST_THREE = (
    "The Harbour Post says: Ferry to the islands runs again. Fish market closes on Sundays."
    " Storm breaks the old pier."
)


class Slow(MemoryNetwork):
    """Notes how long each answer may take."""

    def __init__(self) -> None:
        super().__init__()
        self.within: list[float] = []

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        self.within.append(within_s)
        return super().get(url, secret=secret)


class Refusing(MemoryNetwork):
    """Refuses as the bridge does."""

    def __init__(self, error: SkillError) -> None:
        super().__init__()
        self._error = error

    def get(
        self, url: str, *, secret: str | None = None, within_s: float = LONGEST_WAIT_S
    ) -> Response:
        raise self._error


def page(text: str, status: int = 200) -> Response:
    return Response(status=status, body=text.encode())


@pytest.fixture
def network() -> MemoryNetwork:
    network = MemoryNetwork()
    network.answers = {HARBOUR: page(rss(*POST)), HERALD: page(atom(*VALLEY))}
    return network


@pytest.fixture
def context(network: MemoryNetwork) -> Context:
    return with_feeds(network)


def with_feeds(network: MemoryNetwork, feeds: dict[str, str] = FEEDS, **more: Any) -> Context:
    return memory_context(skill=skill, settings=NewsSettings(feeds), network=network, **more)


def told(context: Context, intent: str = "GetNews", **slots: str) -> str:
    *_, said = converse(skill, intent, context, **slots)
    return said


def test_three_headlines_of_one_feed_are_told_then_those_of_the_next(context: Context) -> None:
    assert told(context) == FIRST_THREE
    assert told(context, "MoreNews") == (
        "The Valley Herald says: Council votes for a new library."
        " The Harbour Post says: Lighthouse gets a new lamp."
    )
    assert told(context, "MoreNews") == "That was all the news."


def test_a_feed_is_asked_alone_where_it_is_named(context: Context, network: MemoryNetwork) -> None:
    said = told(context, feed="the valley herald")
    assert said == "The Valley Herald says: Council votes for a new library."
    assert network.asked == [("GET", HERALD, "")]


def test_headlines_about_something_are_found_in_what_is_told_of_them(context: Context) -> None:
    assert told(context, topic="the snow") == "I have no news about the snow."
    assert told(context, topic="an island").endswith("says: Ferry to the islands runs again.")
    assert told(context, topic="May").endswith("Council votes for a new library.")
    assert told(context, feed="paris") == "I have no news about paris."


def test_without_feeds_it_is_said_where_to_name_one() -> None:
    context = with_feeds(MemoryNetwork(), {})
    for intent in ("GetNews", "MoreNews", "ListFeeds"):
        assert told(context, intent) == "I have no news. Name a feed in the settings."


@pytest.mark.parametrize(
    ("answer", "lacking"),
    [
        (None, "I can't reach the Harbour Post news now."),
        (page("", 404), "I can't reach the Harbour Post news now."),
        (page("<html>Sign in</html>"), "I can't read what the Harbour Post sends."),
        (page(rss()), ""),
    ],
)
def test_a_feed_that_fails_is_named_and_the_others_are_told(
    context: Context, network: MemoryNetwork, answer: Response | None, lacking: str
) -> None:
    network.answers.pop(HARBOUR)
    if answer is not None:
        network.answers[HARBOUR] = answer
    news = "The Valley Herald says: Council votes for a new library."
    assert told(context) == f"{news} {lacking}".strip()
    assert told(context, feed="harbour post") == (lacking or "The Harbour Post has no news now.")
    assert told(context, topic="snow") == f"I have no news about snow. {lacking}".strip()


def test_feeds_without_news_are_named_together(network: MemoryNetwork) -> None:
    network.answers = {HARBOUR: page(rss()), HERALD: page(atom())}
    context = with_feeds(network, {**FEEDS, "Gone": "http://gone.example"})
    assert told(context) == (
        "The Harbour Post and The Valley Herald have no news now. I can't reach the Gone news now."
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            SkillError("skill.permission", "not granted"),
            "I may not ask the BBC News. Grant me its server.",
        ),
        (
            SkillError("skill.url", "no URL"),
            "The address of the BBC News in the settings is wrong.",
        ),
        (UnreachableError("away"), "I can't reach the BBC News now."),
    ],
)
def test_what_the_bridge_refuses_is_told(error: SkillError, said: str) -> None:
    assert told(with_feeds(Refusing(error), {"BBC News": HARBOUR})) == said


def test_all_feeds_together_are_waited_for_as_long_as_one_skill_may() -> None:
    network = Slow()
    told(with_feeds(network, {f"Feed {n}": f"http://feed.example/{n}" for n in range(10)}))
    assert len(network.within) == 8
    assert network.within[0] <= WAIT_S / 8
    assert network.within[-1] <= WAIT_S


def test_a_headline_is_read_by_its_place_or_its_subject(context: Context) -> None:
    assert told(context, "ReadHeadline") == "I told no headlines lately."
    told(context)
    second = "The Harbour Post says: The market opens again on Monday at six."
    assert told(context, "ReadHeadline", place="second") == second
    assert told(context, "ReadHeadline", topic="the fish market") == second
    assert told(context, "ReadHeadline", place="last").endswith("the pier is closed.")
    assert told(context, "ReadHeadline", topic="snow") == "I told no headline about snow."
    asked = converse(skill, "ReadHeadline", context, answers=["second"])
    assert asked == ["Which one, the first, second or third?", second]
    told(context, "MoreNews")
    assert told(context, "ReadHeadline", place="third") == "I told two headlines."
    assert told(context, "ReadHeadline", place="second") == (
        "The Harbour Post says no more of that than: Lighthouse gets a new lamp."
    )


def test_the_only_headline_is_read_without_a_question(context: Context) -> None:
    told(context, feed="valley herald")
    assert told(context, "ReadHeadline") == "The Valley Herald says: The library opens in May."


def test_what_was_told_is_forgotten_after_a_while(context: Context, network: MemoryNetwork) -> None:
    told(context)
    later = replace(context, clock=lambda: context.now + timedelta(minutes=31))
    assert told(later, "ReadHeadline", place="first") == "I told no headlines lately."
    assert told(later, "MoreNews") == FIRST_THREE
    assert len(network.asked) == 4


def test_each_room_hears_its_own_news(network: MemoryNetwork) -> None:
    areas = (Area(name="Kitchen", id="kitchen"), Area(name="Snug", id="snug"))
    kitchen = with_feeds(network, home=Home(areas=areas), area="kitchen")
    told(kitchen)
    snug = replace(kitchen, area=areas[1])
    assert told(snug, "ReadHeadline", place="first") == "I told no headlines lately."
    assert "ferry sails" in told(kitchen, "ReadHeadline", place="first")


def test_the_longest_headlines_can_be_kept() -> None:
    network = MemoryNetwork()
    items = ((f"\U0001f6a2{n} " * 60, "\U0001f6a2" * 400) for n in range(30))
    network.answers = {HARBOUR: page(rss(*items))}
    context = with_feeds(network, {"Harbour Post": HARBOUR})
    told(context)
    (key,) = context.storage.keys()
    assert 40_000 < len(context.storage.values.read(key) or b"") < LARGEST_VALUE_BYTES


def test_home_assistants_feeds_are_told_after_those_of_the_settings(
    network: MemoryNetwork,
) -> None:
    attributes = {"title": "Tide &amp; time", "description": "<p>High at nine.</p>"}
    home = Home(
        entities=(
            Entity(name="Tides", id="event.tides", attributes=attributes),
            Entity(name="Gone", id="event.gone", state="unavailable", attributes=attributes),
            Entity(name="New", id="event.new"),
        )
    )
    context = with_feeds(network, {"Valley": HERALD}, home=home)
    assert names(context) == ["Valley", "Tides", "Gone", "New"]
    assert told(context) == (
        "The Valley says: Council votes for a new library. The Tides says: Tide & time."
        " I can't reach the Gone news now."
    )
    assert told(context, "ReadHeadline", place="second") == "The Tides says: High at nine."
    assert told(context, feed="new") == "The New has no news now."
    listed = "My news is from the Valley, the Tides, the Gone and the New."
    assert told(context, "ListFeeds") == listed
