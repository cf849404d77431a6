"""A skill in its own process asks a real server through a real bridge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.isolated_skills import call
from tests.support.network_bridge import Bridge, loaded, with_network
from tests.support.web_server import WebServer


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def web(things: ExitStack) -> WebServer:
    return things.enter_context(closing(WebServer()))


def test_a_skill_hears_what_a_server_says(
    web: WebServer, things: ExitStack, tmp_path: Path
) -> None:
    permission = f"network:{web.origin}"
    bridge = Bridge(tmp_path, (permission,), things)
    body = f"return Reply(context.network.get('{web.origin}/hello?a=b').text)"
    skill = loaded(tmp_path, things, (permission,), body)
    assert call(skill, "Probe", with_network(bridge.socket)).text == "hello"
    assert web.asked == [("/hello?a=b", "", "")]
