"""The MQTT client, made from the settings: user, password, and trusted certificates."""

from __future__ import annotations

import socket
import ssl
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from assistant.bridge.discovery.announcements import LARGEST_BYTES
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES, presence_topic
from assistant.core.errors import ConfigError
from assistant.core.settings.mqtt import MqttSettings

KEEPALIVE_S = 15
RECONNECT_S = (1, 60)
OVERHEAD_BYTES = 4096
"""Most bytes of a packet beside its payload. The broker is asked to send no larger one: a retained
message of 200 MB would exceed the service's memory at each start. MQTT 3.1.1 has no such limit."""
WAITING_COMMANDS = 256
"""Most commands that wait for the broker's acknowledgement."""
VERSIONS = {"5": MQTTProtocolVersion.MQTTv5, "3.1.1": MQTTProtocolVersion.MQTTv311}

_NAME_MISMATCH = (62, 64)
"""X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH of OpenSSL."""
_OUT_OF_DATE = (9, 10)
"""X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""


class _Handshake(ssl.SSLSocket):
    """A socket that closes when its handshake fails, which paho does not ensure."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


class Connection(Client):
    """paho's client; unlike paho's own, it reports when its thread has ended."""

    when_ended: Callable[[BaseException | None], None]

    def loop_forever(
        self, timeout: float = 1.0, retry_first_connection: bool = False
    ) -> MQTTErrorCode:
        """Keep the connection until `disconnect`; this is all that paho's thread runs."""
        try:
            return super().loop_forever(timeout, retry_first_connection)
        finally:
            self.when_ended(sys.exception())


def connection(settings: MqttSettings) -> Connection:
    """A client that is not connected yet; raises `ConfigError` for settings that cannot work."""
    for name in ("prefix", "discovery_prefix"):
        topic: str = getattr(settings, name)
        if not topic or set(topic) & set("+#\0"):
            raise ConfigError("bridge.prefix", f'mqtt.{name}: "{topic}" is no topic')
    client = Connection(CallbackAPIVersion.VERSION2, protocol=VERSIONS[settings.version])
    if settings.username:
        client.username_pw_set(settings.username, password(settings))
    if context := tls(settings):
        client.tls_set_context(context)
    client.will_set(presence_topic(settings.prefix), "offline", qos=1, retain=True)
    client.reconnect_delay_set(*RECONNECT_S)
    client.max_queued_messages_set(WAITING_COMMANDS)
    # An exception in a callback would end paho's thread, and with it the connection for good.
    client.suppress_exceptions = True
    limits = None
    if settings.version == "5":
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        largest = LARGEST_BYTES if settings.discover else LARGEST_PAYLOAD_BYTES
        limits.MaximumPacketSize = largest + OVERHEAD_BYTES
    client.on_socket_open = _send_at_once
    client.connect_async(_host(settings), settings.port, KEEPALIVE_S, properties=limits)
    return client


def _send_at_once(_: Client, __: Any, opened: Any) -> None:
    """Have no alarm wait until the broker has acknowledged what went before it (Nagle)."""
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def password(settings: MqttSettings) -> str | None:
    """The password in the settings' file, or None; raises `ConfigError` when all may read it."""
    if not settings.password_file:
        return None
    file = Path(settings.password_file).expanduser()
    try:
        secret = file.read_text("utf-8").rstrip("\r\n")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("bridge.password", f"mqtt.password_file: {error}") from error
    if mode & stat.S_IROTH:
        message = f"{file}: everyone can read this password; run: chmod o= {file}"
        raise ConfigError("bridge.password", message)
    return secret


def tls(settings: MqttSettings) -> ssl.SSLContext | None:
    """A context that trusts `mqtt.ca_file`, or the system's authorities; None without `mqtt.tls`.

    The broker's certificate must name the host. Raises `ConfigError` for a file without
    certificates.
    """
    if not settings.tls:
        if settings.ca_file:
            message = "mqtt.ca_file is set and mqtt.tls is not; set mqtt.tls = true"
            raise ConfigError("bridge.tls", message)
        return None
    file = Path(settings.ca_file).expanduser() if settings.ca_file else None
    try:
        context = ssl.create_default_context(cafile=file)
    except OSError as error:
        message = f"mqtt.ca_file: {file} holds no certificates in PEM that can be read: {error}"
        raise ConfigError("bridge.ca_file", message) from error
    context.sslsocket_class = _Handshake
    return context


def why_unreachable(settings: MqttSettings, error: BaseException | None) -> str:
    """What is wrong and what to do, after an attempt to connect that failed with `error`."""
    where = f"{settings.host}:{settings.port}"
    match error:
        case ssl.SSLCertVerificationError(verify_code=code, verify_message=said):
            if code in _NAME_MISMATCH:
                remedy = f'set mqtt.host to a name that it holds, not "{settings.host}"'
            elif code in _OUT_OF_DATE:
                remedy = "renew it, or set this device's clock"
            else:
                remedy = "set mqtt.ca_file to the certificate of the authority that signed it"
            return f"its certificate is refused: {said.rstrip('.')}; {remedy}"
        case ssl.SSLError(reason=reason):
            return f"no TLS at {where}: {reason}; see mqtt.port and mqtt.tls"
        case ConnectionResetError() | BrokenPipeError() if settings.tls:
            return f"no TLS at {where}: it hung up; see mqtt.port and mqtt.tls"
    return f"nothing answers at {where}"


def _host(settings: MqttSettings) -> str:
    try:
        settings.host.encode("idna")
    except UnicodeError as error:
        raise ConfigError("bridge.host", f'mqtt.host: "{settings.host}" is no name') from error
    return settings.host
