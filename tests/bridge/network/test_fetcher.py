"""What the bridge refuses to ask for, or to give, each beside what it gives without that guard."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import pytest

from assistant.bridge.authorities import trusting
from assistant.bridge.network import fetcher, grants, server
from assistant.bridge.network.fetcher import Fetcher
from assistant.bridge.network.grants import ServerGrants
from assistant.bridge.network.secrets import Secret, Secrets
from assistant.bridge.network.server import NetworkServer
from assistant.core.config import Config
from assistant.core.errors import ControlError, SkillError, UnreachableError
from assistant.core.network import exchange
from assistant.core.network.exchange import Allowed, Answer, Check, Refused, ask_bridge
from assistant.core.network.origin import Origin
from assistant.core.settings.skills import SkillsSettings
from assistant.skill.network import Response
from skills.capabilities import network as skills_network
from skills.capabilities.network import BridgeNetwork
from tests.support.authority import Authority
from tests.support.network import free_port
from tests.support.processes import until
from tests.support.web_server import WebServer

KEY = "k3y0fTheCellar"
PERMITTED = "api.example.org"


class Desk:
    """A network served in this process; `addresses` says where each name leads, in order."""

    def __init__(
        self,
        folder: Path,
        *origins: str,
        internet: str = "",
        tls: ssl.SSLContext | None = None,
        addresses: dict[str, list[list[str]]] | None = None,
    ) -> None:
        granted = {"recipes": tuple(f"network:{origin}" for origin in origins)}
        config = Config(skills=SkillsSettings(grants=granted))
        self._addresses = addresses or {}
        self.socket = folder / "network.sock"
        self._server = NetworkServer(
            self.socket,
            Fetcher(
                ServerGrants(lambda: config, {"HARK_INTERNET_RECIPES": internet}),
                Secrets(folder / "secrets"),
                tls or ssl.create_default_context(),
                self._resolve,
            ),
        )
        self.network = BridgeNetwork(self.socket, "recipes")
        self.alive = lambda: self._server.alive

    async def _resolve(self, host: str, port: int) -> list[str]:
        found = self._addresses.get(host)
        if found is None:
            return await fetcher.resolve(host, port)
        return found.pop(0) if len(found) > 1 else found[0]

    def check(self, origin: str) -> Answer:
        return ask_bridge(self.socket, Check(skill="recipes", origin=Origin.read(origin)))

    def close(self) -> None:
        self._server.close()


MakeDesk = Callable[..., Desk]


@pytest.fixture
def desk(tmp_path: Path, things: ExitStack) -> MakeDesk:
    return lambda *given, **named: things.enter_context(closing(Desk(tmp_path, *given, **named)))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bridge, and not who waits for it, says what is wrong, however busy the machine is.

    It waits for as long as a test says, or for a minute.
    """
    monkeypatch.setattr(exchange, "LONGER_S", 60.0)
    monkeypatch.setattr(server, "HEARD_WITHIN_S", 60.0)
    for module in (fetcher, skills_network):
        monkeypatch.setattr(module, "LONGEST_WAIT_S", 60.0)
    for asks in (BridgeNetwork.get, BridgeNetwork.post):
        monkeypatch.setitem(asks.__kwdefaults__, "within_s", 60.0)


@pytest.fixture
def web(things: ExitStack) -> WebServer:
    return things.enter_context(closing(WebServer()))


def refused(act: Callable[[], object], code: str, told: str) -> None:
    with pytest.raises(SkillError, match=told) as error:
        act()
    assert error.value.code == code


def unreachable(act: Callable[[], object], told: str) -> None:
    with pytest.raises(UnreachableError, match=told):
        act()


def test_a_server_is_asked_and_its_answer_given_whatever_its_status(
    desk: MakeDesk, web: WebServer
) -> None:
    network = desk(web.origin).network
    assert network.get(f"{web.origin}/hello?a=b") == Response(status=200, body=b"hello")
    assert network.get(f"{web.origin}/missing").status == 404
    posted = network.post(f"{web.origin}/hello", '{"cups": 5}')
    assert posted.text == 'hello {"cups": 5}'
    assert [path for path, _, _ in web.asked] == ["/hello?a=b", "/missing", "/hello"]


