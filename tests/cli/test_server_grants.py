"""What `assistant skills grant` says of a skill that asks servers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from assistant.bridge.network.grants import Reach, ServerGrants
from assistant.cli.shared import server_grants
from assistant.cli.shared.server_grants import ServerGrant
from assistant.cli.skills import app
from assistant.core.config import Config
from assistant.core.network.origin import Origin
from assistant.core.settings.skills import SkillsSettings
from tests.support.isolated_skills import written

runner = CliRunner()
API = "https://api.example.org"
ADDRESSES = {
    "api.example.org": ("93.184.215.14", "2606:2800::1"),
    "nas.local": ("192.168.1.20",),
    "both.example.org": ("192.168.1.21", "93.184.215.14"),
}


def lookup(host: str) -> tuple[str, ...]:
    return ADDRESSES.get(host, ())


def grant(*permissions: str, skill: str = "recipes") -> ServerGrant:
    return ServerGrant(skill, permissions, lookup)


def test_at_home_nothing_leaves_the_house_and_root_need_not_be_asked() -> None:
    told = grant("timers", "network:http://nas.local:8080").told
    assert "http://nas.local:8080 is on your network" in told
    assert "stays in it" in told
    assert "leaves the house" not in told
    assert grant("network:http://nas.local:8080").drop_in == ""
    assert grant("network:http://both.example.org").drop_in == ""


def test_what_leaves_the_house_is_said_and_what_root_must_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server_grants, "RESOLV_CONF", tmp_path / "resolv.conf")
    (tmp_path / "resolv.conf").write_text(
        "nameserver 192.168.1.1\nnameserver 9.9.9.9\nnameserver\n"
    )
    asked = grant("home:light", "timers", f"network:{API}", "network:http://nas.local")
    told = asked.told
    assert f"{API} is on the internet: what recipes sends there leaves the house." in told
    assert "the words that are said to it" in told
    assert "devices and their states; all timers" in told
    assert "/etc/systemd/system/assistant-bridge.service.d/skill-recipes.conf" in told
    assert asked.drop_in in told
    assert asked.drop_in.splitlines()[1:] == [
        "[Service]",
        f'Environment="HARK_INTERNET_RECIPES={API}"',
        "IPAddressAllow=93.184.215.14 2606:2800::1 9.9.9.9",
    ]


def test_the_bridge_takes_it_as_it_is_written() -> None:
    line = grant(f"network:{API}", "network:http://api.example.org:8080").drop_in.splitlines()[2]
    name, _, value = line.removeprefix('Environment="').removesuffix('"').partition("=")
    granted = {"recipes": (f"network:{API}",), "moon": (f"network:{API}",)}
    config = Config(skills=SkillsSettings(grants=granted))
    grants = ServerGrants(lambda: config, {name: value})
    assert grants.reach("recipes", Origin.read(API)) is Reach.INTERNET
    assert grants.reach("moon", Origin.read(API)) is Reach.LOCAL


def test_a_name_that_is_not_known_here_is_told() -> None:
    assert "no address that is known here" in grant("network:http://nowhere.example").told


def test_a_name_that_could_be_anothers_is_not_let_out() -> None:
    asked = grant(f"network:{API}", skill="my-recipes")
    assert asked.drop_in == ""
    assert "small letters" in asked.told


def test_a_skill_that_asks_no_server_says_nothing_of_one() -> None:
    assert grant("timers", "home").told == ""


def test_the_command_shows_it(tmp_path: Path) -> None:
    folder = written(
        tmp_path, "recipes", "", ("network:http://127.0.0.1:8080", "network:http://1.1.1.1")
    )
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\n[skills]\nfolders = ["{folder}"]\n')
    done = runner.invoke(app, ["grant", "recipes", "--config", str(file)])
    assert done.exit_code == 0
    assert 'recipes = ["network:http://127.0.0.1:8080", "network:http://1.1.1.1"]' in done.stdout
    assert "http://127.0.0.1:8080 is on your network" in done.stdout
    assert "http://1.1.1.1 is on the internet" in done.stdout
    assert "IPAddressAllow=1.1.1.1" in done.stdout
    done = runner.invoke(app, ["grant", "recipes", "--config", str(file), "--json"])
    assert "HARK_INTERNET_RECIPES=http://1.1.1.1" in msgspec.json.decode(done.stdout)["drop_in"]


def test_a_built_in_skill_asks_for_the_servers_that_its_settings_name(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        f'[storage]\nstate = "{tmp_path / "none"}"\n[skills.settings.news.feeds]\n'
        'Tides = "http://127.0.0.1:8080/tides.xml"\nMoon = "http://127.0.0.1:8080/moon.xml"\n'
        'World = "http://1.1.1.1/rss"\nWrong = "no address"\n'
    )
    done = runner.invoke(app, ["grant", "news", "--config", str(file)])
    assert done.exit_code == 0
    assert 'news = ["network:http://127.0.0.1:8080", "network:http://1.1.1.1"]' in done.stdout
    assert "HARK_INTERNET_NEWS=http://1.1.1.1" in done.stdout
    done = runner.invoke(app, ["grant", "jokes", "--config", str(file)])
    assert done.stdout == "jokes may use: nothing\n"
