"""A hub as the stages ask it, by way of a real bridge: it replies in time, or they do without."""

from __future__ import annotations

import ssl
import subprocess
import sys
import wave
from collections.abc import Callable
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path

import pytest

from assistant.bridge.network.hub import HubClient
from assistant.core.config import load_config
from assistant.core.errors import ConfigError
from assistant.core.network import exchange
from assistant.core.network.exchange import Allowed, CheckHub, Refused, ask_bridge
from assistant.core.network.hub import Answered, Heard, Hub, may_leave
from assistant.core.settings.hub import HubSettings
from assistant.doctor import servers
from assistant.pool.breaker import FAILURES_TO_OPEN
from tests.support.authority import Authority
from tests.support.network_bridge import Bridge
from tests.support.processes import until
from tests.support.stand_in_hub import KEY, WORDS, StandInHub

SOUND = bytes(32_000)
Started = Callable[..., tuple[StandInHub, Hub, Bridge]]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bridge, and not who waits for it, says what is wrong, however busy the machine is."""
    monkeypatch.setattr(exchange, "LONGER_S", 60.0)


@pytest.fixture
def started(things: ExitStack, tmp_path: Path) -> Started:
    """Starts a hub, a bridge that knows it, and how the stages ask it."""

    def start(certificate: Path | None = None, key: str = KEY, within_s: float = 10.0) -> tuple:
        authority = Authority(tmp_path / "authority")
        own = authority.sign("DNS:elsewhere.example")  # the name is not looked at
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*own)
        hub = things.enter_context(closing(StandInHub(context)))
        file = tmp_path / "key"
        file.write_text(f"{key}\n")
        file.chmod(0o600)
        more = (
            f'[hub]\nurl = "{hub.url}"\nkey_file = "{file}"\nwithin_s = {within_s}\n'
            f'certificate = "{certificate or own[0]}"\n'
        )
        bridge = Bridge(tmp_path, (), things, more)
        settings = load_config((bridge.settings,))[0].hub
        return hub, Hub(settings, bridge.socket), bridge

    return start


def hear(hub: Hub) -> Heard | None:
    with may_leave(True):
        awaited = hub.hear(SOUND)
    return awaited.reply() if awaited is not None else None


def test_it_hears_answers_and_summarises_by_one_connection(started: Started) -> None:
    hub, asked, bridge = started()
    heard = hear(asked)
    assert heard is not None
    assert [word.text for word in heard.words] == WORDS.split()
    assert asked.answer("where is the jam").reply() == Answered(
        text="In the larder.", done=True, title="the larder's list", place="Jars"
    )
    assert asked.summarise("the list", None).reply() is not None
    paths = [path for path, _ in hub.asked]
    assert paths == ["/v1/hear?intents=false", "/v1/answer", "/v1/summarise"]
    with wave.open(BytesIO(hub.asked[0][1])) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (16_000, len(SOUND) // 2)
    assert b'"where is the jam"' in hub.asked[1][1]
    assert hub.connections == 1
    assert ask_bridge(bridge.socket, CheckHub()) == Allowed()


@pytest.mark.parametrize("how", ["silent", "cut", "rubbish", "503", "422"])
def test_where_it_is_no_good_there_is_no_reply(started: Started, how: str) -> None:
    hub, asked, bridge = started()
    hub.how = how
    settings = HubSettings(url=hub.url, within_s=0.5 if how == "silent" else 10.0)
    awaited = Hub(settings, bridge.socket).answer("where is the jam")
    assert awaited.reply() is None
    assert awaited.is_over
    assert len(hub.asked) == 1 or how == "silent"  # which half a second may be too short for
    hub.how = "well"
    assert asked.answer("where is the jam").reply() is not None


def test_a_reply_may_be_looked_for_again_and_again(started: Started) -> None:
    hub, asked, _ = started()
    hub.how = "silent"
    awaited = asked.answer("where is the jam")
    for _ in range(6):
        assert awaited.reply(0.01) is None
        assert not awaited.is_over
    hub.ended.set()  # it hangs up
    until(lambda: awaited.reply(0.01) is None and awaited.is_over)


def test_one_that_fails_again_and_again_is_not_waited_for(started: Started) -> None:
    hub, asked, _ = started()
    hub.how = "cut"
    for _ in range(FAILURES_TO_OPEN + 6):
        assert asked.answer("where is the jam").reply() is None
    # On a busy machine its rest is over meanwhile, and it is tried again.
    assert FAILURES_TO_OPEN <= len(hub.asked) < FAILURES_TO_OPEN + 6


def test_where_it_is_away_that_is_told(started: Started) -> None:
    hub, asked, bridge = started()
    hub.close()
    assert asked.answer("where is the jam").reply() is None
    refused = ask_bridge(bridge.socket, CheckHub())
    assert isinstance(refused, Refused)
    assert (refused.code, refused.message) == ("hub.away", f"{hub.url}: nothing answers there")


def test_the_authority_that_signed_it_is_not_enough(started: Started, tmp_path: Path) -> None:
    hub, asked, bridge = started(certificate=tmp_path / "authority" / "ca.crt")
    assert hear(asked) is None
    assert hub.asked == []
    assert "its certificate is refused: it is another one; see hub" in bridge.log.read_text()


def test_another_certificate_is_refused(started: Started, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other").sign("IP:127.0.0.1")[0]
    hub, asked, bridge = started(certificate=other)
    assert hear(asked) is None
    assert hub.asked == []
    assert "certificate is refused" in bridge.log.read_text()
    assert "see hub.certificate" in bridge.log.read_text()


def test_a_hub_that_does_not_know_the_key_is_told_of(started: Started) -> None:
    hub, asked, bridge = started(key="another key")
    assert hear(asked) is None
    assert hub.asked == []
    assert "status 401; see hub.key_file" in bridge.log.read_text()
    assert "another key" not in bridge.log.read_text()
    (finding,) = servers.servers(load_config((bridge.settings,))[0])
    assert (finding.name, finding.ok) == ("hub", False)
    assert "status 401" in finding.detail


def test_without_a_bridge_there_is_no_reply(tmp_path: Path) -> None:
    awaited = Hub(HubSettings(url="http://127.0.0.1:1"), tmp_path / "none").answer("who is it")
    assert awaited.is_over
    assert awaited.reply() is None


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (HubSettings(url="192.168.1.10"), "hub.url: it is no URL"),
        (HubSettings(url="http://192.168.1.10:8443"), "would be read along"),
        (HubSettings(url="https://192.168.1.10:8443"), "hub.certificate: name the file"),
        (HubSettings(url="https://192.168.1.10", certificate="/none.pem"), "no certificate in PEM"),
    ],
)
def test_settings_that_are_not_safe_are_refused(settings: HubSettings, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        HubClient(settings)


def test_a_hub_on_the_internet_is_never_asked(things: ExitStack, tmp_path: Path) -> None:
    certificate = Authority(tmp_path / "authority").file
    more = f'[hub]\nurl = "https://1.1.1.1"\ncertificate = "{certificate}"\n'
    bridge = Bridge(tmp_path, (), things, more)
    refused = ask_bridge(bridge.socket, CheckHub())
    assert isinstance(refused, Refused)
    assert "is not on the local network" in refused.message


def test_the_bridge_ends_where_the_settings_name_no_safe_hub(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        f'[storage]\nruntime = "{tmp_path / "run"}"\n[hub]\nurl = "http://192.168.1.10:8443"\n'
    )
    command = (sys.executable, "-m", "assistant", "bridge", "--config", str(file))
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "would be read along" in ended.stderr