def test_a_server_that_the_settings_do_not_grant_is_not_asked(
    desk: MakeDesk, web: WebServer, things: ExitStack
) -> None:
    other = things.enter_context(closing(WebServer()))
    network = desk(web.origin).network
    permission = f'do not grant recipes "network:{other.origin}"'
    refused(lambda: network.get(f"{other.origin}/hello"), "skill.permission", permission)
    assert other.asked == []
    assert network.get(f"{web.origin}/hello").status == 200
    stranger = BridgeNetwork(network._socket, "stranger")
    refused(lambda: stranger.get(f"{web.origin}/hello"), "skill.permission", "grant stranger")


def test_a_redirect_is_not_followed(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = desk(web.origin).network
    unreachable(lambda: network.get(f"{web.origin}/elsewhere"), "sends to another address")
    assert [path for path, _, _ in web.asked] == ["/elsewhere"]
    monkeypatch.setattr(fetcher, "REDIRECTS", ())
    assert network.get(f"{web.origin}/elsewhere").status == 302


def test_an_answer_that_is_too_large_is_given_up(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = desk(web.origin).network
    unreachable(lambda: network.get(f"{web.origin}/large"), "more than 262144 bytes")
    monkeypatch.setattr(fetcher, "LARGEST_BODY_BYTES", 10**6)
    monkeypatch.setattr(exchange, "LARGEST_ANSWER_BYTES", 10**6)
    assert len(network.get(f"{web.origin}/large").body) == 300_000


@pytest.mark.parametrize("path", ["silent", "drip", "drip-headers"])
def test_a_slow_server_is_given_up_in_time(desk: MakeDesk, web: WebServer, path: str) -> None:
    # It would take 50 s.
    network = desk(web.origin).network
    unreachable(lambda: network.get(f"{web.origin}/{path}", within_s=0.3), "in time")


def test_what_comes_slowly_and_still_in_time_is_taken(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The control of the test above: it is the time that ends it, and not the way in which it comes.
    monkeypatch.setattr(fetcher, "LONGEST_WAIT_S", 120.0)
    monkeypatch.setattr(skills_network, "LONGEST_WAIT_S", 120.0)
    reply = desk(web.origin).network.get(f"{web.origin}/drip?bytes=20", within_s=60.0)
    assert reply.body == b"x" * 20


@pytest.mark.parametrize(("path", "told"), [("rubbish", "no HTTP"), ("compressed", "compressed")])
def test_what_is_no_plain_answer_is_refused(
    desk: MakeDesk, web: WebServer, path: str, told: str
) -> None:
    network = desk(web.origin).network
    unreachable(lambda: network.get(f"{web.origin}/{path}"), told)
    assert network.get(f"{web.origin}/hello").status == 200


def test_where_nobody_listens_nothing_answers(desk: MakeDesk) -> None:
    origin = f"http://127.0.0.1:{free_port()}"
    unreachable(lambda: desk(origin).network.get(f"{origin}/hello"), "nothing answers there")


def test_a_name_that_there_is_not_is_told(desk: MakeDesk) -> None:
    network = desk("http://nowhere.invalid").network
    unreachable(lambda: network.get("http://nowhere.invalid/"), "no address is known")


def test_a_local_server_is_asked_by_its_name_where_it_is_local(
    desk: MakeDesk, web: WebServer
) -> None:
    """A name is looked up once: what it leads to afterwards does not count."""
    origin = f"http://nas.local:{web.port}"
    where = [["1.1.1.1", "127.0.0.1"], ["1.1.1.1"]]
    network = desk(origin, addresses={"nas.local": where}).network
    assert network.get(f"{origin}/hello").text == "hello"
    refused(lambda: network.get(f"{origin}/hello"), "skill.permission", "not on the local network")
    assert len(web.asked) == 1


def test_a_server_on_the_internet_may_not_turn_out_to_be_at_home(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebinding: its name led to the internet when root allowed it, and now leads to the router."""
    origin = f"http://{PERMITTED}:{web.port}"
    at_home = [[address] for address in ("127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "127.0.0.1")]
    network = desk(origin, internet=origin, addresses={PERMITTED: at_home}).network
    for _ in at_home:
        refused(lambda: network.get(f"{origin}/hello"), "skill.permission", "not on the internet")
    assert web.asked == []
    monkeypatch.setitem(fetcher._FITS, grants.Reach.INTERNET, lambda address: True)  # type: ignore[arg-type]
    assert network.get(f"{origin}/hello").text == "hello"


def test_without_roots_word_the_settings_grant_no_server_on_the_internet(desk: MakeDesk) -> None:
    origin = f"http://{PERMITTED}:9"
    network = desk(origin, addresses={PERMITTED: [["1.1.1.1"]]}).network
    refused(lambda: network.get(f"{origin}/"), "skill.permission", "assistant skills grant")


def test_with_roots_word_alone_none_is_granted_either(desk: MakeDesk) -> None:
    origin = f"http://{PERMITTED}:9"
    network = desk(internet=origin, addresses={PERMITTED: [["1.1.1.1"]]}).network
    refused(lambda: network.get(f"{origin}/"), "skill.permission", "do not grant")


def test_with_both_it_is_gone_to(
    desk: MakeDesk, monkeypatch: pytest.MonkeyPatch, web: WebServer
) -> None:
    """The control of both tests above; the way to the internet leads to this machine here."""
    origin = f"http://{PERMITTED}:{web.port}"
    network = desk(origin, internet=origin, addresses={PERMITTED: [["1.1.1.1"]]}).network
    there = fetcher.httpcore2.AnyIOBackend.connect_tcp

    async def led_home(self: object, host: str, *given: object, **named: object) -> object:
        assert host == "1.1.1.1"
        return await there(self, "127.0.0.1", *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(fetcher.httpcore2.AnyIOBackend, "connect_tcp", led_home)
    assert network.get(f"{origin}/hello").text == "hello"


def test_of_several_addresses_the_first_that_answers_is_taken(
    desk: MakeDesk, web: WebServer
) -> None:
    origin = f"http://nas.local:{web.port}"
    network = desk(origin, addresses={"nas.local": [["127.0.0.2", "127.0.0.1"]]}).network
    assert network.get(f"{origin}/hello").text == "hello"


def test_an_address_that_systemd_refuses_is_told_from_one_that_is_silent(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As IPAddressDeny= has it, which these tests cannot put in force."""

    async def denied(**_: object) -> object:
        raise OSError("All connection attempts failed") from PermissionError(1, "not permitted")

    network = desk(web.origin).network
    monkeypatch.setattr("anyio.connect_tcp", denied)
    unreachable(lambda: network.get(f"{web.origin}/hello"), "see IPAddressAllow")


# ── TLS ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def under_tls(authority: Authority, things: ExitStack, name: str, days: int = 2) -> WebServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.sign(name, days))
    return things.enter_context(closing(WebServer(context)))


@pytest.mark.parametrize(
    ("name", "days", "trusted", "told"),
    [
        ("DNS:nas.local", 2, True, ""),
        ("DNS:nas.local", 2, False, "certificate is refused: .*see network.ca_file"),
        ("DNS:other.local", 2, True, "certificate is refused"),
        ("IP:127.0.0.1", 2, True, "certificate is refused"),
        ("DNS:nas.local", -1, True, "certificate is refused"),
    ],
)
def test_a_certificate_must_name_the_host_and_be_signed(
    desk: MakeDesk,
    things: ExitStack,
    authority: Authority,
    name: str,
    days: int,
    trusted: bool,
    told: str,
) -> None:
    secure = under_tls(authority, things, name, days)
    origin = f"https://nas.local:{secure.port}"
    tls = trusting(str(authority.file) if trusted else "", "network.ca_file")
    network = desk(origin, tls=tls, addresses={"nas.local": [["127.0.0.1"]]}).network
    if told:
        unreachable(lambda: network.get(f"{origin}/hello"), told)
        assert secure.asked == []
    else:
        assert network.get(f"{origin}/hello").text == "hello"


def test_who_speaks_no_tls_is_told(desk: MakeDesk, web: WebServer) -> None:
    origin = web.origin.replace("http", "https")
    unreachable(lambda: desk(origin).network.get(f"{origin}/hello"), "speaks no TLS")


# ── secrets ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def secret(tmp_path: Path, web: WebServer) -> Path:
    file = tmp_path / "secrets" / "recipes" / "token"
    file.parent.mkdir(parents=True)
    file.write_text(f'origin = "{web.origin}"\nauthorization = "Bearer {KEY}"\n')
    file.chmod(0o600)
    return file


@pytest.mark.usefixtures("secret")
def test_a_secret_goes_to_its_server_and_into_no_line_of_the_log(
    desk: MakeDesk, web: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    network = desk(web.origin).network
    assert network.get(f"{web.origin}/hello", secret="token").text == "hello"
    network.post(f"{web.origin}/hello", "x", secret="token")
    network.get(f"{web.origin}/hello")
    assert [sent for _, sent, _ in web.asked] == [f"Bearer {KEY}", f"Bearer {KEY}", ""]
    assert "recipes asked" in caplog.text
    assert KEY not in caplog.text
    assert "/hello" not in caplog.text


def test_its_own_lines_for_debugging_would_hold_it(
    desk: MakeDesk, web: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    # The control of the level that is set for them.
    network = desk(web.origin).network
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpcore2")
    network.get(f"{web.origin}/missing")
    assert "Content-Length" in caplog.text


@pytest.mark.usefixtures("secret")
def test_a_server_that_repeats_the_secret_is_not_passed_on(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = desk(web.origin).network
    url = f"{web.origin}/echo"
    refused(lambda: network.get(url, secret="token"), "skill.secret", "repeats the secret")
    monkeypatch.setattr(Secret, "is_in", lambda self, body: False)
    assert KEY in network.get(url, secret="token").text


def test_a_secret_for_another_server_stays(
    desk: MakeDesk, web: WebServer, secret: Path, things: ExitStack
) -> None:
    other = things.enter_context(closing(WebServer()))
    network = desk(web.origin, other.origin).network
    url = f"{other.origin}/hello"
    refused(lambda: network.get(url, secret="token"), "skill.secret", "for another server")
    assert other.asked == []
    secret.write_text(secret.read_text().replace(web.origin, other.origin))
    assert network.get(url, secret="token").status == 200


def test_a_secret_that_others_may_read_is_not_used(
    desk: MakeDesk, web: WebServer, secret: Path
) -> None:
    secret.chmod(0o644)
    network = desk(web.origin).network
    url = f"{web.origin}/hello"
    refused(lambda: network.get(url, secret="token"), "skill.secret", "chmod 600")
    assert web.asked == []
    secret.chmod(0o600)
    assert network.get(url, secret="token").status == 200


# ── the socket ──────────────────────────────────────────────────────────────────────────────


def test_only_this_user_may_ask(desk: MakeDesk, web: WebServer) -> None:
    assert desk(web.origin).socket.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "sent",
    [b"", b"rubbish", b"\x81\xa4type\xa5Fetch", b"x" * 70_000, b"\x81\xa1x" + b"\x91" * 9_000],
)
def test_what_is_no_request_harms_nobody(desk: MakeDesk, web: WebServer, sent: bytes) -> None:
    here = desk(web.origin)
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(here.socket))
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        answer = msgspec.msgpack.decode(line.recv(4096), type=Answer)
    assert isinstance(answer, Refused)
    assert here.network.get(f"{web.origin}/hello").status == 200


def test_who_connects_and_says_nothing_is_hung_up_on(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEARD_WITHIN_S", 0.2)
    here = desk(web.origin)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        line.connect(str(here.socket))
        assert line.recv(10) == b""


def test_too_many_at_once_are_told_so_and_one_slow_server_holds_up_no_other(
    desk: MakeDesk, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_AT_ONCE", 2)
    here = desk(web.origin)

    def waits() -> None:
        with pytest.raises(UnreachableError):
            here.network.get(f"{web.origin}/silent")

    first = threading.Thread(target=waits)
    first.start()
    until(lambda: len(web.asked) == 1)
    assert here.network.get(f"{web.origin}/hello").text == "hello"
    second = threading.Thread(target=waits)
    second.start()
    until(lambda: len(web.asked) == 3)
    unreachable(lambda: here.network.get(f"{web.origin}/hello"), "at once")
    web.ended.set()
    first.join()
    second.join()
    assert here.network.get(f"{web.origin}/hello").text == "hello"


def test_a_check_says_whether_a_server_may_be_asked_and_answers(
    desk: MakeDesk, web: WebServer
) -> None:
    closed = f"http://127.0.0.1:{free_port()}"
    here = desk(web.origin, closed)
    assert here.check(web.origin) == Allowed()
    assert web.asked == []
    answer = here.check(closed)
    assert isinstance(answer, Refused)
    assert answer.code == UnreachableError.CODE
    answer = here.check("http://192.168.1.20")
    assert isinstance(answer, Refused)
    assert answer.code == "skill.permission"


def test_a_second_bridge_does_not_take_the_socket_over(desk: MakeDesk, web: WebServer) -> None:
    here = desk(web.origin)
    with pytest.raises(ControlError, match="another assistant"):
        desk(web.origin)
    assert here.network.get(f"{web.origin}/hello").status == 200


def test_what_has_ended_is_not_alive(desk: MakeDesk, web: WebServer) -> None:
    here = desk(web.origin)
    assert here.alive()
    here.close()
    assert not here.alive()
    unreachable(lambda: here.network.get(f"{web.origin}/hello"), "the bridge does not run")
