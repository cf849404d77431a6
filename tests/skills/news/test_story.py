"""A household whose Home Assistant follows a feed: the bridge tells of it, and it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.home_assistant.link import HomeAssistant as Link
from assistant.core.clock import boottime_s
from assistant.core.messages import HomeStates, Reload, Tick
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.speakable import read_names
from assistant.skill.home import Area, Entity, Home, without_feeds
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.support.grammars import speakable_of, templates_of
from tests.support.home_assistant import TOKEN, HomeAssistant, state
from tests.support.household import Household
from tests.support.talking import EVENING, Talk

POST = "event.harbour_post"
HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"),),
    entities=(
        Entity(name="Kitchen Light", id="light.kitchen", area="kitchen", state="off"),
        Entity(name="Harbour Post", id=POST),
    ),
)


@pytest.fixture(scope="module")
def understanding() -> NluStage:
    templates = templates_of(without_feeds(HOME))
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


@pytest.fixture
def there(things: ExitStack) -> HomeAssistant:
    there = things.enter_context(closing(HomeAssistant()))
    there.states[POST] = state(POST, "unknown", "Harbour Post", event_types=["feedreader"])
    there.start()
    return there


@pytest.fixture
def household(
    things: ExitStack,
    there: HomeAssistant,
    talks: Callable[..., Talk],
    understanding: NluStage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Household:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n")
    token.chmod(0o600)
    settings = HomeAssistantSettings(url=there.url, token_file=str(token))
    link = things.enter_context(closing(Link(settings, [one.id for one in HOME.entities])))
    talk = talks(home=HOME, broker=True, at_s=boottime_s())
    household = Household(talk, understanding, link)
    household.until(lambda message: isinstance(message, HomeStates))
    return household


def test_the_latest_headline_is_told_as_it_comes(
    household: Household, there: HomeAssistant
) -> None:
    assert household.say("what's the news") == "The Harbour Post has no news now."
    for title, text in (("Ferry runs again", "<p>Every hour.</p>"), ("Storm", None)):
        attributes = {"event_types": ["feedreader"], "title": title, "description": text}
        there.put(POST, "2026-01-05T18:00:00.000+00:00", **attributes)
        household.until(
            lambda message, title=title: (
                isinstance(message, HomeStates)
                and message.attributes.get(POST, {}).get("title") == title
            )
        )
        assert household.say("what's the news") == f"The Harbour Post says: {title}."
        more = "no more of that than: Storm." if text is None else "Every hour."
        assert household.say("tell me more about that").endswith(more)


def test_one_that_is_gone_is_not_reached(household: Household, there: HomeAssistant) -> None:
    there.put(POST, "unavailable")
    household.until(
        lambda message: (
            isinstance(message, HomeStates) and message.states.get(POST) == "unavailable"
        )
    )
    assert household.say("what's the news") == "I can't reach the Harbour Post news now."


def test_the_names_of_feeds_are_told_to_recognition(
    talks: Callable[..., Talk], tmp_path: Path
) -> None:
    file = tmp_path / "names.json"
    messages = talks(home=HOME, names=file).feed(Tick())
    assert [one.stage for one in messages if isinstance(one, Reload)] == ["asr"]
    names = read_names(file)
    assert names["news"] == {"feed": ("Harbour Post",)}
    for given, heard in ((names, True), ({}, False)):
        expected = speakable_of({"news"}, without_feeds(HOME), names=given).sentences
        assert any("harbour post" in sentence for sentence in expected) is heard
