"""The news aloud: the daemon has no network, the bridge beside it asks the feed's server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.network_bridge import EndableBridge
from tests.support.news_feeds import POST, rss
from tests.support.scenario import Do, Expect, Say, Spoken, quiet, tell
from tests.support.web_server import WebServer

pytestmark = pytest.mark.e2e


class Household:
    """A daemon, the server of a feed, and the bridge, which can be ended."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.web = things.enter_context(closing(WebServer()))
        self.web.pages["/rss.xml"] = rss(*POST)
        settings = (
            f'[skills.settings.news]\nfeeds = {{ "Harbour Post" = "{self.web.origin}/rss.xml" }}\n'
            f'[skills.grants]\nnews = ["network:{self.web.origin}"]\n[nlu]\nmodels = false\n'
        )
        (folder / "daemon").mkdir()
        self.daemon = things.enter_context(quiet(folder / "daemon", settings))
        self.bridge = EndableBridge(self.daemon, folder / "bridge.log", things)


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with ExitStack() as things:
        yield Household(tmp_path_factory.mktemp("household"), things)


def test_the_headlines_are_told_and_more_of_one_is_read(household: Household) -> None:
    headlines = (
        "The Harbour Post says: Ferry to the islands runs again. Fish market closes on Sundays. "
        "Storm breaks the old pier."
    )
    second = "The Harbour Post says: The market opens again on Monday at six."
    tell(
        household.daemon,
        [
            Say("computer, what is the news"),
            Expect("Reply", {"text": headlines}),
            Spoken(),
            Say("computer, read me the second one"),
            Expect("Reply", {"text": second}),
            Spoken(),
        ],
    )
    assert household.web.asked == [("/rss.xml", "", "")]


def test_without_the_bridge_it_is_said_which_feed_is_not_reached(household: Household) -> None:
    tell(
        household.daemon,
        [
            Do("end the bridge", household.bridge.end),
            Say("computer, what is the news"),
            Expect("Reply", {"text": "I can't reach the Harbour Post news now."}),
            Expect("PlaybackEnded"),
        ],
    )
