"""A Home Assistant that is tried out, before anybody follows it."""

from __future__ import annotations

import pytest

from assistant.bridge import described
from assistant.bridge.home_assistant.trial import try_out
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.settings.home_assistant import HomeAssistantSettings
from tests.support.home_assistant import TOKEN, HomeAssistant


def settings(there: HomeAssistant) -> HomeAssistantSettings:
    return HomeAssistantSettings(url=there.url)


def test_what_it_describes_is_found(there: HomeAssistant) -> None:
    home, started = try_out(settings(there), TOKEN)
    assert started
    assert [area.name for area in home.areas] == ["Kitchen", "Bedroom"]
    assert {entity.id for entity in home.entities} == {
        *("light.kitchen", "media_player.radio", "sensor.kitchen", "cover.blinds"),
    }


def test_one_that_still_starts_says_so(there: HomeAssistant) -> None:
    there.running = "STARTING"
    assert not try_out(settings(there), TOKEN).started


def test_a_token_is_refused(there: HomeAssistant) -> None:
    with pytest.raises(BridgeError, match="refuses the access token") as refused:
        try_out(settings(there), TOKEN[:-1])
    assert refused.value.code == "bridge.token"


def test_what_is_not_answered_as_it_should_is_named(there: HomeAssistant) -> None:
    there.instead["get_states"] = lambda *asked: there.refuse(*asked, "not \x1b[2Jyours")
    with pytest.raises(BridgeError, match="does not let its home be read") as refused:
        try_out(settings(there), TOKEN)
    assert refused.value.message.endswith(r"not [2Jyours")
    there.instead["get_states"] = lambda connection, asked: connection.close()
    with pytest.raises(BridgeError, match="the connection was lost"):
        try_out(settings(there), TOKEN)


def test_the_home_is_as_the_daemon_reads_it(
    there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.areas = [{"area_id": "joes", "name": "Joe[']s Room"}]
    (area,) = try_out(settings(there), TOKEN).home.areas
    assert (area.name, area.aliases) == ("Joes Room", ("Joe's Room",))
    monkeypatch.setattr(described, "LARGEST_DESCRIPTION_BYTES", 100)
    with pytest.raises(BridgeError, match="expose fewer entities"):
        try_out(settings(there), TOKEN)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"home_assistant\.url"):
        try_out(HomeAssistantSettings(url="my house"), TOKEN)
