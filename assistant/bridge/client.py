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
from paho.mqtt.enums import CallbackAPIVersion, LogLevel, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from assistant.bridge.authorities import NAME_MISMATCH, OUT_OF_DATE
from assistant.bridge.discovery.announcements import LARGEST_BYTES
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES, presence_topic
from assistant.core.clock import boottime_s
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

_KIND_AND_QOS, _PUBLISH_TWICE_CONFIRMED = 0xF6, 0x34
"""Of a packet's first byte what it is and its quality of service, and PUBLISH with QoS 2."""


class _Handshake(ssl.SSLSocket):
    """A socket that closes when its handshake fails, which paho does not ensure."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


class Connection(Client):
    """paho's client, within bounds that hold whatever the broker was asked for.

    Unlike paho's own, it reports when its thread has ended.
    """

    when_ended: Callable[[BaseException | None], None]
    largest_bytes = LARGEST_BYTES + OVERHEAD_BYTES
    """Most bytes that are kept of a packet, so that what is cut is still too large to be taken."""
    _since_s, _wait_s = 0.0, 0

    def loop_forever(
        self, timeout: float = 1.0, retry_first_connection: bool = False
    ) -> MQTTErrorCode:
        """Keep the connection until `disconnect`; this is all that paho's thread runs."""
        try:
            return super().loop_forever(timeout, retry_first_connection)
        finally:
            self.when_ended(sys.exception())

    def reconnect(self) -> MQTTErrorCode:
        """Connect, as paho's thread does each time."""
        self._since_s = boottime_s()
        return super().reconnect()

    def _reconnect_wait(self) -> None:
        # paho begins anew with every answer, so a broker that always hangs up would be called, and
        # complained of, each second.
        least_s, most_s = RECONNECT_S
        lasted = boottime_s() - self._since_s > most_s
        self._wait_s = least_s if lasted or not self._wait_s else min(2 * self._wait_s, most_s)
        self.reconnect_delay_set(self._wait_s, self._wait_s)
        super()._reconnect_wait()

    def _sock_recv(self, bufsize: int) -> bytes:
        # What is beyond is read and dropped: a device must not cut the home off by a large message.
        del self._in_packet["packet"][self.largest_bytes :]
        return super()._sock_recv(min(bufsize, self.largest_bytes))

    def _handle_connack(self) -> MQTTErrorCode:
        done = super()._handle_connack()
        # A broker may ask for less often, or never: one that hangs would not be noticed.
        self._keepalive = min(self._keepalive or KEEPALIVE_S, KEEPALIVE_S)
        return done

    def _packet_handle(self) -> MQTTErrorCode:
        # paho would hold as many of them as there are numbers until the broker releases each.
        if self._in_packet["command"] & _KIND_AND_QOS == _PUBLISH_TWICE_CONFIRMED:
            why = "the broker sends with QoS 2, which nobody has asked for"
            self._easy_log(LogLevel.MQTT_LOG_ERR, why)
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        return super()._packet_handle()


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
    client.max_queued_messages_set(WAITING_COMMANDS)
    # An exception in a callback would end paho's thread, and with it the connection for good.
    client.suppress_exceptions = True
    largest = LARGEST_BYTES if settings.discover else LARGEST_PAYLOAD_BYTES
    limits = None
    if settings.version == "5":
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limits.MaximumPacketSize = client.largest_bytes = largest + OVERHEAD_BYTES
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
            if code in NAME_MISMATCH:
                remedy = f'set mqtt.host to a name that it holds, not "{settings.host}"'
            elif code in OUT_OF_DATE:
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
