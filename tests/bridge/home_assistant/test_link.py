"""The connection to Home Assistant, against a stand-in of its API."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.bridge.home_assistant import link as link_module
from assistant.bridge.home_assistant.link import HomeAssistant as Link
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import (
    HomeCommand,
    HomeDescribed,
    HomeStates,
)
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.skill.home import Area, Entity, Floor, Home, read_home
from tests.bridge.home_assistant.conftest import Bench
from tests.support.home_assistant import TOKEN, HomeAssistant, state
from tests.support.mosquitto import FakeBroker
from tests.support.processes import until


def home_in(described: HomeDescribed) -> Home:
    return read_home(json.loads(described.text), "the description")


def test_the_home_is_described_by_its_registries(bench: Bench) -> None:
    home = home_in(bench.hears(HomeDescribed))
    assert home.floors == (Floor(name="Ground Floor", id="ground", aliases=("downstairs",)),)
    assert home.areas == (
        Area(name="Kitchen", id="kitchen", floor="ground", aliases=("galley",)),
        Area(name="Bedroom", id="bedroom"),
    )
    by_id = {entity.id: entity for entity in home.entities}
    assert by_id.keys() == {"light.kitchen", "media_player.radio", "sensor.kitchen", "cover.blinds"}
    assert by_id["light.kitchen"] == Entity(
        name="Kitchen Light",
        id="light.kitchen",
        area="kitchen",
        state="off",
        attributes={"supported_color_modes": ["brightness"]},
        aliases=("big light",),
    )
    assert by_id["media_player.radio"].area == "bedroom"  # that of its device
    assert by_id["sensor.kitchen"].attributes == {"device_class": "temperature"}


def test_states_and_their_attributes_come_at_the_start_and_as_they_change(
    bench: Bench, there: HomeAssistant
) -> None:
    first = bench.hears(HomeStates)
    assert first.states == {
        "light.kitchen": "off",
        "media_player.radio": "playing",
        "sensor.kitchen": "21.5",
        "cover.blinds": "open",
    }
    assert first.attributes["media_player.radio"] == {"volume_level": 0.4}
    assert first.attributes["cover.blinds"] == {"position": 100}
    there.put("light.kitchen", "on", brightness=102)
    there.put("light.hidden", "off")
    second = bench.hears(HomeStates)
    assert second.states == {"light.kitchen": "on"}
    assert second.attributes == {"light.kitchen": {"brightness": 102}}


def test_what_a_sensor_measures_waits_for_other_news(bench: Bench, there: HomeAssistant) -> None:
    bench.hears(HomeStates)
    there.put("sensor.kitchen", "22")
    there.put("light.kitchen", "on")
    assert bench.hears(HomeStates).states == {"light.kitchen": "on", "sensor.kitchen": "22"}


def test_what_a_sensor_measures_comes_in_the_end(
    bench: Bench, there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "MEASURED_EVERY_S", 0.05)
    bench.hears(HomeStates)
    there.put("sensor.kitchen", "22")
    assert bench.hears(HomeStates).states == {"sensor.kitchen": "22"}


def test_a_device_that_is_removed_is_unavailable(bench: Bench, there: HomeAssistant) -> None:
    bench.hears(HomeStates)
    there.happens("state_changed", {"entity_id": "light.kitchen", "new_state": None})
    assert bench.hears(HomeStates).states == {"light.kitchen": "unavailable"}


def test_a_command_is_a_service_call_and_its_state_comes_back(
    bench: Bench, there: HomeAssistant
) -> None:
    bench.hears(HomeStates)
    number = bench.command("light.kitchen", "40%")
    assert there.called() == ("light.turn_on", "light.kitchen", {"brightness_pct": 40})
    assert bench.becomes(number) == "sent"
    assert bench.hears(HomeStates).attributes["light.kitchen"] == {"brightness": 102}


def test_a_service_that_fails_is_told(bench: Bench, there: HomeAssistant) -> None:
    there.failing["light.kitchen"] = "no route to the lamp"
    assert bench.becomes(bench.command("light.kitchen", "on")) == "failed"


def test_a_service_that_answers_late_has_been_called(
    bench: Bench, there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "DONE_S", 0.1)
    there.silent.add("call_service")
    assert bench.becomes(bench.command("light.kitchen", "on")) == "sent"


def test_what_no_service_does_is_given_up(bench: Bench) -> None:
    with pytest.raises(BridgeError, match="no service"):
        bench.command("sensor.kitchen", "locked-up")
    assert bench.becomes(1) == "unsent"


def test_a_command_that_is_old_is_not_sent(bench: Bench, there: HomeAssistant) -> None:
    old = bench.command("media_player.radio", command="next", given_at_s=boottime_s() - 6)
    assert bench.becomes(old) == "unsent"
    new = bench.command("media_player.radio", command="next")
    assert bench.becomes(new) == "sent"
    assert there.called()[0] == "media_player.media_next_track"
    assert there.calls.empty()


def test_a_command_whose_connection_is_lost_is_unsure_and_a_change_waits(
    bench: Bench, there: HomeAssistant
) -> None:
    there.silent |= {"light.turn_on", "media_player.media_next_track", "ping"}
    change = bench.command("light.kitchen", "on")
    command = bench.command("media_player.radio", command="next")
    assert {there.called()[0] for _ in range(2)} < there.silent
    there.stop()
    assert bench.becomes(command) == "unsure"
    bench.is_away()
    assert bench.becomes(bench.command("media_player.radio", command="next")) == "unsent"
    there.silent.clear()
    there.start()
    bench.is_there()
    bench.command("light.kitchen", "on", ids=(change,))
    assert bench.becomes(change) == "sent"


def test_a_command_whose_connection_is_lost_before_it_was_begun_is_not_sent(bench: Bench) -> None:
    next_track = HomeCommand(
        given_at_s=boottime_s(),
        utterance_id="u",
        entity_id="media_player.radio",
        command="next",
        ids=(7,),
    )

    def begun_and_lost() -> None:
        bench.link._begin(next_track, [])
        for task in bench.link._running:
            task.cancel()

    bench.link._loop.call_soon_threadsafe(begun_and_lost)
    assert bench.becomes(7) == "unsent"
    assert not bench.link._on_their_way


def test_after_a_restart_the_states_are_read_again(bench: Bench, there: HomeAssistant) -> None:
    bench.hears(HomeStates)
    there.stop()
    bench.is_away()
    there.states["light.kitchen"]["state"] = "on"
    there.start()
    bench.is_there()
    assert bench.hears(HomeStates).states["light.kitchen"] == "on"


def test_names_that_change_are_described_anew(bench: Bench, there: HomeAssistant) -> None:
    bench.hears(HomeDescribed)
    there.states["light.kitchen"]["attributes"]["friendly_name"] = "Sun"
    there.happens("entity_registry_updated", {"action": "update"})
    described = home_in(bench.hears(HomeDescribed))
    assert "Sun" in {entity.name for entity in described.entities}


def test_what_still_starts_is_described_once_it_has(
    join: Callable[..., Bench], there: HomeAssistant
) -> None:
    there.running = "STARTING"
    bench = join()
    bench.is_there()
    assert HomeDescribed not in bench.link.facts
    there.happens("homeassistant_started", {})
    assert home_in(bench.hears(HomeDescribed)).areas
    assert "light.kitchen" in bench.hears(HomeStates).states


def test_with_a_home_of_the_users_nothing_is_described(
    join: Callable[..., Bench], there: HomeAssistant
) -> None:
    bench = join("light.hidden")
    bench.is_there()
    assert bench.hears(HomeStates).states == {"light.hidden": "on"}
    assert HomeDescribed not in bench.link.facts
    bench.stage.follow(["light.kitchen"])
    assert bench.hears(HomeStates, lambda m: "light.kitchen" in m.states)


def test_after_a_reload_all_is_told_again(bench: Bench) -> None:
    first = bench.hears(HomeStates)
    bench.stage.follow([])
    assert bench.hears(HomeStates).states == first.states


# ── what is wrong ───────────────────────────────────────────────────────────────────────────


def test_a_wrong_token_is_told_once_and_tried_again_when_its_file_has_changed(
    join: Callable[..., Bench], there: HomeAssistant, token: Path, caplog: pytest.LogCaptureFixture
) -> None:
    there.token = TOKEN + "x"
    bench = join()
    assert "refuses the access token" in bench.is_away()
    time.sleep(0.3)
    assert len(there.proofs) == 1
    right = token.with_name("right")
    right.write_text(there.token, "utf-8")
    right.chmod(0o600)
    right.replace(token)  # at once, as half a token would be told of, too
    bench.is_there()
    told = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == 1
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    ("mode", "content", "told"),
    [
        (0o644, TOKEN, "others may read this secret"),
        (0o600, "two words", "holds no access token"),
        (0o600, "é" * 40, "holds no access token"),
    ],
)
def test_a_token_that_cannot_be_used_is_told(
    join: Callable[..., Bench], token: Path, mode: int, content: str, told: str
) -> None:
    token.write_text(content, "utf-8")
    token.chmod(mode)
    detail = join().is_away()
    assert told in detail
    assert content not in detail


def test_no_token_names_the_command(join: Callable[..., Bench], token: Path) -> None:
    token.unlink()
    assert join().is_away().endswith("run: assistant home-assistant token")


def test_where_nothing_answers_it_is_told(join: Callable[..., Bench], there: HomeAssistant) -> None:
    there.stop()
    assert join().is_away() == f"nothing answers at {there.url}"


def test_an_address_elsewhere_is_not_asked(join: Callable[..., Bench]) -> None:
    detail = join(url="http://203.0.113.9:8123").is_away()
    assert detail == "http://203.0.113.9:8123 is not on the local network, where it must be"


@pytest.mark.parametrize("url", ["192.168.1.5:8123", "http://192.168.1.5:8123/lovelace", "ws://a"])
def test_an_address_that_is_none_is_refused_at_once(url: str, token: Path) -> None:
    with pytest.raises(ConfigError, match=r"home_assistant\.url"):
        Link(HomeAssistantSettings(url=url, token_file=str(token)))


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: ws://198.51.100.7/\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2p1\r\n" + b"x" * 100_000,
    ],
)
def test_a_server_of_another_kind_is_told(join: Callable[..., Bench], answer: bytes) -> None:
    with FakeBroker(answer) as other:
        detail = join(url=f"http://127.0.0.1:{other.port}").is_away()
    assert "does not speak as Home Assistant does" in detail


DEEP = '{"id":1,"type":"event","event":{"event_type":"state_changed","data":' + "[" * 50_000


def test_nonsense_changes_nothing(bench: Bench, there: HomeAssistant) -> None:
    bench.hears(HomeStates)
    for nonsense in (
        *("", "null", "[]", "{}", "nonsense", '{"type":7}', b"\xff\xfe", DEEP),
        '{"id":1,"type":"event"}',
        '{"id":1,"type":"event","event":{"event_type":"state_changed","data":{"entity_id":7}}}',
        '{"id":1,"type":"result"}',
        '{"id":99999999999999999999,"type":"result"}',
        '{"id":4096,"type":"result","success":true,"result":null}',
    ):
        there.throw(nonsense)
    there.happens("state_changed", {"entity_id": "light.kitchen", "new_state": {"state": "o\nn"}})
    long = state("light.kitchen", "x" * 256, "Kitchen Light")
    there.happens("state_changed", {"entity_id": "light.kitchen", "new_state": long})
    there.put("light.kitchen", "on", media_title="x" * 5000, brightness={"a": []}, source=["x"])
    report = bench.hears(HomeStates)
    assert report.states == {"light.kitchen": "on"}
    assert report.attributes == {"light.kitchen": {}}


def test_a_frame_that_is_too_large_ends_the_connection_and_not_the_bridge(
    bench: Bench, there: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    there.throw(b"x" * (9 << 20))
    bench.is_away()
    bench.is_there()
    assert "it sent more than 8388608 bytes at once" in caplog.text


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("get_states", {"a": 1}),
        ("config/area_registry/list", "areas"),
        ("config/entity_registry/get_entries", [1]),
    ],
)
def test_an_answer_of_another_kind_is_told(
    join: Callable[..., Bench], there: HomeAssistant, kind: str, answer: Any
) -> None:
    there.instead[kind] = lambda connection, asked: there.result(connection, asked["id"], answer)
    assert "answers something else than" in join().is_away()
    there.instead.clear()


def test_items_of_another_kind_are_left_out(
    join: Callable[..., Bench], there: HomeAssistant
) -> None:
    there.areas += [{"area_id": 7}, "area", {"area_id": "x", "name": "a\nb"}]
    there.entities += [registered_oddly()]
    there.states["light.odd"] = {"entity_id": "light.odd", "state": 5, "attributes": {}}
    there.states["light.long"] = state("light.long", "on", "x" * 5000)
    bench = join()
    home = home_in(bench.hears(HomeDescribed))
    assert [area.id for area in home.areas] == ["kitchen", "bedroom"]
    by_id = {entity.id: entity.name for entity in home.entities}
    assert "light.odd" not in by_id
    assert by_id["light.long"] == "Long"


def registered_oddly() -> dict[str, Any]:
    return {"entity_id": "light.kitchen2", "options": 7}


def test_a_home_that_is_too_large_is_told_and_the_rest_goes_on(
    join: Callable[..., Bench],
    there: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("assistant.bridge.described.LARGEST_DESCRIPTION_BYTES", 100)
    bench = join()
    bench.is_there()
    assert HomeDescribed not in bench.link.facts
    assert "expose fewer entities" in caplog.text


def test_a_server_that_is_silent_is_away(
    join: Callable[..., Bench], there: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.bridge.home_assistant.session.GREETING_S", 0.2)
    there.silent.add("auth_required")
    assert join().is_away().endswith("accepts the connection, and is silent")


def test_after_the_end_nothing_is_told(there: HomeAssistant, token: Path) -> None:
    bench = Bench(Link(HomeAssistantSettings(url=there.url, token_file=str(token))))
    bench.is_there()
    bench.link.close()
    there.put("light.kitchen", "on")
    until(lambda: not bench.link.alive)
