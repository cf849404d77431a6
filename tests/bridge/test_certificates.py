"""Home Assistant and a calendar under TLS: certificates of an authority that these tests make."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge.caldav.link import CalDav
from assistant.bridge.home_assistant.link import HomeAssistant as HomeAssistantLink
from assistant.bridge.kept import KeptLink
from assistant.core.settings.calendar import CalendarSettings
from assistant.core.settings.home_assistant import HomeAssistantSettings
from tests.support.authority import Authority
from tests.support.caldav_server import CalDavServer
from tests.support.home_assistant import TOKEN, HomeAssistant
from tests.support.pumped_bridge import PumpedBridge

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")

Join = Callable[[str, int, bool], PumpedBridge[KeptLink]]
"""Name and days of the server's certificate, and whether its authority is trusted → the bridge."""


@pytest.fixture(params=["home_assistant", "calendar"])
def setting(request: pytest.FixtureRequest) -> str:
    """The section of the settings that names the server."""
    return str(request.param)


@pytest.fixture
def join(things: ExitStack, tmp_path: Path, setting: str) -> Join:
    authority = Authority(tmp_path / "authority")
    token = tmp_path / "token"
    token.write_text(TOKEN, "utf-8")
    token.chmod(0o600)

    def made(name: str, days: int, trusted: bool) -> PumpedBridge[KeptLink]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*authority.sign(name, days))
        ca_file = str(authority.file) if trusted else ""
        link: KeptLink
        if setting == "calendar":
            server = things.enter_context(closing(CalDavServer(tls)))
            link = CalDav(CalendarSettings(url=server.url, ca_file=ca_file))
        else:
            there = things.enter_context(closing(HomeAssistant()))
            there.start(tls)
            url = there.url.replace("http:", "https:")
            link = HomeAssistantLink(
                HomeAssistantSettings(url=url, token_file=str(token), ca_file=ca_file)
            )
        return PumpedBridge(things.enter_context(closing(link)))

    return made


def test_one_of_an_authority_of_ones_own_is_spoken_to(join: Join) -> None:
    join("IP:127.0.0.1", 2, True).is_there()


@pytest.mark.parametrize(
    ("name", "days", "trusted", "remedy"),
    [
        ("IP:127.0.0.2", 2, True, "set {}.url to a name that it holds"),
        ("DNS:elsewhere.example", 2, True, "set {}.url to a name that it holds"),
        ("IP:127.0.0.1", -1, True, "renew it, or set this device's clock"),
        ("IP:127.0.0.1", 2, False, "see {}.ca_file"),
    ],
)
def test_one_whose_certificate_does_not_fit_is_told_with_what_to_do(
    join: Join, setting: str, name: str, days: int, trusted: bool, remedy: str
) -> None:
    told = join(name, days, trusted).is_away()
    assert "its certificate is refused: " in told
    assert told.endswith(f"; {remedy.format(setting)}")
