"""The client of the broker before it connects: how it is set, and what is said when it cannot."""

from __future__ import annotations

import errno
import socket
import ssl
import string
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.enums import MQTTProtocolVersion

from assistant.bridge import client
from assistant.bridge.client import Connection, connection, password, tls, why_unreachable
from assistant.core.errors import ConfigError
from assistant.core.settings.mqtt import MqttSettings


def settings(**changed: Any) -> MqttSettings:
    return MqttSettings(**{"host": "broker.lan", **changed})


@pytest.fixture
def connects(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What paho was asked to connect to, at the last."""
    asked: dict[str, Any] = {}

    def connect_async(
        self: Connection, host: str, port: int, keepalive: int, properties: Any = None
    ) -> None:
        asked.update(client=self, host=host, port=port, keepalive=keepalive, limits=properties)

    monkeypatch.setattr(Connection, "connect_async", connect_async)
    return asked


def test_it_says_who_it_is_and_leaves_a_last_will(connects: dict[str, Any], tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("pass word \r\n")
    secret.chmod(0o640)
    made = connection(
        settings(prefix="home/hark", port=1884, username="hark", password_file=str(secret))
    )
    assert (connects["host"], connects["port"], connects["keepalive"]) == ("broker.lan", 1884, 15)
    assert (made._username, made._password) == (b"hark", b"pass word ")
    assert (made._will_topic, made._will_payload) == (b"home/hark/bridge/state", b"offline")
    assert (made._will_qos, made._will_retain) == (1, True)
    assert made._ssl_context is None


def test_nobody_is_named_unless_the_settings_do(connects: dict[str, Any]) -> None:
    made = connection(settings(password_file="/nowhere"))
    assert made._username is None
    assert connection(settings(username="hark"))._password is None


def test_it_holds_so_many_commands(
    connects: dict[str, Any],
) -> None:
    made = connection(settings())
    assert made.max_queued_messages == 256
    assert made.suppress_exceptions


def test_a_broker_that_hangs_up_again_and_again_is_called_less_and_less(
    connects: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(made: Connection, lasts_s: float) -> float:
        """How long is waited after a connection that was answered, and lasted so long."""
        made.reconnect()
        made._reconnect_delay = None  # as paho does with each answer
        now_s[0] += lasts_s
        made._reconnect_wait()
        return waited.pop()

    now_s, waited = [1000.0], list[float]()
    monkeypatch.setattr(client, "boottime_s", lambda: now_s[0])
    paho = Connection.__mro__[1]
    monkeypatch.setattr(paho, "reconnect", lambda _: None)
    monkeypatch.setattr(
        paho, "_reconnect_wait", lambda self: waited.append(self._reconnect_max_delay)
    )
    made = connection(settings())
    assert [connect(made, 0.1) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert [connect(made, 61.0), connect(made, 0.1)] == [1, 2]


def test_under_version_5_the_broker_keeps_large_packets_back(connects: dict[str, Any]) -> None:
    assert connection(settings(version="5"))._protocol == MQTTProtocolVersion.MQTTv5
    assert connects["limits"].MaximumPacketSize == 16_384 + 4096
    assert connection(settings(version="3.1.1"))._protocol == MQTTProtocolVersion.MQTTv311
    assert connects["limits"] is None


@pytest.mark.parametrize("prefix", ["", "a/#", "a+", "a\0"])
def test_a_prefix_that_is_no_topic_has_a_code(connects: dict[str, Any], prefix: str) -> None:
    with pytest.raises(ConfigError) as fault:
        connection(settings(prefix=prefix))
    assert fault.value.code == "bridge.prefix"
    assert connects == {}


def test_all_else_that_can_be_printed_may_stand_in_a_prefix(connects: dict[str, Any]) -> None:
    prefix = "".join(character for character in string.printable if character not in "+#")
    assert connection(settings(prefix=prefix))._will_topic == f"{prefix}/bridge/state".encode()


def test_a_host_that_is_no_name_has_a_code(connects: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="is no name") as fault:
        connection(settings(host="a" * 64))
    assert fault.value.code == "bridge.host"


@pytest.mark.parametrize("mode", [0o644, 0o604])
def test_a_password_for_everyone_or_for_nobody_has_a_code(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "password"
    file.write_text("secret")
    file.chmod(mode)
    with pytest.raises(ConfigError) as fault:
        password(settings(password_file=str(file)))
    assert fault.value.code == "bridge.password"
    told = f"{file}: everyone can read this password; run: chmod o= {file}"
    assert fault.value.message == told
    for content in (b"\xff", None):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        with pytest.raises(ConfigError, match=r"mqtt\.password_file: ") as fault:
            password(settings(password_file=str(file)))
        assert fault.value.code == "bridge.password"


def test_a_password_lies_where_the_user_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "password"
    file.write_text("secret")
    file.chmod(0o600)
    assert password(settings(password_file="~/password")) == "secret"
    assert password(settings()) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", ""])
@pytest.mark.parametrize("secret", ["secret", "SECRETX", "\tsecret \t"])
def test_of_a_password_only_the_ends_of_lines_are_cut(
    tmp_path: Path, secret: str, end: str
) -> None:
    file = tmp_path / "password"
    file.write_text(secret + end, newline="")
    file.chmod(0o600)
    assert password(settings(password_file=str(file))) == secret


def test_tls_trusts_the_system_and_wants_the_hosts_name(connects: dict[str, Any]) -> None:
    context = tls(settings(tls=True))
    assert context is not None
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.sslsocket_class is client._Handshake
    assert connection(settings(tls=True))._ssl_context is not None
    assert tls(settings()) is None


def test_authorities_without_tls_or_that_are_none_have_a_code(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"set mqtt\.tls = true") as fault:
        tls(settings(ca_file="/etc/hark/ca.crt"))
    assert fault.value.code == "bridge.tls"
    with pytest.raises(ConfigError, match="holds no certificates") as fault:
        tls(settings(tls=True, ca_file=str(tmp_path / "none.crt")))
    assert fault.value.code == "bridge.ca_file"


def test_a_socket_whose_handshake_fails_is_closed_at_once() -> None:
    context = tls(settings(tls=True))
    assert context is not None
    ours, theirs = socket.socketpair()
    with theirs:
        # As paho does it: the handshake by itself.
        wrapped = context.wrap_socket(
            ours, server_hostname="broker.lan", do_handshake_on_connect=False
        )
        theirs.sendall(b"this is no TLS, and never will be")
        with pytest.raises(ssl.SSLError):
            wrapped.do_handshake()
        assert wrapped.fileno() == -1


def refused(code: int, said: str = "it does not fit.") -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(said)
    error.verify_code, error.verify_message = code, said
    return error


NO_TLS = "no TLS at broker.lan:1883"
AUTHORITY = "set mqtt.ca_file to the certificate of the authority that signed it"
OUT_OF_DATE = "renew it, or set this device's clock"
NAME = 'set mqtt.host to a name that it holds, not "broker.lan"'


@pytest.mark.parametrize(
    ("error", "encrypted", "told"),
    [
        (refused(62), True, f"its certificate is refused: it does not fit; {NAME}"),
        (refused(64), True, f"its certificate is refused: it does not fit; {NAME}"),
        (refused(9), True, f"its certificate is refused: it does not fit; {OUT_OF_DATE}"),
        (refused(10), True, f"its certificate is refused: it does not fit; {OUT_OF_DATE}"),
        (refused(19), True, f"its certificate is refused: it does not fit; {AUTHORITY}"),
        (ConnectionResetError(), True, f"{NO_TLS}: it hung up; see mqtt.port and mqtt.tls"),
        (BrokenPipeError(), True, f"{NO_TLS}: it hung up; see mqtt.port and mqtt.tls"),
        (ConnectionResetError(), False, "nothing answers at broker.lan:1883"),
        (OSError(errno.EHOSTUNREACH, "no way"), True, "nothing answers at broker.lan:1883"),
        (None, True, "nothing answers at broker.lan:1883"),
    ],
)
def test_what_is_wrong_and_what_to_do(
    error: BaseException | None, encrypted: bool, told: str
) -> None:
    assert why_unreachable(settings(tls=encrypted), error) == told


def test_whoever_does_not_speak_tls_is_told_so() -> None:
    error = ssl.SSLError(1, "wrong version number")
    error.reason = "WRONG_VERSION_NUMBER"
    told = f"{NO_TLS}: WRONG_VERSION_NUMBER; see mqtt.port and mqtt.tls"
    assert why_unreachable(settings(tls=True), error) == told


@pytest.mark.parametrize("fault", [None, ZeroDivisionError("odd")])
def test_the_end_of_pahos_thread_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, fault: Exception | None
) -> None:
    def loop(self: object, timeout: float, retry_first_connection: bool) -> int:
        given.append((timeout, retry_first_connection))
        if fault is not None:
            raise fault
        return 0

    given: deque[tuple[float, bool]] = deque()
    ended: list[BaseException | None] = []
    monkeypatch.setattr(Connection.__mro__[1], "loop_forever", loop)
    made = connection(settings(host="127.0.0.1"))
    made.when_ended = ended.append
    if fault is None:
        assert made.loop_forever(0.5, True) == 0
        assert made.loop_forever() == 0
        assert list(given) == [(0.5, True), (1.0, False)]
        assert ended == [None, None]
    else:
        with pytest.raises(ZeroDivisionError):
            made.loop_forever(0.5, True)
        assert ended == [fault]
